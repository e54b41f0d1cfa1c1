"""The end of a feature: which tasks are unfinished, and what the last commit removes.

The last commit is the one that closes the last stage. It says that the feature is completed, and no
longer has the logs that a retrospective has read; they stay in the branch's history. A person who
does not approve it takes both back by a commit; nothing is ever rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sparing.artifact import ArtifactName
from sparing.briefing.retro import LOG
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import stamp_of
from sparing.commits.meta_json import write_meta
from sparing.commits.review_history import NAME as HISTORY
from sparing.config.flow import Logs
from sparing.context.documents.tasks import parse_tasks
from sparing.errors import SparingError
from sparing.job import JobResult, Ticket
from sparing.records.features import FeatureRow
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.stages.place import Place
from sparing.task import Task
from sparing.task_progress import TaskProgress
from sparing.turn_event import CommitEvent
from sparing.workspace.git.commit import commit_paths, read_file
from sparing.workspace.project.paths import Confined

TITLE_CHARS = 60
_BOX = re.compile(r"(?m)^[ \t]{0,12}[-*+] \[([ xX])\] ")


def survey(source: Source, _ticket: Ticket) -> JobResult:
    """See which tasks are not finished."""
    assert source.job.place is not None
    return JobResult(unfinished=unfinished_tasks(source, Place.load(source.job.place)))


def unfinished_tasks(source: Source, place: Place) -> tuple[str, ...]:
    """Tasks that a person left out, that depend on one of those, or that were not done."""
    building, text = place.building, source.text(source.path(ArtifactName.TASKS))
    titles = dict(place.tasks)
    skipped = dict(building.skipped)
    named = [f"{_name(one, titles)} was left out ({why})" for one, why in skipped.items()]
    named += [f"{_name(one, titles)} waits for one that was left out" for one in building.blocked]
    seen = {*_done(place, building), *building.left_out}
    return (*named, *_open(text or "", seen))


def _open(text: str, seen: set[str]) -> Iterator[str]:
    """Tasks that this program has not carried out and whose own checkboxes are open."""
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


def _done(place: Place, building: TaskProgress) -> tuple[str, ...]:
    """Finished tasks; for a row from before they were tracked, those before the current one."""
    if building.waves:
        return building.done
    return tuple(number for number, _ in place.tasks[: place.task])


def _name(number: str, titles: dict[str, str]) -> str:
    title = titles.get(number, "")[:TITLE_CHARS]
    return f"task {number}, {title}," if title else f"task {number}"


def remove_logs(around: Surroundings, row: FeatureRow, place: Place, root: Path) -> list[str]:
    """Take the logs out of the worktree of a feature that ends, if a retrospective has read them;
    says which paths that concerns."""
    if not place.ending.logs or around.settings(row).flow.logs is not Logs.REMOVE:
        return []
    paths, confined = _logs(around, row), Confined(root)
    for path in paths:
        if confined.exists(path):
            confined.remove(path)
    return paths


def reopen(source: Source, ticket: Ticket) -> JobResult:
    """Commit that the feature is active again: what its last gate showed was not approved."""
    around, row, job = source.around, source.row, source.job
    assert job.place is not None
    place = Place.load(job.place)
    worktree = around.worktree(row, job.head)
    folder = around.feature_folder(row)
    meta = write_meta(worktree, folder, row, place, around.deferred(row))
    logs = _put_back(around, row, place, worktree.path)
    stamp = stamp_of(source, Purpose("chore", "reopen the feature"), ticket.step, ticket.at)
    change = commit_paths(worktree, job.head, [meta, *logs], stamp)
    with around.database.write() as tx:
        tell(tx, ticket, job, CommitEvent(change.commit), text=stamp.subject)
    return JobResult(commit=change.commit)


def _put_back(around: Surroundings, row: FeatureRow, place: Place, root: Path) -> list[str]:
    """The logs as the retrospective has read them, where they are missing."""
    if not place.ending.logs:
        return []
    confined, back = Confined(root), list[str]()
    for path in _logs(around, row):
        content = read_file(around.repository, place.ending.logs, path)
        if content is not None and not confined.exists(path):
            confined.write_bytes(path, content)
            back.append(path)
    return back


def _logs(around: Surroundings, row: FeatureRow) -> list[str]:
    folder = around.feature_folder(row)
    return [f"{folder}/{HISTORY}", f"{folder}/{LOG}"]
