"""Which agent and model each role of a feature has, shown before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.clients.role_backend import check_role, role_backend, roles_of
from sparing.clients.unpriced import money_cap
from sparing.config.sources import sources_here
from sparing.desk.features.prompt_page import surroundings_of
from sparing.desk.office import Office, settings_of
from sparing.desk.setup.fleet_view import worker_views
from sparing.economy.prices import own_prices, price_of
from sparing.errors import SparingError
from sparing.flow.flows import FLOWS
from sparing.money import MILLION
from sparing.records.features import FeatureRow
from sparing.roles.catalog import load_catalog

PREFIX_TOKENS = 20_000
"""That reviewers of a stage share in a feature of usual size: tools, rules and documents."""


class RoleAgent(NamedTuple):
    role: str
    backend: str
    vendor: str
    model: str
    why: str
    """Why it has this agent; empty if it is simply the feature's own."""
    apart_usd: float | None = None
    """What a shared prefix of usual size costs because it is sent to a model that the others do
    not have; None where it shares theirs, or where nobody knows the price."""

    @property
    def differs(self) -> bool:
        return bool(self.why) or self.apart_usd is not None


def role_agents(office: Office, row: FeatureRow) -> dict[str, RoleAgent]:
    """Agents by role; empty if all use the feature's own, or if that can't be determined."""
    settings = settings_of(office, row)
    if not settings.by_role:
        return {}
    around, checkout = surroundings_of(office), office.repository.checkout
    catalog = load_catalog(sources_here(checkout).roles, checkout, office.folder.path)
    found: dict[str, RoleAgent] = {}
    try:
        for who in roles_of(around, row, catalog, FLOWS[row.feature.flow]):
            agent, role = role_backend(who), who.role
            models = around.settings(row).models
            model = models.of(role.model, agent.name, role.name)
            apart = _apart_usd(models.of(role.model, settings.agent.backend), model, models.prices)
            named = RoleAgent(role.name, agent.name, agent.vendor, model, agent.why, apart)
            found[role.name] = named
    except SparingError:
        return {}  # said where the agent is told
    return found


def _apart_usd(usual: str, model: str, prices: Iterable[str]) -> float | None:
    """Written once for itself, where the others' would have been read."""
    own = own_prices(prices)
    mine, theirs = price_of(model, own), price_of(usual, own)
    if model == usual or mine is None or theirs is None:
        return None
    return float(PREFIX_TOKENS * (mine.write_5m - theirs.read) / MILLION)


def check_agents(office: Office, row: FeatureRow) -> None:
    """Raise an error if something is wrong with a role's agent."""
    around, checkout = surroundings_of(office), office.repository.checkout
    if not around.settings(row).by_role and not money_cap(around.loaded(row)):
        return
    catalog = load_catalog(sources_here(checkout).roles, checkout, office.folder.path)
    for who in roles_of(around, row, catalog, FLOWS[row.feature.flow]):
        check_role(who)


def check_ready(office: Office, row: FeatureRow, at: float) -> None:
    """Raise an error for anything that would end an unattended run before its first turn. Where
    workers share the database, the clients are on their machines, and each checks its own."""
    if worker_views(office, at):
        return
    surroundings_of(office).backend(row)
    check_agents(office, row)


def others_words(agents: dict[str, RoleAgent]) -> tuple[str, ...]:
    """Roles with an agent other than the feature's own, one line for each agent."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for one in agents.values():
        if one.differs:
            lines.setdefault((one.backend, one.model, _reason(one)), []).append(one.role)
    return tuple(
        f"{backend} {model} for {', '.join(roles)}{f' ({why})' if why else ''}"
        for (backend, model, why), roles in lines.items()
    )


def _reason(one: RoleAgent) -> str:
    why = "" if one.why == f"set for {one.role}" else one.why
    if one.apart_usd is None:
        return why
    price = f"its own prompt prefix: about ${one.apart_usd:.2f} per stage, estimated"
    return f"{why}; {price}" if why else price
