"""Handing over a finished feature: merged, as a pull request, or as commands to type.

The setting is the person's consent, and it is for the commit that the last gate showed: exactly
that one is merged or pushed, and nothing is committed to the branch here. What could not be done
is said and tried again on the next run; nothing is forced. A worktree whose work has arrived is
removed.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from sparing.change import MergeHistory
from sparing.commits.message import merge_stamp
from sparing.config.load import load
from sparing.config.process_environment import network_environment
from sparing.config.settings import HandOver, Settings
from sparing.config.sources import read_sources
from sparing.event import NOT_HANDED_OVER, HandoverEvent
from sparing.finish.handover_text import Body, body_of
from sparing.finish.pull_request import pull_request_text
from sparing.job import Job, JobResult, Ticket
from sparing.records import events
from sparing.records.features import FeatureRow
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.merge_into_base import (
    Handover,
    Merge,
    hand_over,
    name_commands,
    rewritten,
)
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import CommitStamp, make_commit
from sparing.workspace.git.push import PullRequest, open_request
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import branch_commit, common_ancestor, contains
from sparing.workspace.git.worktree import Worktree, ensure_worktree

MOST_NAMED = 3


def hand_over_branch(source: Source, ticket: Ticket) -> JobResult:
    around, row, job = source.around, source.row, source.job
    if changed := _changed(around, row, job):
        return changed
    # Read anew, as the last gate does: what it announced has to be what is done.
    sources = read_sources(around.sources.environ, around.repository.checkout)
    settings = load(sources, row.overrides).settings
    how = settings.workspace.hand_over
    body = body_of(around, row, job)
    stamp = merge_stamp(around.repository, settings, row.feature, ticket.at)
    done = _handed(around, row, job.head, body, stamp, settings)
    note = done.note
    if done.merged:
        feature = row.feature
        path = around.folder.worktree(feature.name)
        worktree = Worktree(around.repository, path, feature.branch)
        # A squash or a rebase has all of it in other commits; the branch itself stays.
        whole = settings.commits.history is MergeHistory.ALL
        left = retire(worktree, done.commit if whole else job.head, around.folder.redactor.known)
        note = "; ".join(filter(None, (note, left)))
    with around.database.write() as tx:
        told = HandoverEvent(
            merged=done.merged,
            commit=done.commit,
            commands=tuple(done.commands),
            url=done.url,
            body=body.whole,
        )
        tell(tx, ticket, job, told, text=note)
    if how is HandOver.PRINT or done.merged or done.pushed:
        return JobResult(commit=job.head, detail=note)
    return JobResult(commit=job.head, failure=NOT_HANDED_OVER, detail=note)


def _changed(around: Surroundings, row: FeatureRow, job: Job) -> JobResult | None:
    """A result that asks again if the branch has commits that no one has approved."""
    repo, branch = around.repository, row.feature.branch
    tip = branch_commit(repo, branch)
    if tip == job.head:
        return None
    if tip is None or not contains(repo, tip, job.head):
        # Made again if it is gone; one that was moved elsewhere is refused with its repair.
        ensure_worktree(repo, around.folder.worktree(row.feature.name), branch, job.head)
        return None
    files = [one.path for one in changed_files(repo, job.head, tip)]
    named = f" ({', '.join(files[:MOST_NAMED])})" if files else ""
    why = f"{branch} was changed after {job.head[:10]} was approved{named}"
    return JobResult(commit=tip, passed=False, detail=why)


def _handed(
    around: Surroundings, row: FeatureRow, last: str, body: Body, stamp: CommitStamp,
    settings: Settings,
) -> Handover:  # fmt: skip
    feature = row.feature
    how, history = settings.workspace.hand_over, settings.commits.history
    merge = Merge(feature.base_branch, feature.branch, last, history)
    match how:
        case HandOver.PRINT:
            return name_commands(around.repository, merge, stamp)
        case HandOver.MERGE:
            return hand_over(around.repository, merge, True, stamp, body.text)
        case HandOver.PULL_REQUEST:
            return _requested(around, row, merge, body, stamp, settings)
        case _:
            assert_never(how)


def _requested(
    around: Surroundings, row: FeatureRow, merge: Merge, body: Body, stamp: CommitStamp,
    settings: Settings,
) -> Handover:  # fmt: skip
    """Open a pull request; once pushed the branch counts as handed over, with or without `gh`."""
    feature, last = row.feature, merge.commit
    if merge.history is not MergeHistory.ALL:
        base = common_ancestor(around.repository, feature.base_commit, last)
        last = rewritten(around.repository, merge, base, stamp, body.text).commit or last
        last = _after_pushed(around, row, last, stamp)
    request = PullRequest(
        base=feature.base_branch,
        branch=feature.branch,
        commit=last,
        title=stamp.subject if merge.history is MergeHistory.SQUASH else feature.title,
        body=(text := pull_request_text(around, row, body)),
        draft=settings.commits.draft,
        body_file=_kept(around, row, text),
    )
    opened = open_request(around.repository, request, network_environment())
    note, commands = opened.note, opened.commands
    return Handover(False, last, note, commands, opened.url, opened.pushed)


def _kept(around: Surroundings, row: FeatureRow, text: str) -> Path:
    """Store the text for a person who opens the pull request by hand."""
    path = around.folder.path / "pull-requests" / f"{row.feature.name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def _after_pushed(around: Surroundings, row: FeatureRow, last: str, stamp: CommitStamp) -> str:
    """If rewritten history can't follow what is in the pull request, add its files as one more
    commit."""
    repo = around.repository
    with around.database.read() as connection:
        before = events.last_what(connection, row.feature.key, HandoverEvent) or HandoverEvent()
    if not before.url or not before.commit or contains(repo, last, before.commit):
        return last
    git = repo.git()
    tree = object_id(git, f"{last}^{{tree}}")
    if tree == object_id(git, f"{before.commit}^{{tree}}"):
        return before.commit
    more = stamp._replace(subject=f"{stamp.subject}: changes after review")
    return make_commit(git, tree, (before.commit,), more)
