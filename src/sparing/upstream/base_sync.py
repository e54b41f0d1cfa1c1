"""Bringing a base branch that moved into a feature: merged, checked, then put on its branch.

Repeated after a crash, it makes the same commits and finds the branch already moved. The feature's
branch moves once, when nothing conflicts and the checks pass as well as those of the base itself;
until then all of it is in commits that are on no branch of the feature.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

from sparing.approval.moved_base import mark_approvals
from sparing.approval.sections import Library
from sparing.branch_event import SyncEvent
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import stamp_of
from sparing.errors import RepositoryError
from sparing.implement.checks import changes_to_approve, run_checks
from sparing.implement.facts import Checked
from sparing.implement.waves import remove_lanes
from sparing.implement.weakened_tests import guard_changes
from sparing.job import JobResult, Ticket
from sparing.provision.worktree_setup import outfit
from sparing.records import features
from sparing.runtime.containment import remove_leftovers
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.upstream.conflicts import conflict_rows, unsettled
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.merge_trees import merge_trees, rebased
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import CommitStamp, keep, make_commit, move_ref
from sparing.workspace.git.parallel_worktrees import move_on, show
from sparing.workspace.git.repository import branch_commit, contains
from sparing.workspace.git.worktree import Worktree

MOST_NAMED = 5


class MergedBase(NamedTuple):
    commit: str
    """The commit that would go on the branch, or that an agent works on."""
    conflicts: tuple[str, ...] = ()
    rebased: bool = False


def bring_base(source: Source, ticket: Ticket) -> JobResult:
    around, job, sync = source.around, source.job, source.job.sync
    merged = _merged(source, ticket)
    if merged.conflicts:
        sides, repo = (job.head, sync.target), around.repository
        rows = conflict_rows(repo, merged.commit, sides, merged.conflicts)
        return _unfit(source, merged.commit, rows, f"conflicts in {_names(merged.conflicts)}")
    moved = _moved_source(source, merged.commit)
    # Killed after the branch had moved: a rebased one does not contain what it stood at before.
    arrived = branch_commit(around.repository, source.row.feature.branch) == merged.commit
    worktree = around.worktree(source.row, merged.commit if arrived else job.head)
    if not arrived:
        remove_leftovers(source, worktree, f"{ticket.id}.left")
        show(worktree, merged.commit)
    outfit(around, moved.row, worktree, ticket, job)
    known = Baseline.of(run_checks(around, moved.row, job.head, (), sync.target))
    checked = Checked(run_checks(around, moved.row, job.head, (), merged.commit), known)
    if checked.red and not arrived:
        show(worktree, job.head)
        rows = [[one.name, one.command, one.output] for one in checked.red]
        names = _names(tuple(one.name for one in checked.red))
        return _unfit(source, merged.commit, rows, f"checks are red: {names}")
    return _arrive(source, ticket, worktree, merged, checked)


def _merged(source: Source, ticket: Ticket) -> MergedBase:
    """The merge, with an agent's resolution of conflicts if one was asked."""
    job, sync, repo = source.job, source.job.sync, source.around.repository
    stamp = _stamp(source, ticket)
    if sync.tries:
        asked = merge_trees(repo, job.head, sync.target).conflicts
        if left := unsettled(repo, sync.merged, asked):
            return MergedBase(sync.merged, left)
        tree = object_id(repo.git(), f"{sync.merged}^{{tree}}")
        return MergedBase(make_commit(repo.git(), tree, (job.head, sync.target), stamp))
    if sync.rebase:
        found = rebased(repo, sync.target, job.head, stamp.signer)
        if not found.conflicts:
            return MergedBase(found.commit, rebased=True)
    if contains(repo, sync.target, job.head):
        return MergedBase(sync.target)
    tree, conflicts = merge_trees(repo, job.head, sync.target)
    return MergedBase(make_commit(repo.git(), tree, (job.head, sync.target), stamp), conflicts)


