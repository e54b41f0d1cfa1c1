"""Which agent and model each role of a feature has, for whoever looks before anything is spent."""

from __future__ import annotations

from typing import NamedTuple

from sparing.clients.role_backend import check_role, role_backend, roles_of
from sparing.clients.unpriced import money_cap
from sparing.config.sources import sources_here
from sparing.desk.features.prompt_page import surroundings_of
from sparing.desk.office import Office, settings_of
from sparing.errors import SparingError
from sparing.flow.flows import FLOWS
from sparing.records.features import FeatureRow
from sparing.roles.catalog import load_catalog


class RoleAgent(NamedTuple):
    role: str
    backend: str
    vendor: str
    model: str
    why: str
    """Empty where it is simply the feature's own agent."""


def role_agents(office: Office, row: FeatureRow) -> dict[str, RoleAgent]:
    """By role; empty where all work with the feature's own, or where that can't be said."""
    settings = settings_of(office, row)
    if not settings.by_role:
        return {}
    around, checkout = surroundings_of(office), office.repository.checkout
    catalog = load_catalog(sources_here(checkout).roles, checkout, office.folder.path)
    found: dict[str, RoleAgent] = {}
    try:
        for who in roles_of(around, row, catalog, FLOWS[row.feature.flow]):
            agent, role = role_backend(who), who.role
            model = around.settings(row).models.of(role.model, agent.name, role.name)
            found[role.name] = RoleAgent(role.name, agent.name, agent.vendor, model, agent.why)
    except SparingError:
        return {}  # said where the agent is told
    return found


def check_agents(office: Office, row: FeatureRow) -> None:
    """Raises what is wrong with a role's agent."""
    around, checkout = surroundings_of(office), office.repository.checkout
    if not around.settings(row).by_role and not money_cap(around.loaded(row)):
        return
    catalog = load_catalog(sources_here(checkout).roles, checkout, office.folder.path)
    for who in roles_of(around, row, catalog, FLOWS[row.feature.flow]):
        check_role(who)


def others_words(agents: dict[str, RoleAgent]) -> tuple[str, ...]:
    """Who works with another one than the feature's own, a line for each agent."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for one in agents.values():
        if one.why:
            lines.setdefault((one.backend, one.model, _reason(one)), []).append(one.role)
    return tuple(
        f"{backend} {model} for {', '.join(roles)}{f' ({why})' if why else ''}"
        for (backend, model, why), roles in lines.items()
    )


def _reason(one: RoleAgent) -> str:
    return "" if one.why == f"set for {one.role}" else one.why
