"""What lies ahead of a feature before anything is spent: stages, agent, forecast, first prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sparing.clients.role_model import names_beside, own_class
from sparing.desk.money.forecast import stages_ahead
from sparing.desk.office import Office, settings_of
from sparing.dispatch_policy import Way
from sparing.errors import ConfigError, SparingError
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage
from sparing.money import Billing, dollars
from sparing.records.features import FeatureRow
from sparing.report.spending import tokens

if TYPE_CHECKING:
    from sparing.report.prompt import PromptPage


class UsedAgent(NamedTuple):
    words: str
    repair: str
    """What to do if no agent can be used; empty if one can."""


class StageAhead(NamedTuple):
    name: str
    who: str
    reviewers: tuple[str, ...]
    asks: bool
    """True if a person is asked after it."""


def ahead_of(office: Office, row: FeatureRow) -> tuple[StageAhead, ...]:
    stops = stops_of(office, row)
    return tuple(
        StageAhead(
            stage.name,
            stage.author or "Sparing",
            tuple(role for group in stage.reviewers for role in group),
            stage.name in stops,
        )
        for stage in stages_ahead(row)
    )


def stops_of(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """The stages after which a person is asked."""
    stages: tuple[Stage, ...] = FLOWS[row.feature.flow].stages
    return tuple(office.loaded.settings.flow.stops([one.name for one in stages if one.gate]))


def agent_of(office: Office, row: FeatureRow) -> UsedAgent:
    """The backend and its login, in words; or why there is none."""
    from sparing.desk.features.prompt_page import surroundings_of
    from sparing.desk.setup.role_agents import check_agents, others_words, role_agents

    try:
        backend = surroundings_of(office).backend(row)
        check_agents(office, row)
    except SparingError as error:
        return UsedAgent(f"none: {error.what}", error.repair)
    login = str(getattr(backend, "login", "")) or "no login needed"
    billing = settings_of(office, row).agent.billing
    paid = ", paid by subscription" if billing is Billing.SUBSCRIPTION else ""
    others = "".join(f"; {one}" for one in others_words(role_agents(office, row)))
    return UsedAgent(f"{backend.name}, {login}{paid}{others}", "")


def models_words(office: Office, row: FeatureRow) -> str:
    """The models for the classes that the flow uses."""
    found = _models(office, row)
    if len(found) > 1 and len(set(found.values())) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{model} ({name})" for name, model in found.items())


def _models(office: Office, row: FeatureRow) -> dict[str, str]:
    settings = settings_of(office, row)
    backend = settings.agent.backend
    used = {
        own_class(settings, name, stage.name, stage.model.value)
        for stage in FLOWS[row.feature.flow].stages
        for name in names_beside(settings, stage) or ("",)
    }
    classes = [name for name in ("strong", "standard", "cheap") if name in used]
    return {name: settings.models.of(name, backend) for name in classes}


def cap_words(office: Office, row: FeatureRow, at: float) -> str:
    """The feature's cap in words; without a money cap if the price of a model is unknown."""
    from sparing.desk.money.cost import limits_of
    from sparing.desk.money.spending import prices_of
    from sparing.economy.prices import price_of

    limit, own = limits_of(office, row, at).feature, prices_of(office)
    unknown = [one for one in _models(office, row).values() if price_of(one, own) is None]
    if unknown:
        names = ", ".join(dict.fromkeys(unknown))
        return f"{tokens(limit.tokens)} tokens; no money cap, the price of {names} is unknown"
    return f"{dollars(limit.nano_usd)} or {tokens(limit.tokens)} tokens"


def first_prompt(office: Office, row: FeatureRow) -> PromptPage | None:
    """The next author's prompt; None if the next step needs no agent."""
    stage = next((one for one in stages_ahead(row) if one.author), None)
    if stage is None:
        return None
    from sparing.desk.features.preview import PreviewRequest
    from sparing.desk.features.prompt_page import prompt_page

    try:
        wish = PreviewRequest(role=stage.author, stage=stage.name, way=Way.COMPOSE)
        return prompt_page(office, row, wish).page
    except ConfigError:
        raise
    except SparingError:
        return None  # tasks that are not written yet have no prompt
