"""What a feature may still cost, as a range: before it starts and at each of its gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sparing.codec import JsonObject
from sparing.config.effort import SETTING as EFFORT
from sparing.config.settings import Settings
from sparing.desk.office import Office, settings_of
from sparing.economy.cost_model import Ahead, PricedDispatches, Range, forecast
from sparing.economy.prices import own_prices, price_of
from sparing.ending import ROLE as RETRO
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS, code_stage
from sparing.flow.stage import Stage, StageWork
from sparing.flow.state import FlowState, Position
from sparing.money import Amount, dollars, to_nano, usd_or_none
from sparing.records import features, totals
from sparing.records.features import FeatureRow
from sparing.report.spending import tokens
from sparing.turn import TURNS

if TYPE_CHECKING:
    from sparing.desk.setup.role_agents import RoleAgent

FEW_TASKS = 4
MANY_TASKS = 24
"""Number of tasks assumed until tasks.md says how many there are."""
HELPERS = tuple(row for row in TURNS.values() if row.helps and row.dispensable)
"""Turns between the tasks and the review of the code, each taken once if its role may help."""
LEAST = to_nano("0.01")
REMEMBERED = 20
"""Number of finished features that a forecast is based on."""


def outlook(office: Office, row: FeatureRow) -> Range:
    """Forecast for the stages still to come; one that is under way counts in full."""
    settings, agents = settings_of(office, row), _agents(office, row)
    tasks = len(row.place.get("tasks", []))
    stages = [_ahead(stage, settings, tasks, agents) for stage in stages_ahead(row)]
    return forecast(stages, _history(office, row))


def assumed(office: Office, row: FeatureRow) -> Range:
    """Forecast for the whole flow from assumptions about dispatches alone, not observed data."""
    settings, tasks = settings_of(office, row), len(row.place.get("tasks", []))
    return forecast([_ahead(one, settings, tasks) for one in FLOWS[row.feature.flow].stages], {})


def stage_outlook(office: Office, row: FeatureRow, name: str) -> Range:
    """Forecast for one stage alone."""
    stage, tasks = FLOWS[row.feature.flow].stage(name), len(row.place.get("tasks", []))
    ahead = _ahead(stage, settings_of(office, row), tasks)
    return forecast([ahead], _history(office, row))


def stage_outlooks(office: Office, row: FeatureRow) -> dict[str, Range]:
    """Forecast for each stage of its flow separately."""
    settings, tasks = settings_of(office, row), len(row.place.get("tasks", []))
    history = _history(office, row)
    return {
        stage.name: forecast([_ahead(stage, settings, tasks)], history)
        for stage in FLOWS[row.feature.flow].stages
    }


def whole_outlook(office: Office, row: FeatureRow) -> Range:
    """Forecast for the whole feature from its first stage: what it was expected to cost."""
    settings, tasks = settings_of(office, row), len(row.place.get("tasks", []))
    stages = [_ahead(stage, settings, tasks) for stage in FLOWS[row.feature.flow].stages]
    return forecast(stages, _history(office, row))


def fix_outlook(office: Office, row: FeatureRow, least: int, most: int) -> Range:
    """Forecast for `least` to `most` turns of the code's author, outside of the stages."""
    stage, settings = code_stage(row.feature.flow), settings_of(office, row)
    ahead = _ahead(stage, settings, 1)
    turns = Ahead(ahead.stage, least, most, ahead.price)
    return forecast([turns], {})


def fix_round_outlook(office: Office, row: FeatureRow) -> Range:
    """Forecast for a round that fixes what a pull request's reviewers found: the code as if it
    were one task, its reviews, and what comes after them."""
    flow, settings = FLOWS[row.feature.flow], settings_of(office, row)
    stages = flow.stages[flow.index(code_stage(flow.name).name) :]
    return forecast([_ahead(one, settings, 1) for one in stages], {})


def again_outlook(office: Office, row: FeatureRow, stages: Mapping[str, int]) -> Range:
    """Forecast for redoing finished stages: number of tasks by stage name, where it has tasks."""
    settings, flow = settings_of(office, row), FLOWS[row.feature.flow]
    again: list[Ahead] = []
    for name, tasks in stages.items():
        least, most = _dispatches(flow.stage(name), settings.review.cap, tasks)
        usual = _ahead(flow.stage(name), settings, tasks)
        again.append(Ahead(name, least, most, usual.price, usual.others))
    return forecast(again, {})


def stages_ahead(row: FeatureRow) -> tuple[Stage, ...]:
    """The stages that are still to come; one that is under way counts."""
    flow, state = FLOWS[row.feature.flow], FlowState.load(row.place["state"])
    ended = (Position.GATE, Position.HANDOVER, Position.DONE, Position.ABANDONED)
    over = state.position in ended or state.held is Position.HANDOVER
    return flow.stages[flow.index(state.stage) + over :]


def outlook_words(found: Range) -> str:
    low, high = found.low, found.high
    if not high.tokens:
        return "nothing"
    amount = f"{tokens(low.tokens)} to {tokens(high.tokens)} tokens"
    if low.nano_usd is None or high.nano_usd is None:
        money = "money unknown, a model has no price"
    else:
        money = _money(low.nano_usd, high.nano_usd)
    return f"{money}, {amount} (estimated, {found.basis})"


