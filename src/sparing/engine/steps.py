"""The program's own steps: decide, settle, and the jobs that need no agent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sparing.artifact import ArtifactName
from sparing.config.settings import HandOver
from sparing.engine import arrivals
from sparing.engine.agent_steps import Ticket, row_of
from sparing.engine.crash import step
from sparing.engine.gather import Source, read_tasks
from sparing.engine.jobs import Job, Result
from sparing.engine.meta import write_meta
from sparing.engine.place import Place
from sparing.engine.stage import Happened, Next, Rules, next_move
from sparing.engine.stories import tell
from sparing.engine.surroundings import Surroundings, current
from sparing.errors import SparingError
from sparing.feature import Status
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, Do, Kind, Outcome, Position, State
from sparing.records import events, features, gates, verdicts
from sparing.records.features import FeatureRow
from sparing.workspace.checks import find_checks, run_check
from sparing.workspace.commit import commit_paths
from sparing.workspace.handover import hand_over


@step("decide")
async def decide(
    leg: dict[str, Any], place: dict[str, Any], said: dict[str, Any]
) -> dict[str, Any]:
    """The next move. Recorded, so a replay never asks new code about an old move."""
    around = current()
    row = row_of(around, leg["feature"])
    here = Place.load(place)
    now = around.now(row, here.moves + 1)
    found = next_move(here, _happened(around, said, here.done), _rules(around, row), now)
    with around.database.write() as tx:
        features.progress(
            tx,
            row.feature.key,
            (leg["generation"], leg["leg"]),
            found.place.dump(),
            found.place.head,
        )
        _tell_stage(tx, row, here, found, now)
    names = [f"{leg['id']}.{leg['move']}.{n}-{job.name}" for n, job in enumerate(found.jobs)]
    for name in names:
        arrivals.expect(name)
    return {
        "do": found.do.value,
        "place": found.place.dump(),
        "jobs": [job.dump() for job in found.jobs],
        "names": names,
        "at": now,
    }


@step("settle")
async def settle(leg: dict[str, Any], move: dict[str, Any]) -> None:
    """A leg ends: the place, and the gate if a human is asked, in one transaction of ours."""
    around = current()
    row = row_of(around, leg["feature"])
    place = Place.load(move["place"])
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
    around, head = current(), Job.load(job).head
    row = row_of(around, ticket["feature"])
    return await _guarded(lambda: _open(around, row, head))


@step("tasks")
async def list_tasks(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    around = current()
    source = Source(around, row_of(around, ticket["feature"]), Job.load(job), None)

    def listed() -> Result:
        tasks = read_tasks(source.artifact(ArtifactName.TASKS))
        return Result(tasks=tuple((task.number, task.title) for task in tasks))

    return await _guarded(listed)


@step("check")
async def check(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Run the repository's own checks in the worktree; what they print goes back as data."""
    around, work = current(), Job.load(job)
    row = row_of(around, ticket["feature"])
    worktree = await asyncio.to_thread(around.worktree, row, work.head)
    limit = around.settings(row).workspace.check_seconds
    found = find_checks(worktree.path)
    results = [
        await asyncio.to_thread(run_check, one, worktree.path, limit, around.environ)
        for one in found
    ]
    red = [result for result in results if not result.passed]
    names = ", ".join(result.name for result in red)
    with around.database.write() as tx:
        data = {result.name: result.passed for result in results}
        words = f"red: {names}" if red else f"{len(results)} green" if results else "none found"
        tell(tx, Ticket(**ticket), work, "checks", text=words, data=data)
    said = around.folder.keep(json.dumps([[r.name, r.command, r.output] for r in red]))
    detail = f"checks are red: {names}" if red else ""
    return Result(passed=not red, reply=said, detail=detail).dump()


