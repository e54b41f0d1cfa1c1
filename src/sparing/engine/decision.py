"""Deciding and recording the next move of a leg, and recording the end of a leg."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from sparing import codec
from sparing.approval.auto_approval import stops_of, wants_rule
from sparing.approval.sections import Library, bind
from sparing.briefing.handoff_block import changes_said
from sparing.clients.web_search import assistants_of
from sparing.codec import JsonObject
from sparing.commits.meta_json import commit_meta
from sparing.config.flow import Questions
from sparing.dispatch_policy import Policy
from sparing.engine.decision_input import DecidedMove, happened, record
from sparing.engine.orders import ORDERS, under_orders
from sparing.engine.unfinished_leg import (
    LastDecision,
    Said,
    ask_again,
    asked_for,
    asks_again,
    take_up,
)
from sparing.errors import SparingError
from sparing.event import FeatureEvent, StuckEvent
from sparing.feature import FeatureStatus
from sparing.fleet.arrival import send
from sparing.flow.state import Cause, Do, FlowState, Position
from sparing.job import Job
from sparing.records import events, features, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.runtime import signals
from sparing.runtime.panel_record import panel_rule
from sparing.runtime.place_store import dump_place, load_place
from sparing.runtime.source import row_of
from sparing.runtime.surroundings import Surroundings, current
from sparing.stages.moves import Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.wait import ring


@dataclass(frozen=True, slots=True)
class LegStart:
    """What a leg is given; stored as its workflow's input."""

    feature: str
    generation: int
    leg: int
    id: str
    place: JsonObject
    answer: str = ""
    reason: str = ""
    feedback: str = ""
    asked: LastDecision | None = None
    """For a leg that replaces another one: the jobs that the other one had started."""

    @property
    def numbers(self) -> tuple[int, int]:
        return self.generation, self.leg


@dataclass(frozen=True, slots=True)
class Decision:
    """A move as it is recorded: the place after it, its jobs, their workflows and tickets."""

    do: Do
    place: JsonObject
    jobs: tuple[Job, ...]
    names: tuple[str, ...]
    tickets: tuple[str, ...]
    at: float


async def decide(leg: LegStart, count: int, place: JsonObject, said: Said) -> Decision:
    """The next move. Recorded, so a replay never asks new code about an old move."""
    around = current()
    with around.database.read() as connection:
        known = mailbox.before_move(connection, leg.feature, leg.id, tuple(ORDERS))
    row = known.row
    here, said = take_up(load_place(around.folder, place), said)
    again = asks_again(said)
    now = around.now(row, here.moves + (not again))
    came = happened(around, row, here, said, ruled=known.ruled)
    found = ask_again(here) if again else next_move(here, came, _rules(around, row), now)
    changes = changes_said(around.folder, here, came.results)
    asked = asked_for(f"{leg.id}.{count}", found.jobs, said, now)
    with around.database.write() as tx:
        after = dump_place(around.folder, found.place)
        head, jobs = found.place.head, codec.dump(asked)
        letters = (leg.id, *ORDERS)
        order = mailbox.progress(tx, row.feature.key, leg.numbers, after, head, jobs, letters)
        told = record(tx, DecidedMove(row, here, found, came, now), changes)
        events.add(tx, *told, *_begun_stage(row, here, found, now))
        bind(tx, Library(around.repository, around.feature_folder(row)), row, here, found, now)
    ordered = under_orders(known.order if order is None else order, found)
    if ordered is not found:
        found, after = ordered, dump_place(around.folder, ordered.place)
    listed = asked.jobs if found.jobs else ()
    for job in listed:
        signals.expect(job.ticket)
    return Decision(
        do=found.do,
        place=after,
        jobs=found.jobs,
        names=tuple(job.workflow for job in listed),
        tickets=tuple(job.ticket for job in listed),
        at=now,
    )


async def settle(leg: LegStart, move: Decision) -> None:
    """End a leg: store the place, and the gate if a person is asked, in one transaction."""
    around = current()
    row = row_of(around, leg.feature)
    place = Place.load({**move.place, "review": None})
    state = place.state
    head = await asyncio.to_thread(_on_record, around, row, place, f"{leg.id}.settled", move.at)
    done = state.position is Position.DONE
    await asyncio.to_thread(send, around.travel, row, finished=done)
    with around.database.write() as tx:
        status = _status(state.position)
        key, there = row.feature.key, {**move.place, "head": head}
        if not features.settle(tx, key, leg.numbers, there, head, status, move.at):
            return  # a repetition: an answer has already moved the feature on
        if state.position in (Position.GATE, Position.STUCK):
            gate = gates.Gate(
                id=leg.id, feature=key, stage=state.stage, kind=_kind(state),
                reason=state.reason, opened=move.at,
            )  # fmt: skip
            gates.open_gate(tx, gate)
        events.add(tx, _ended(leg.id, row, place, move.at))
    ring()


def _on_record(around: Surroundings, row: FeatureRow, place: Place, step: str, at: float) -> str:
    """Commit the outcome of the leg and return the new head. If nothing can be committed, the
    next commit includes it: the database is the truth."""
    if not (around.folder.worktree(row.feature.name) / ".git").is_file():
        return place.head
    try:
        worktree = around.worktree(row, place.head)
        return commit_meta(worktree, around.settings(row), row, place, step, at)
    except SparingError:
        return place.head


def _rules(around: Surroundings, row: FeatureRow) -> StageRules:
    settings, stops = around.settings(row), stops_of(around, row)
    return StageRules(
        settings.review.cap, stops, around.headless, settings.review.strict,
        assistants_of(settings, around.web(row)), auto=wants_rule(around, row),
        continues=settings.review.policy in (Policy.ADAPTIVE, Policy.SEED),
        judges_inside=settings.review.policy is Policy.SEED,
        panel=panel_rule(around, row), others=frozenset(settings.flow.other_person),
        asks=settings.flow.questions is not Questions.DEFAULTS and not around.headless,
    )  # fmt: skip


def _kind(state: FlowState) -> str:
    """The kind of a gate: the feature's position, or the cause that stopped it."""
    named = (
        Cause.BUDGET, Cause.LOOP, Cause.PAUSED, Cause.QUESTIONS, Cause.BLOCKED, Cause.HANDOFF,
        Cause.DECLINED,
    )  # fmt: skip
    stopped = state.position is Position.STUCK and state.cause in named
    return state.cause.value if stopped else state.position.value


def _status(position: Position) -> FeatureStatus:
    match position:
        case Position.DONE:
            return FeatureStatus.COMPLETED
        case Position.ABANDONED:
            return FeatureStatus.ABANDONED
        case _:
            return FeatureStatus.ACTIVE


def _begun_stage(row: FeatureRow, before: Place, found: Next, now: float) -> Iterator[Event]:
    """Tells that a stage begins, if this move begins one."""
    after = found.place
    name = after.state.stage
    began = after.marks.get(name)
    known = before.marks.get(name)
    if found.do is not Do.RUN or began is None or (known and known.started == began.started):
        return
    if began.completed is None:
        key = f"{row.feature.key}.{after.moves}.stage"
        yield Event.of(FeatureEvent.STAGE, key=key, feature=row.feature.key, at=now, stage=name)


def _ended(leg: str, row: FeatureRow, place: Place, at: float) -> Event:
    state = place.state
    stuck = state.position is Position.STUCK
    what = StuckEvent(state.cause.value) if stuck else FeatureEvent(state.position.value)
    key, feature = f"{leg}.settled", row.feature.key
    return Event.of(what, key=key, feature=feature, at=at, stage=state.stage, text=state.reason)
