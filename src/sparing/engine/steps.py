"""The program's own steps: decide, settle, and the jobs that need no agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sparing.artifact import ArtifactName
from sparing.briefing.facts import Checked, sheet, unproven_tasks
from sparing.briefing.gather import read_tasks
from sparing.briefing.review_history import told_of, write_reviews
from sparing.dispatch.resume_check import deferred_of
from sparing.engine.auto import stops_of, wants_rule
from sparing.engine.decision_input import DecidedMove, changes_said, happened, record
from sparing.engine.orders import under_orders
from sparing.engine.unfinished import ask_again, asked_for, asks_again, take_up
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.finish.claims import tell_unmarked
from sparing.finish.handover import hand_home
from sparing.finish.meta import write_meta
from sparing.finish.survey import remove_logs
from sparing.flow.stage import StageWork
from sparing.flow.state import Cause, Do, FlowState, Position
from sparing.implement.checks import extra_checks, run_checks, tell_checks, to_agree
from sparing.job import Job, JobResult
from sparing.records import events, features, gates
from sparing.records.features import FeatureRow
from sparing.runtime import signals
from sparing.runtime.crash import step
from sparing.runtime.events import tell
from sparing.runtime.initial_documents import bring_given
from sparing.runtime.outcome import outcome
from sparing.runtime.place_store import packed, unpacked
from sparing.runtime.rewind import take_back
from sparing.runtime.source import Source, row_of
from sparing.runtime.surroundings import Surroundings, current
from sparing.runtime.worktree_setup import outfit
from sparing.stages.moves import Next, StageRules
from sparing.stages.place import Place, is_last
from sparing.stages.stage import next_move
from sparing.ticket import Ticket
from sparing.way import Policy
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.changes import Changed
from sparing.workspace.git.commit import commit_paths


@step("decide")
async def decide(
    leg: dict[str, Any], place: dict[str, Any], said: dict[str, Any]
) -> dict[str, Any]:
    """The next move. Recorded, so a replay never asks new code about an old move."""
    around = current()
    row = row_of(around, leg["feature"])
    here, said = take_up(unpacked(around.folder, place), said)
    again = asks_again(said)
    now = around.now(row, here.moves + (not again))
    known = happened(around, row, here, said)
    found = ask_again(here) if again else next_move(here, known, _rules(around, row), now)
    changes = changes_said(around, here, known.results)
    asked = asked_for(leg, found.jobs, said, now)
    with around.database.write() as tx:
        numbers = (leg["generation"], leg["leg"])
        place = packed(around.folder, found.place)
        features.progress(tx, row.feature.key, numbers, place, found.place.head, asked.dump())
        record(tx, DecidedMove(row, here, found, known, now), changes)
        _tell_stage(tx, row, here, found, now)
    found = under_orders(around, leg["id"], found)
    jobs = asked.jobs if found.jobs else ()
    for job in jobs:
        signals.expect(job.ticket)
    return {
        "do": found.do.value,
        "place": packed(around.folder, found.place),
        "jobs": [job.dump() for job in found.jobs],
        "names": [job.workflow for job in jobs],
        "tickets": [job.ticket for job in jobs],
        "at": now,
    }


@step("settle")
async def settle(leg: dict[str, Any], move: dict[str, Any]) -> None:
    """A leg ends: the place, and the gate if a human is asked, in one transaction of ours."""
    around = current()
    row = row_of(around, leg["feature"])
    place = Place.load({**move["place"], "review": None})
    position = place.state.position
    numbers = (leg["generation"], leg["leg"])
    with around.database.write() as tx:
        status = _status(position)
        if not features.settle(
            tx, row.feature.key, numbers, move["place"], place.head, status, move["at"]
        ):
            return  # a repetition: an answer has already moved the feature on
        if position in (Position.GATE, Position.STUCK):
            gate = gates.Gate(
                leg["id"], row.feature.key, place.state.stage, _kind(place.state),
                place.state.reason, move["at"],
            )  # fmt: skip
            gates.open_gate(tx, gate)
        events.add(tx, _ended(leg["id"], row, place, move["at"]))


@step("open")
async def open_worktree(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Make or find the worktree; the first time, see what is red before anybody has begun."""
    around, work = current(), Job.load(job)
    row = row_of(around, ticket["feature"])

    def opened() -> JobResult:
        # A leg that was begun anew goes on from what the old one had already committed.
        worktree = around.worktree(row, work.head)
        take_back(around, worktree, work, Ticket(**ticket))
        tip = bring_given(around, row, worktree, work, Ticket(**ticket))
        outfit(around, row, worktree, Ticket(**ticket), work)
        if work.baseline or (tip != row.feature.base_commit and not work.given):
            return JobResult(commit=tip)
        known = Baseline.of(run_checks(around, row, tip))
        return JobResult(commit=tip, baseline=around.folder.keep(json.dumps(known.dump())))

    return await outcome(opened)


