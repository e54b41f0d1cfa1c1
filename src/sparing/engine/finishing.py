"""The end of a feature: what its tasks still lack, and its last commit.

The last commit says that the feature is completed, and no longer has the logs that a retrospective
has read. They stay in the branch's history; nothing is ever rewritten.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

from sparing.artifact import ArtifactName
from sparing.config.flow import Logs
from sparing.context.tasks import parse_tasks
from sparing.engine.agent_steps import row_of
from sparing.engine.building import Building
from sparing.engine.crash import step
from sparing.engine.histories import NAME as HISTORY
from sparing.engine.jobs import Job, Result
from sparing.engine.meta import write_meta
from sparing.engine.place import Place
from sparing.engine.resume_trust import deferred_of
from sparing.engine.retro import LOG
from sparing.engine.source import Source
from sparing.engine.surroundings import Surroundings, current
from sparing.errors import SparingError
from sparing.records.features import FeatureRow
from sparing.task import Task
from sparing.workspace.commit import commit_paths
from sparing.workspace.paths import Confined

COMPLETED = "completed"
"""The id of the step that makes the last commit: one a feature, however often it is tried."""
TITLE_CHARS = 60
_BOX = re.compile(r"(?m)^[ \t]{0,12}[-*+] \[([ xX])\] ")


@step("survey")
async def survey(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """See which tasks are not finished."""
    around, work = current(), Job.load(job)
    source = Source(around, row_of(around, ticket["feature"]), work, None)
    assert work.place is not None
    place = Place.load(work.place)
    try:
        found = await asyncio.to_thread(unfinished, source, place)
    except SparingError as error:
        return Result(failure=error.what, detail=error.repair).dump()
    return Result(unfinished=found).dump()


def unfinished(source: Source, place: Place) -> tuple[str, ...]:
    """Tasks that a person left out, that wait for one of those, or that nobody has done."""
    building, text = place.building, source.text(source.path(ArtifactName.TASKS))
    titles = dict(place.tasks)
    skipped = dict(building.skipped)
    named = [f"{_name(one, titles)} was left out ({why})" for one, why in skipped.items()]
    named += [f"{_name(one, titles)} waits for one left out" for one in building.blocked]
    seen = {*_done(place, building), *building.left_out}
    return (*named, *_open(text or "", seen))


def _open(text: str, seen: set[str]) -> Iterator[str]:
    """Of tasks that this program has not carried out, their own boxes tell."""
    try:
        tasks = parse_tasks(text) if text.strip() else ()
    except SparingError:  # a document without tasks has none that could be open
        tasks = ()
    for task in tasks:
        if task.number not in seen and (why := _lacks(task)):
            yield f"{_name(task.number, {task.number: task.title})} {why}"


def _lacks(task: Task) -> str:
    boxes = _BOX.findall(task.body)
    still = boxes.count(" ")
    if boxes:
        return f"has {still} of {len(boxes)} boxes open" if still else ""
    return "was not begun"


def _done(place: Place, building: Building) -> tuple[str, ...]:
    """Of a row from before tasks were followed: as far as it came."""
    if building.waves:
        return building.done
    return tuple(number for number, _ in place.tasks[: place.task])


def _name(number: str, titles: dict[str, str]) -> str:
    title = titles.get(number, "")[:TITLE_CHARS]
    return f"task {number}, {title}," if title else f"task {number}"


def complete(around: Surroundings, row: FeatureRow, job: Job, at: float) -> str:
    """Make the last commit, or find it; says which it is."""
    assert job.place is not None
    place = Place.load(job.place)
    worktree, folder = around.worktree(row, job.head), around.feature_folder(row)
    paths = [write_meta(worktree.path, folder, row, place, deferred_of(around, row))]
    if place.ending.logs and around.settings(row).flow.logs is Logs.REMOVE:
        confined = Confined(worktree.path)
        for path in (f"{folder}/{HISTORY}", f"{folder}/{LOG}"):
            if confined.exists(path):
                confined.remove(path)
            paths.append(path)
    change = commit_paths(
        worktree, job.head, paths, f"sparing: {COMPLETED}", row.feature.name, COMPLETED, at
    )
    return change.commit
