"""All features at a glance: the stage of each, its cost, the agents at work, what it needs.

Made for two hundred features at once: a few queries for all of them together, and details only for
those that are under way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.timeline import ITERATIONS
from sparing.desk.features.view import FeatureView, feature_view
from sparing.desk.office import Office, every_row, settings_of
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState
from sparing.money import Amount, day_of, dollars
from sparing.records import caps, totals
from sparing.records.features import FeatureRow
from sparing.records.findings import count_open
from sparing.records.open_turns import open_turns
from sparing.records.totals import Tally

STUCK = {
    Cause.PAUSED.value: "is paused",
    Cause.BUDGET.value: "has reached a cap",
    Cause.HANDOFF.value: "asks about its session",
}
"""How a stage waiting for a person is described, by cause; any other cause means it is stuck."""


@dataclass(frozen=True, slots=True)
class AgentAtWork:
    role: str
    way: str
    model: str
    started: float


@dataclass(frozen=True, slots=True)
class BoardRow:
    view: FeatureView
    iteration: int
    """Iteration of the current or last review; 0 before the first."""
    spent_usd: float | None
    spent: str
    """Formatted; starts with `≥` if the cost of a turn is missing from it."""
    origin: str
    """measured, simulated, estimated, or several of them."""
    cap_usd: float | None
    cap: str
    share: float | None
    """Fraction of the feature's cap that is spent or reserved; None without a cap."""
    agents: tuple[AgentAtWork, ...]
    needs: str
    """What a person has to do, in words; empty if nothing."""

    @property
    def over(self) -> bool:
        return self.view.status in ("completed", "abandoned")


@dataclass(frozen=True, slots=True)
class Board:
    runs: bool
    """True if an engine is running in this repository."""
    rows: tuple[BoardRow, ...]

    @property
    def waiting(self) -> tuple[BoardRow, ...]:
        return tuple(one for one in self.rows if one.needs)


def board(office: Office, at: float) -> Board:
    with office.database.kept():
        return _board(office, at)


def _board(office: Office, at: float) -> Board:
    rows = every_row(office)
    with office.database.read() as connection:
        spent = totals.every(connection, "feature")
        opened = open_turns(connection)
        raised = caps.raised_features(connection)
    agents: dict[str, list[AgentAtWork]] = {}
    for one in opened:
        worker = AgentAtWork(one.role, one.way, one.model, one.started)
        agents.setdefault(one.feature, []).append(worker)
    usual = office.loaded.settings.caps.limits.feature
    limits = {
        row.feature.key: _limit(office, row, at)
        if row.overrides or row.feature.key in raised
        else usual
        for row in rows
        if not row.status.is_over
    }
    runs = engine_runs(office)
    return Board(runs, tuple(_row(office, row, spent, limits, agents, runs=runs) for row in rows))


def board_row(office: Office, row: FeatureRow, at: float) -> BoardRow:
    """The board's row for one feature."""
    key = row.feature.key
    with office.database.read() as connection:
        spent = {key: totals.get(connection, "feature", key)}
        opened = [one for one in open_turns(connection) if one.feature == key]
    agents = {key: [AgentAtWork(one.role, one.way, one.model, one.started) for one in opened]}
    limits = {} if row.status.is_over else {key: _limit(office, row, at)}
    return _row(office, row, spent, limits, agents, runs=engine_runs(office))


def _limit(office: Office, row: FeatureRow, at: float) -> Amount:
    settings = settings_of(office, row) if row.overrides else office.loaded.settings
    stage = FlowState.load(row.place["state"]).stage
    whose = caps.Whose(row.feature.key, stage, day_of(at))
    with office.database.read() as connection:
        return caps.in_force(connection, settings.caps.limits, whose).feature


def _row(
    office: Office,
    row: FeatureRow,
    spent: Mapping[str, Tally],
    limits: Mapping[str, Amount],
    agents: Mapping[str, list[AgentAtWork]],
    *,
    runs: bool,
) -> BoardRow:
    tally, limit = spent.get(row.feature.key, Tally()), limits.get(row.feature.key)
    view = feature_view(office, row)
    most = None if limit is None or not limit.nano_usd else limit.nano_usd
    cost = None if tally.turns and tally.unknown + tally.unpriced == tally.turns else tally.nano_usd
    return BoardRow(
        view=view,
        iteration=_iteration(row, view.stage),
        spent_usd=None if cost is None else cost / 10**9,
        spent=_words(tally, cost),
        origin=_origin(tally),
        cap_usd=None if most is None else most / 10**9,
        cap=dollars(most) if most is not None else "",
        share=None if most is None else min(1.0, tally.charged_nano_usd / most),
        agents=tuple(agents.get(row.feature.key, ())) if runs and row.running else (),
        needs=needs_words(office, row, view, runs=runs),
    )


def _iteration(row: FeatureRow, stage: str) -> int:
    """Read from stored state, for speed. The final review counts anew; the stage does not."""
    review: JsonObject = row.place.get("review") or {}
    loop: JsonObject = review.get("loop") or {}
    mark = row.place.get("marks", {}).get(stage, ())
    counted = int(mark[ITERATIONS]) if len(mark) > ITERATIONS else 0
    return max(counted, int(loop.get("iteration", 0)))


def _words(tally: Tally, cost: int | None) -> str:
    if cost is None:
        return "unknown"
    return ("≥" if tally.unknown + tally.unpriced else "") + dollars(cost)


def _origin(tally: Tally) -> str:
    counts = {
        "measured": tally.measured,
        "simulated": tally.simulated,
        "estimated": tally.estimated,
    }
    return " and ".join(word for word, count in counts.items() if count)


def needs_words(office: Office, row: FeatureRow, view: FeatureView, *, runs: bool) -> str:
    """What a person is asked to do, starting with what asks; empty if nothing."""
    if row.status.is_over or view.answered:
        return ""
    if row.running:
        return "" if runs else f"{view.stage} was interrupted: run it to continue"
    if not view.waits_for:
        return ""
    if view.questions:
        count = len(view.questions)
        return f"{view.stage} asks you {count} question{'' if count == 1 else 's'}"
    if view.position == "gate":
        return _ready(office, row, view.stage)
    return f"{view.stage} {STUCK.get(view.cause, 'is stuck')}: {view.waits_for}"


def _ready(office: Office, row: FeatureRow, name: str) -> str:
    stage = FLOWS[row.feature.flow].stage(name)
    made = stage.writes.filename if stage.writes else name
    with office.database.read() as connection:
        count = count_open(connection, row.feature.key)[name]
    found = f"{count or 'no'} open finding{'' if count == 1 else 's'}"
    return f"{made} is ready: {found}"
