"""The end of a wave: its tasks' results are merged into the feature's branch.

Merged one after the other, in the order of the document. A task whose result is not confirmed,
whose files conflict, or that turns the checks red beside the others is left out: it runs again on
the merged code. The lanes are removed; nothing that was made in them is lost.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import stamp_of
from sparing.event import WarningEvent
from sparing.implement.evidence import evidence_of, with_checks
from sparing.job import JobResult, Ticket
from sparing.runtime.containment import Withholding, remove_leftovers
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.task_progress import TaskResult
from sparing.workspace.git.parallel_worktrees import (
    CommitStamp,
    join,
    lane_branch,
    lane_name,
    lanes_of,
    move_on,
    remove_lane,
    show,
)
from sparing.workspace.git.repository import contains
from sparing.workspace.git.worktree import Worktree

Left = tuple[tuple[str, str], ...]
AGAIN = "it was done in parallel with other tasks and did not fit the result"


class _Chain(NamedTuple):
    commit: str
    left: Left = ()


def join_wave(source: Source, ticket: Ticket) -> JobResult:
    worktree = source.around.worktree(source.row, source.job.head)
    head, tip = source.job.head, worktree.tip()
    found = _again(source, tip) if tip != head else _merged(source, ticket, worktree)
    left = [
        f"task {one} runs again, after the others of its wave: {why}" for one, why in found.left
    ]
    warn_all(source, ticket, [*left, *remove_lanes(source, found.commit)])
    keep = source.around.folder.keep_json
    told = ((number, keep([["task", "", f"{AGAIN}: {why}"]])) for number, why in found.left)
    return JobResult(commit=found.commit, left=tuple(told))


def _again(source: Source, tip: str) -> _Chain:
    """Played again after the branch has moved: what is in it was merged."""
    repository, parts = source.around.repository, source.job.building.parts
    out = [one.number for one in parts if not contains(repository, tip, one.commit)]
    return _Chain(tip, tuple((number, "it did not fit") for number in out))


def _merged(source: Source, ticket: Ticket, worktree: Worktree) -> _Chain:
    building, head = source.job.building, source.job.head
    remove_leftovers(source, worktree, f"{ticket.id}.left")
    doubts = [(one, evidence_of(source, one, building.since).doubt) for one in building.parts]
    good = [part for part, doubt in doubts if not doubt]
    left = tuple((part.number, doubt) for part, doubt in doubts if doubt)
    found = _chain(source, ticket, good)
    show(worktree, found.commit)
    if found.commit != head and with_checks(source, commit=found.commit).red:
        found = _one_by_one(source, ticket, worktree, good)
    move_on(worktree, head, found.commit)
    return _Chain(found.commit, (*left, *found.left))


def _chain(source: Source, ticket: Ticket, parts: list[TaskResult]) -> _Chain:
    """Merge all that can be merged, without running the checks."""
    commit, left = source.job.head, list[tuple[str, str]]()
    for part in parts:
        joined = join(source.around.repository, commit, part.commit, _stamp(source, ticket, part))
        commit = joined.commit
        if joined.conflicts:
            left.append((part.number, f"it conflicts in {', '.join(joined.conflicts)}"))
    return _Chain(commit, tuple(left))


def _one_by_one(
    source: Source, ticket: Ticket, worktree: Worktree, parts: list[TaskResult]
) -> _Chain:
    """Merge with checks after each: a task that turns them red beside the others is left out."""
    commit, left = source.job.head, list[tuple[str, str]]()
    for part in parts:
        joined = join(source.around.repository, commit, part.commit, _stamp(source, ticket, part))
        show(worktree, joined.commit)
        if joined.conflicts:
            left.append((part.number, f"it conflicts in {', '.join(joined.conflicts)}"))
        elif with_checks(source, commit=joined.commit).red:
            left.append((part.number, "together with the others it turns the checks red"))
        else:
            commit = joined.commit
    return _Chain(commit, tuple(left))


def _stamp(source: Source, ticket: Ticket, part: TaskResult) -> CommitStamp:
    why = Purpose("chore", f"merge task {part.number}")
    return stamp_of(source, why, f"{ticket.step}/{part.number}", ticket.at)


def remove_lanes(source: Source, home: str) -> list[str]:
    """Remove this feature's lanes, also of an abandoned wave; says which have to stay, and why."""
    around, name, stay = source.around, source.row.feature.name, list[str]()
    for lane in lanes_of(around.repository, name):
        path = around.folder.worktree(lane_name(name, lane))
        worktree = Worktree(around.repository, path, lane_branch(name, lane))
        known = around.folder.redactor.known
        stay.append(remove_lane(worktree, home, Withholding(source, worktree), known))
        around.forget(source.row, lane)
        for lock in around.folder.locks.glob(f"{path.name}.*"):
            lock.unlink(missing_ok=True)
    return [reason for reason in stay if reason]


def warn_all(source: Source, ticket: Ticket, texts: list[str]) -> None:
    with source.around.database.write() as tx:
        for number, text in enumerate(texts):
            tell(tx, ticket, source.job, WarningEvent(), text=text, name=f"warning.{number}")