def outlook_brief(found: Range) -> str:
    """Short form for use within a line; `outlook_words` also says what it is based on."""
    low, high = found.low, found.high
    if not high.tokens:
        return "nothing"
    if low.nano_usd is None or high.nano_usd is None:
        return f"{tokens(low.tokens)} to {tokens(high.tokens)} tokens (estimated)"
    return f"{_money(low.nano_usd, high.nano_usd)} (estimated)"


def outlook_likely(found: Range) -> str:
    """For deciding on a start: the median, and the cost that nine in ten features stay below.

    If a stage has no history here, both are guesses and are not called by those names.
    """
    if not found.high.tokens:
        return "nothing"
    if found.high.nano_usd is not None and found.high.nano_usd < LEAST:
        return "less than a cent (estimated)"
    most = _amount(found.high, money=found.median.nano_usd is not None)
    if found.learned < found.stages:
        return f"about {outlook_median(found)}, up to {most} (estimated)"
    return f"about {outlook_median(found)} (median), 90 % stay below {most} (estimated)"


def outlook_median(found: Range) -> str:
    """The figure alone, for use beside others."""
    return _amount(found.median, money=found.high.nano_usd is not None)


def _amount(found: Amount, *, money: bool) -> str:
    if found.nano_usd is None or not money:
        return f"{tokens(found.tokens)} tokens"
    return dollars(found.nano_usd)


def _money(low: int, high: int) -> str:
    """A range of money; one that would start at almost nothing reads `up to …`."""
    if high < LEAST:
        return "less than a cent"
    return f"{dollars(low)} to {dollars(high)}" if low >= LEAST else f"up to {dollars(high)}"


def outlook_json(found: Range) -> JsonObject:
    return {
        "low_usd": usd_or_none(found.low.nano_usd),
        "median_usd": usd_or_none(found.median.nano_usd),
        "high_usd": usd_or_none(found.high.nano_usd),
        "low_tokens": found.low.tokens,
        "median_tokens": found.median.tokens,
        "high_tokens": found.high.tokens,
        "origin": "estimated",
        "basis": found.basis,
    }


def _agents(office: Office, row: FeatureRow) -> Mapping[str, RoleAgent]:
    """Loaded only when needed: in most features, all roles share one agent."""
    if not settings_of(office, row).by_role:
        return {}
    from sparing.desk.setup.role_agents import role_agents

    return role_agents(office, row)


def _ahead(
    stage: Stage, settings: Settings, tasks: int, agents: Mapping[str, RoleAgent] | None = None
) -> Ahead:
    least, most = _dispatches(stage, settings.review.cap, tasks)
    from sparing.clients.role_model import own_class
    from sparing.clients.web_search import assistants_of

    helping = assistants_of(settings, settings.roles.web)
    beside = sum(role in helping for role in stage.research)
    beside += max(0, len(stage.parts) - 1)
    beside += stage.learns and RETRO in settings.flow.assistants
    if stage.work is StageWork.IMPLEMENT:
        beside += sum(role in helping for row in HELPERS for role in row.roles)
    models, backend = settings.models, settings.agent.backend
    known, own = agents or {}, own_prices(models.prices)
    author = known.get(stage.author)
    usual = own_class(settings, stage.author, stage.name, stage.model.value)
    model = author.model if author else models.of(usual, backend, stage.author)
    others = tuple(
        PricedDispatches(1, settings.review.cap, price_of(known[role].model, own))
        for group in stage.reviewers
        for role in group
        if role in known and known[role].model != model
    )
    return Ahead(stage.name, least + beside, most + beside, price_of(model, own), others)


def _dispatches(stage: Stage, cap: int, tasks: int) -> tuple[int, int]:
    """The fewest and most dispatches that a stage may need if nothing fails."""
    from sparing.stages.stage import REPAIRS

    reviewers = sum(len(group) for group in stage.reviewers)
    revisions = len(stage.reviewers) * (cap - 1)
    match stage.work:
        case StageWork.DOCUMENT:
            return 1 + reviewers, 1 + revisions + reviewers * cap
        case StageWork.IMPLEMENT:
            least, most = (tasks or FEW_TASKS), (tasks or MANY_TASKS)
            return least + reviewers, most + REPAIRS + revisions + reviewers * cap
        case StageWork.BUILD:
            return 1, 1 + REPAIRS
        case StageWork.JUDGE | StageWork.PROPOSE:
            return 1, 1
        case StageWork.CHECK:
            return 0, REPAIRS


def _history(office: Office, like: FeatureRow) -> dict[str, list[Amount]]:
    """What each stage took in features of this flow and effort that are finished."""
    found: dict[str, list[Amount]] = {}
    flow, usual = like.feature.flow, office.loaded.settings.flow.effort.value
    effort = like.overrides.get(EFFORT, usual)
    with office.database.read() as connection:
        rows = [
            row
            for row in features.list_all(connection)
            if row.feature.flow == flow
            and row.status is FeatureStatus.COMPLETED
            and row.overrides.get(EFFORT, usual) == effort
        ]
        for row in rows[-REMEMBERED:]:
            for stage in row.place.get("marks", {}):
                key = totals.stage_key(row.feature.key, stage)
                tally = totals.get(connection, totals.FEATURE_STAGE, key)
                money = None if tally.unpriced else tally.nano_usd
                found.setdefault(stage, []).append(Amount(tally.usage.total, money))
    return found