@step("check")
async def check(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Run the repository's own checks in the worktree; what they print goes back as data."""
    try:
        return await _check(ticket, job)
    except SparingError as error:
        return JobResult(failure=error.what, detail=error.repair).dump()


async def _check(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    around, work = current(), Job.load(job)
    row = row_of(around, ticket["feature"])
    source = Source(around, row, work, None)
    worktree = await asyncio.to_thread(around.worktree, row, work.head)
    note = await asyncio.to_thread(outfit, around, row, worktree, Ticket(**ticket), work)
    extra = await asyncio.to_thread(extra_checks, source)
    results = await asyncio.to_thread(run_checks, around, row, work.head, extra.trusted)
    known = Baseline.load(json.loads(source.fetch(work.baseline))) if work.baseline else None
    checked = Checked(results, known)
    names = ", ".join(one.name for one in checked.red)
    asks = await asyncio.to_thread(to_agree, source, checked)
    with around.database.write() as tx:
        data = {one.name: one not in checked.red for one in results}
        data |= {"changed checks": False} if asks else {}
        tell(tx, Ticket(**ticket), work, "checks", text=_told(checked, asks), data=data)
        tell_checks(tx, Ticket(**ticket), source, results, extra)
    said = around.folder.keep_json([[r.name, r.command, r.output] for r in checked.red])
    detail = f"checks are red: {names}" + (f"; {note}" if note else "") if names else ""
    result = JobResult(passed=not names, reply=said, detail=detail, asks=asks)
    if source.stage.work is StageWork.IMPLEMENT:
        result = await asyncio.to_thread(_with_facts, source, checked, result)
    return result.dump()


@step("close")
async def close(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Commit the stage's record: `.meta.json` and the reviews, as the database has them."""
    around, work, asked = current(), Job.load(job), Ticket(**ticket)
    row = row_of(around, asked.feature)
    assert work.place is not None
    place = Place.load(work.place)
    with around.database.read() as connection:
        told = told_of(connection, asked.feature)

    def closed() -> JobResult:
        worktree = around.worktree(row, work.head)
        folder = around.feature_folder(row)
        paths = [write_meta(worktree.path, folder, row, place, deferred_of(around, row))]
        gone = remove_logs(around, row, place, worktree.path) if is_last(place) else []
        reviews = None if gone else write_reviews(worktree.path, folder, told)
        tell_unmarked(Source(around, row, work, None), asked)
        subject = f"sparing: {work.stage} done"
        change = commit_paths(
            worktree, work.head, [*paths, *gone, *([reviews] if reviews else [])], subject,
            row.feature.name, asked.step, asked.at,
        )  # fmt: skip
        return JobResult(commit=change.commit)

    return await outcome(closed)


@step("handover")
async def handover(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    around, work, asked = current(), Job.load(job), Ticket(**ticket)
    row = row_of(around, asked.feature)
    return await outcome(lambda: hand_home(around, row, work, asked))


def _with_facts(source: Source, checked: Checked, result: JobResult) -> JobResult:
    """With the sheet for the reviewers, and with what is claimed and not borne out."""
    try:
        unproven = unproven_tasks(source, read_tasks(source.artifact(ArtifactName.TASKS)))
    except SparingError:  # a stage without readable tasks has claimed nothing
        unproven = ()
    facts = source.around.folder.keep(sheet(source, checked, unproven))
    return replace(result, facts=facts, unproven=unproven)


def _told(checked: Checked, asks: Sequence[Changed]) -> str:
    if checked.red:
        return f"red: {', '.join(one.name for one in checked.red)}"
    if asks:
        return f"red until you agree: {'; '.join(one.words for one in asks)}"
    if not checked.results:
        return "none found"
    old = sum(not one.passed for one in checked.results)
    green = f"{len(checked.results) - old} green"
    return f"{green}, {old} red as before" if old else green


def _rules(around: Surroundings, row: FeatureRow) -> StageRules:
    settings, stops = around.settings(row), stops_of(around, row)
    return StageRules(
        settings.review.cap, stops, around.headless, settings.review.strict,
        frozenset(settings.flow.assistants), auto=wants_rule(around, row),
        continues=settings.review.policy is not Policy.FRESH,
        judges_inside=settings.review.policy is Policy.SEED,
    )  # fmt: skip


def _kind(state: FlowState) -> str:
    """What a gate is called: where the feature stands, or what stands in its way."""
    named = (
        Cause.BUDGET, Cause.LOOP, Cause.PAUSED, Cause.QUESTIONS, Cause.BLOCKED, Cause.HANDOFF,
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


def _tell_stage(tx: Any, row: FeatureRow, before: Place, found: Next, now: float) -> None:
    """A stage begins."""
    after = found.place
    name = after.state.stage
    began = after.marks.get(name)
    known = before.marks.get(name)
    if found.do is not Do.RUN or began is None or (known and known.started == began.started):
        return
    if began.completed is None and began.iterations == 0:
        key = f"{row.feature.key}.{after.moves}.stage"
        events.add(tx, events.Event(key, row.feature.key, now, "stage", name))


def _ended(leg: str, row: FeatureRow, place: Place, at: float) -> events.Event:
    state = place.state
    return events.Event(
        f"{leg}.settled", row.feature.key, at, state.position.value, state.stage, "", state.reason,
        {"cause": state.cause.value} if state.position is Position.STUCK else {},
    )  # fmt: skip
