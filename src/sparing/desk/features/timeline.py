"""A feature's stages with everything sent in each: rounds, ways of sending, verdicts, bills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sparing.desk.features.event_line import WAYS
from sparing.desk.features.history import ledger_rows, verdict_rows
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import decision
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState, Position
from sparing.money import dollars, usd_or_none
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.report.spending import cached_share, tokens
from sparing.sent import REPAIR

HAND_OFF = "hand_over"
STARTED, COMPLETED, ITERATIONS = 0, 1, 2
"""Indexes of these values in a stored mark."""


class SentTurn(NamedTuple):
    dispatch: str
    attempt: int
    role: str
    iteration: int
    task: str
    way: str
    """How it was sent: fresh, resumed, forked or handed off."""
    model: str
    started: float
    seconds: float | None
    """None while it is under way, or if its end was not recorded."""
    input: str
    cached: str
    output: str
    cost_usd: float | None
    cost: str
    origin: str
    verdict: str
    """passed, refused and the like; empty for an author."""
    failure: str
    reason: str
    """Why it was sent this way."""


class StageStory(NamedTuple):
    name: str
    state: str
    """done, now, ahead or skipped."""
    author: str
    iterations: int
    started: float | None
    ended: float | None
    cost: str
    origin: str
    turns: tuple[SentTurn, ...]


def timeline(office: Office, row: FeatureRow) -> tuple[StageStory, ...]:
    ledger = ledger_rows(office, row)
    verdicts = {one.dispatch: decision(one) for one in verdict_rows(office, row)}
    state, flow = FlowState.load(row.place["state"]), FLOWS[row.feature.flow]
    skipped = {one.stage for one in state.skipped}
    marks: dict[str, list[Any]] = row.place.get("marks", {})
    stories: list[StageStory] = []
    for stage in flow.stages:
        own = [one for one in ledger if one.attempt.stage == stage.name]
        mark = marks.get(stage.name, [])
        stories.append(
            StageStory(
                name=stage.name,
                state=_state(stage.name, state, mark, skipped),
                author=stage.author,
                iterations=int(mark[ITERATIONS]) if len(mark) > ITERATIONS else 0,
                started=mark[STARTED] if mark else None,
                ended=mark[COMPLETED] if len(mark) > COMPLETED else None,
                cost=_cost(own),
                origin=_origin(own),
                turns=tuple(_turn(one, verdicts) for one in own),
            )
        )
    return tuple(stories)


def _state(name: str, state: FlowState, mark: Sequence[object], skipped: set[str]) -> str:
    over = state.position in (Position.DONE, Position.HANDOVER)
    if name in skipped:
        return "skipped"
    if state.stage == name and not over:
        return "now"
    done = len(mark) > COMPLETED and mark[COMPLETED] is not None
    return "done" if done else "ahead"


def _turn(one: LedgerRow, verdicts: dict[str, str]) -> SentTurn:
    attempt, result = one.attempt, one.result
    usage = result.usage if result else None
    way = WAYS.get(attempt.way, attempt.way)
    return SentTurn(
        dispatch=attempt.dispatch,
        attempt=one.number,
        role=attempt.role,
        iteration=attempt.iteration,
        task=attempt.task,
        way="hands off" if attempt.template == HAND_OFF else way,
        model=attempt.model,
        started=attempt.started,
        seconds=result.seconds if result else None,
        input=tokens(usage.input) if usage else "",
        cached=cached_share(usage) if usage else "",
        output=tokens(usage.output) if usage else "",
        cost_usd=usd_or_none(result.nano_usd if result else None),
        cost=_bill(one),
        origin=str(result.origin.value) if result and result.origin else "",
        verdict="" if attempt.template == REPAIR else verdicts.get(attempt.dispatch, ""),
        failure=result.failure if result else "",
        reason=attempt.reason,
    )


def _bill(one: LedgerRow) -> str:
    if one.result is None:
        return "under way" if one.outcome is AttemptState.OPEN else "unknown"
    return dollars(one.result.nano_usd) if one.result.nano_usd is not None else "unknown"


def _cost(rows: Sequence[LedgerRow]) -> str:
    known = [one.result.nano_usd for one in rows if one.result and one.result.nano_usd is not None]
    if not rows:
        return ""
    return ("≥" if len(known) < len(rows) else "") + dollars(sum(known)) if known else "unknown"


def _origin(rows: Sequence[LedgerRow]) -> str:
    found = {one.result.origin.value for one in rows if one.result and one.result.origin}
    return " and ".join(sorted(found))