def _stamp(source: Source, ticket: Ticket) -> CommitStamp:
    branch = source.row.feature.base_branch
    why = Purpose("chore", f"merge {branch} ({source.job.sync.target[:10]})")
    # One step however often it is looked at: the same tree makes the same commit.
    return stamp_of(source, why, f"sync/{source.job.sync.target}", ticket.at)


def _unfit(source: Source, commit: str, rows: list[list[str]], words: str) -> JobResult:
    said = source.around.folder.keep_json(rows)
    return JobResult(passed=False, merged=commit, reply=said, detail=words)


def _moved_source(source: Source, head: str) -> Source:
    """The job as it will be with the new base, which everything is then compared with."""
    feature = replace(source.row.feature, base_commit=source.job.sync.target)
    row = replace(source.row, feature=feature)
    return Source(source.around, row, replace(source.job, head=head), None)


def _arrive(
    source: Source, ticket: Ticket, worktree: Worktree, merged: MergedBase, checked: Checked
) -> JobResult:
    around, job, sync = source.around, source.job, source.job.sync
    moved = _moved_source(source, merged.commit)
    asks = (*changes_to_approve(moved, checked), *guard_changes(moved, checked))
    asks = asks if sync.tries else ()
    if merged.rebased and not contains(around.repository, merged.commit, job.head):
        _replace_branch(source, worktree, merged.commit)
    else:
        move_on(worktree, job.head, merged.commit)
    words = _told(source, merged, checked, tuple(one.words for one in asks))
    old = source.row.feature.base_commit
    files = [one.path for one in changed_files(around.repository, old, sync.target)]
    library = Library(around.repository, source.folder)
    with around.database.write() as tx:
        marked = mark_approvals(tx, library, source.row, merged.commit, sync.target, files)
        words = f"{words}; approved before that: {_names(marked)}" if marked else words
        features.set_base(tx, source.row.feature.key, sync.target)
        told = SyncEvent(old, sync.target, merged.commit, sync.tries, merged.rebased)
        tell(tx, ticket, job, told, text=words)
    remove_lanes(source, sync.merged or merged.commit)
    baseline = around.folder.keep(json.dumps((checked.known or Baseline()).dump()))
    return JobResult(
        commit=merged.commit, baseline=baseline, detail=words, changed=bool(checked.results),
        asks=tuple((one.words, one.key) for one in asks),
    )  # fmt: skip


def _replace_branch(source: Source, worktree: Worktree, commit: str) -> None:
    """Move the branch; the commits that were rewritten stay under a ref of ours."""
    git, head = source.around.repository.git(), source.job.head
    keep(git, f"{worktree.branch}-before-{source.job.sync.target[:10]}", head)
    if move_ref(git, worktree.ref, commit, head) != commit:
        show(worktree, head)  # else the next sync would take the rebased files for unsaved work
        raise RepositoryError(
            f"the branch {worktree.branch} moved while its base was brought in",
            f"see where it stands: git log {worktree.branch}; then: sparing sync"
            f" {source.row.feature.id}",
        )
    move_on(worktree, commit, commit)


def _told(source: Source, merged: MergedBase, checked: Checked, asks: tuple[str, ...]) -> str:
    sync, feature = source.job.sync, source.row.feature
    how = "rebased onto" if merged.rebased else "merged with"
    turns = f", settled in {_counted(sync.tries, 'turn')} of an agent" if sync.tries else ""
    old = sum(not one.passed for one in checked.results)
    green = (
        f"{_counted(len(checked.results) - old, 'check')} green"
        if checked.results
        else "no checks found"
    )
    before = f", {old} red as in {feature.base_branch}" if old else ""
    changed = f"; see how the checks changed: {'; '.join(asks)}" if asks else ""
    there = f"{feature.base_branch} at {sync.target[:10]}"
    return f"{how} {there}{turns}: {green}{before}{changed}"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
