"""Handing over a finished feature: merged, as a pull request, or as commands to type.

The setting is the person's consent, and it is for the commit that the last gate showed: exactly
that one is merged or pushed, and nothing is committed to the branch here. What could not be done
is said and tried again on the next run; nothing is forced. A worktree whose work has arrived is
removed.
"""

from __future__ import annotations

from typing import assert_never

from sparing.config.process_environment import network_environment
from sparing.config.settings import HandOver
from sparing.event import HandoverEvent
from sparing.finish.handover_text import Body, body_of
from sparing.job import Job, JobResult, Ticket
from sparing.records.features import FeatureRow
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.merge_into_base import Handover, Merge, hand_over, name_commands
from sparing.workspace.git.push import PullRequest, open_request
from sparing.workspace.git.repository import branch_commit, contains
from sparing.workspace.git.retire import retire
from sparing.workspace.git.worktree import Worktree, ensure_worktree

MOST_NAMED = 3


def hand_over_branch(source: Source, ticket: Ticket) -> JobResult:
    around, row, job = source.around, source.row, source.job
    if changed := _changed(around, row, job):
        return changed
    how = around.settings(row).workspace.hand_over
    body = body_of(around, row, job)
    done = _handed(around, row, job.head, body, ticket.at)
    note = done.note
    if done.merged:
        feature = row.feature
        path = around.folder.worktree(feature.name)
        worktree = Worktree(around.repository, path, feature.branch)
        left = retire(worktree, done.commit, around.folder.redactor.known)
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
    return JobResult(commit=job.head, failure="not handed over", detail=note)


def _changed(around: Surroundings, row: FeatureRow, job: Job) -> JobResult | None:
    """Whoever has put something on the branch is asked about it: nobody has approved it."""
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
    why = f"{branch} was changed after {job.head[:10]} was to be handed over{named}"
    return JobResult(commit=tip, passed=False, detail=why)


def _handed(around: Surroundings, row: FeatureRow, last: str, body: Body, at: float) -> Handover:
    feature, how = row.feature, around.settings(row).workspace.hand_over
    where = (around.repository, feature.base_branch, feature.branch)
    subject = f"Merge {feature.branch}: {' '.join(feature.title.split())}"
    match how:
        case HandOver.PRINT:
            return name_commands(*where, subject)
        case HandOver.MERGE:
            words = f"{subject}\n\n{body.text}"
            merge = Merge(feature.base_branch, feature.branch, last)
            return hand_over(around.repository, merge, True, words, feature.name, at)
        case HandOver.PULL_REQUEST:
            return _requested(around, row, last, body)
        case _:
            assert_never(how)


def _requested(around: Surroundings, row: FeatureRow, last: str, body: Body) -> Handover:
    """A branch that is pushed has been handed over, with or without `gh`."""
    feature = row.feature
    request = PullRequest(feature.base_branch, feature.branch, last, feature.title, body.whole)
    opened = open_request(around.repository, request, network_environment())
    note, commands = opened.note, opened.commands
    return Handover(False, last, note, commands, opened.url, opened.pushed)