@step("close")
async def close(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """Commit the stage's record: `.meta.json` as the database has it."""
    around, work, asked = current(), Job.load(job), Ticket(**ticket)
    row = row_of(around, asked.feature)
    assert work.place is not None
    place = Place.load(work.place)

    def closed() -> Result:
        worktree = around.worktree(row, work.head)
        path = write_meta(worktree.path, around.feature_folder(row), row, place)
        subject = f"sparing: {work.stage} done"
        change = commit_paths(
            worktree, work.head, [path], subject, row.feature.name, asked.step, asked.at
        )
        return Result(commit=change.commit)

    return await _guarded(closed)


@step("handover")
async def handover(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    around, work, asked = current(), Job.load(job), Ticket(**ticket)
    row = row_of(around, asked.feature)
    feature = row.feature
    consent = around.settings(row).workspace.hand_over is HandOver.MERGE

    def handed() -> Result:
        subject = f"Merge {feature.branch}: {feature.title}"
        done = hand_over(
            around.repository, feature.base_branch, feature.branch, consent, subject, feature.name,
            asked.at,
        )  # fmt: skip
        with around.database.write() as tx:
            data = {"merged": done.merged, "commit": done.commit, "commands": list(done.commands)}
            tell(tx, asked, work, "handover", text=done.note, data=data)
        if consent and not done.merged:
            return Result(failure="not merged", detail=done.note)
        return Result(detail=done.note)

    return await _guarded(handed)


def _open(around: Surroundings, row: FeatureRow, head: str) -> Result:
    """A leg that was begun anew goes on from what the old one had already committed."""
    return Result(commit=around.worktree(row, head).tip())


async def _guarded(work: Any) -> dict[str, Any]:
    """What a person can repair comes back as words: the feature waits, nothing is lost."""
    try:
        result = await asyncio.to_thread(work)
    except SparingError as error:
        return Result(failure=error.what, detail=error.repair).dump()
    return result.dump()


def _happened(around: Surroundings, said: dict[str, Any], done: tuple[Result, ...]) -> Happened:
    """Jobs that were done before the others were interrupted count with those that followed."""
    came = tuple(Result.load(item) for item in said["results"])
    results = (*done, *came) if came else ()
    with around.database.read() as connection:
        rows = [verdicts.get(connection, r.dispatch) for r in results if r.dispatch]
    answer = said["answer"]
    return Happened(
        results,
        tuple(row.verdict for row in rows if row is not None),
        Outcome(Kind(answer), reason=said["reason"]) if answer else None,
        said["feedback"],
    )


def _rules(around: Surroundings, row: FeatureRow) -> Rules:
    settings = around.settings(row)
    own = [stage.name for stage in FLOWS[row.feature.flow].stages if stage.gate]
    return Rules(settings.review.cap, settings.flow.stops(own), around.headless)


def _kind(state: State) -> str:
    """What a gate is called: where the feature stands, or what stands in its way."""
    stopped = state.position is Position.STUCK and state.cause in (Cause.BUDGET, Cause.LOOP)
    return state.cause.value if stopped else state.position.value


def _status(position: Position) -> Status:
    match position:
        case Position.DONE:
            return Status.COMPLETED
        case Position.ABANDONED:
            return Status.ABANDONED
        case _:
            return Status.ACTIVE


def _tell_stage(tx: Any, row: FeatureRow, before: Place, found: Next, now: float) -> None:
    """A stage begins."""
    after = found.place
    name = after.state.stage
    began = after.marks.get(name)
    if found.do is not Do.RUN or began is None or began == before.marks.get(name):
        return
    if began.completed is None and began.iterations == 0:
        key = f"{row.feature.key}.{after.moves}.stage"
        events.add(tx, events.Event(key, row.feature.key, now, "stage", name))


def _ended(leg: str, row: FeatureRow, place: Place, at: float) -> events.Event:
    state = place.state
    return events.Event(
        f"{leg}.settled", row.feature.key, at, state.position.value, state.stage, "", state.reason
    )
