"""The revision in which this program records work, and what happens to work of another one.

Names of workflows and steps, their JSON and the order of steps are stored data: a leg in progress
is replayed from them. One that was recorded under another revision is never replayed; it is
cancelled, and a new generation of the leg continues from its last decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from dbos import DBOS

from sparing import codec
from sparing.codec import JsonObject
from sparing.engine.decision import Decision, LegStart
from sparing.engine.steps.program import settle
from sparing.engine.unfinished_leg import AskedJob, LastDecision
from sparing.event import WarningEvent
from sparing.flow.state import Do, Position
from sparing.job import JobResult
from sparing.records import events, features, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.runtime.place_store import load_place
from sparing.runtime.surroundings import Surroundings
from sparing.stages.jobs import jobs_of

REVISION = 6
"""Raised whenever a name, the JSON or the order of recorded steps changes."""
VERSION = f"sparing-r{REVISION}"
UNDER_WAY = ["PENDING", "ENQUEUED", "DELAYED"]
AT_WORK = (Position.TODO, Position.HANDOVER)


async def cancel_others() -> list[str]:
    """Cancel unfinished workflows of another revision; returns their ids."""
    found = await DBOS.list_workflows_async(status=UNDER_WAY, load_input=False, load_output=False)
    others = [one.workflow_id for one in found if one.app_version != VERSION]
    if others:
        await DBOS.cancel_workflows_async(others)
    return others


async def cancel_leg(row: FeatureRow) -> None:
    """Cancel a leg with its jobs, in case its previous worker still runs them."""
    found = await DBOS.list_workflows_async(
        status=UNDER_WAY, workflow_id_prefix=row.leg_id, load_input=False, load_output=False
    )
    ids = [one.workflow_id for one in found if f"{one.workflow_id}.".startswith(f"{row.leg_id}.")]
    if ids:
        await DBOS.cancel_workflows_async(ids)


async def is_other(leg: str) -> bool:
    """Whether a leg was cancelled for its revision before, by a process that died then."""
    found = await DBOS.list_workflows_async(
        workflow_ids=[leg], status="CANCELLED", load_input=False, load_output=False
    )
    return any(one.app_version != VERSION for one in found)


async def begin_anew(around: Surroundings, row: FeatureRow, at: float, told: str = "") -> None:
    """Another generation of a leg that can't be replayed, from its last decision."""
    decided = await _last_decision(around, row)
    place = load_place(around.folder, row.place)
    if decided is not None and place.state.position not in AT_WORK:
        # It was decided that the leg ends, and all that was missing is to say so.
        leg = LegStart(
            feature=row.feature.key,
            generation=row.generation,
            leg=row.leg,
            id=row.leg_id,
            place=row.place,
        )
        at_end = around.now(row, place.moves)
        ended = Decision(do=Do.WAIT, place=row.place, jobs=(), names=(), tickets=(), at=at_end)
        await settle(leg, ended)
        _tell(around, row, at, told)
        return
    asked = codec.dump(decided) if decided is not None else None
    new = f"{row.feature.key}.g{row.generation + 1}.{row.leg}"
    with around.database.write() as tx:
        features.next_generation(tx, row, at, asked)
        mailbox.forward(tx, row.leg_id, new)
    _tell(around, row, at, told)


async def _last_decision(around: Surroundings, row: FeatureRow) -> LastDecision | None:
    """With the results of its jobs; None if the leg has decided nothing yet."""
    decided = codec.load(LastDecision, row.asked) if row.asked else await _counted(around, row)
    if decided is None:
        return None
    found = await _results([job.workflow for job in decided.jobs])
    results = {job.ticket: found[job.workflow] for job in decided.jobs if job.workflow in found}
    return LastDecision(decided.jobs, decided.at, {**decided.results, **results})


async def _counted(around: Surroundings, row: FeatureRow) -> LastDecision | None:
    """The last decision of a leg from before these kept their jobs; each counts one move."""
    place = load_place(around.folder, row.place)
    begun = await DBOS.list_workflows_async(workflow_ids=[row.leg_id], load_output=False)
    start = _start(begun[0].input) if begun else None
    number = 0 if start is None else place.moves - int(start["place"].get("moves", 0))
    if number < 1:
        return None
    names = [
        (job.name, f"{row.leg_id}.{number}.{n}-{job.name}") for n, job in enumerate(jobs_of(place))
    ]
    return LastDecision(tuple(AskedJob(name, id_, id_) for name, id_ in names), row.updated)


def _start(given: Any) -> JsonObject | None:
    """What a leg was started with; a row that can't be read tells nothing."""
    try:
        found = given["args"][0]
        return cast("JsonObject", found) if found["place"] else None
    except (TypeError, KeyError, IndexError):
        return None


async def _results(workflows: Sequence[str]) -> dict[str, JobResult]:
    """Results of the workflows that finished, as far as their form can still be read."""
    if not workflows:
        return {}
    found = await DBOS.list_workflows_async(
        workflow_ids=list(workflows), status="SUCCESS", load_input=False
    )
    results: dict[str, JobResult] = {}
    for one in found:
        try:
            results[one.workflow_id] = codec.load(JobResult, one.output)
        except (TypeError, KeyError, ValueError, AttributeError):
            continue  # asked for again: what it made is found by its ticket
    return results


def _tell(around: Surroundings, row: FeatureRow, at: float, text: str) -> None:
    if not text:
        return
    key, stage = row.feature.key, str(row.place["state"]["stage"])
    with around.database.write() as tx:
        name = f"{row.leg_id}.anew"
        told = Event.of(WarningEvent(), key=name, feature=key, at=at, stage=stage, text=text)
        events.add(tx, told)
