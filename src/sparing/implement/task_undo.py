"""Taking single tasks off a feature's branch, with commits that revert what each one changed.

Found by the trailers of its commits, latest first, and reverted by git's own merge: if later work
changed the same lines, it stays and is reported. A repetition makes the same commits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.briefing.gather import read_tasks
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature, stamp_of
from sparing.context.documents.task_report import TaskReport
from sparing.implement.log import NAME, LogEntry, with_log_entries
from sparing.implement.waves import warn_all
from sparing.job import JobResult, Ticket
from sparing.runtime.containment import remove_leftovers
from sparing.runtime.source import Source
from sparing.task import Task
from sparing.workspace.git.commit import changed_files, read_file
from sparing.workspace.git.merge_trees import merge_trees
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import identity, write_commit
from sparing.workspace.git.parallel_worktrees import as_before, move_on
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import Confined

_POSITION = re.compile(r"-task-(\d+)$")
_NOTED = re.compile(r"\btask ([\w.]+)\)$")
STAYS = (
    "Task {numbers} was taken out of this feature, but later work stands on the same lines, so its"
    " changes are still there. Take them back by hand: remove what only that task brought, and keep"
    " everything that the other tasks need."
)


class TaskCommit(NamedTuple):
    number: str
    commit: str
    parent: str


def take_back(source: Source, ticket: Ticket) -> JobResult:
    around, head, building = source.around, source.job.head, source.job.building
    worktree = around.worktree(source.row, head)
    tasks = read_tasks(source)
    commit, left = head, dict[str, str]()
    for one in task_commits(source, tasks):
        if one.number not in building.undo:
            continue
        reverted = _reverted(source, ticket, worktree, commit, one)
        if not reverted:
            left[one.number] = "others built on it"
        commit = reverted or commit
    if worktree.tip() == head:
        remove_leftovers(source, worktree, f"{ticket.id}.left")
    move_on(worktree, head, commit)
    stays = [f"what task {one} made stays in the code: {why}" for one, why in left.items()]
    warn_all(source, ticket, stays)
    logged = _logged(source, ticket, worktree, commit, tasks)
    said = STAYS.format(numbers=", ".join(left)) if left else ""
    reply = around.folder.keep(said) if said else ""
    return JobResult(commit=logged, left=tuple(left.items()), reply=reply)


def task_commits(source: Source, tasks: tuple[Task, ...]) -> Iterator[TaskCommit]:
    """The commits of each finished task, latest first."""
    repo, head = source.around.repository, source.job.head
    form = "%H%x09%P%x09%(trailers:key=Step-Id,valueonly,separator=%x2C)%x09%s"
    since = f"{source.row.feature.base_commit}..{head}"
    path = source.path(ArtifactName.TASKS)
    now = read_file(repo, head, path)
    numbers = [task.number for task in tasks]
    for line in repo.git().text("log", "--no-merges", f"--format={form}", since, "--").splitlines():
        commit, parents, step, subject = (*line.split("\t", 3), "", "", "")[:4]
        position, noted = _POSITION.search(step.strip()), _NOTED.search(subject)
        if position is None:
            continue
        # Where tasks.md was another one, places in it mean nothing: the subject has to say it.
        same = read_file(repo, commit, path) == now and int(position[1]) <= len(numbers)
        number = noted[1] if noted else numbers[int(position[1]) - 1] if same else ""
        if number:
            yield TaskCommit(number, commit, parents.split(" ")[0])


def _reverted(
    source: Source, ticket: Ticket, worktree: Worktree, onto: str, one: TaskCommit
) -> str:
    """A commit that reverts that one; empty if it conflicts outside the feature's own folder."""
    repo, git = source.around.repository, source.around.repository.git()
    here, before = (object_id(git, f"{commit}^{{tree}}") for commit in (onto, one.parent))
    # Both after the commit that is reverted: git merges them over exactly that one.
    sides = [
        write_commit(git, tree, (one.commit,), f"{side}\n", identity(0), None)
        for side, tree in (("now", here), ("before", before))
    ]
    merged = merge_trees(repo, sides[0], sides[1])
    own = f"{source.folder}/"  # records, which tell how the work went
    if any(not path.startswith(own) for path in merged.conflicts):
        return ""
    good = write_commit(git, merged.tree, (onto,), "reverted\n", identity(0), None)
    changed = (file.path for file in changed_files(repo, one.parent, one.commit))
    paths = [path for path in changed if not path.startswith(own)]
    why = Purpose("revert", f"take back task {one.number}")
    stamp = stamp_of(source, why, f"{ticket.step}/{one.commit[:10]}", ticket.at)
    return as_before(worktree, onto, good, paths, stamp)


def _logged(
    source: Source, ticket: Ticket, worktree: Worktree, commit: str, tasks: tuple[Task, ...]
) -> str:
    """Log the tasks that a person left out, and those that depend on them."""
    building, titles = source.job.building, {task.number: task.title for task in tasks}
    path = f"{source.folder}/{NAME}"
    wanted = [(number, f"left out: {why}") for number, why in building.skipped]
    wait = "not begun: it waits for a task that was left out"
    wanted += [(one, wait) for one in building.blocked]
    entries = [
        LogEntry(number, titles.get(number, ""), TaskReport(concerns=why)) for number, why in wanted
    ]
    if not entries:
        return commit
    repo = source.around.repository
    files = changed_files(repo, source.row.feature.base_commit, commit)
    own = tuple(one for one in files if not one.path.startswith(f"{source.folder}/"))
    text = (read_file(repo, commit, path) or b"").decode("utf-8", "replace")
    Confined(worktree.path).write_text(path, with_log_entries(text, entries, building, own))
    why = Purpose("docs", f"update {NAME}")
    return commit_feature(source, ticket, worktree, [path], why, commit).commit
