"""The first job of a leg: the worktree is made or found, and what was red before is known."""

from __future__ import annotations

import json

from sparing.implement.checks import run_checks
from sparing.job import JobResult
from sparing.runtime.initial_documents import bring_given
from sparing.runtime.rewind import take_back
from sparing.runtime.source import Source
from sparing.runtime.worktree_setup import outfit
from sparing.ticket import Ticket
from sparing.workspace.checks.baseline import Baseline


def open_worktree(source: Source, ticket: Ticket) -> JobResult:
    """Make or find the worktree; the first time, see what is red before anybody has begun."""
    around, row, job = source.around, source.row, source.job
    # A leg that was begun anew goes on from what the old one had already committed.
    worktree = around.worktree(row, job.head)
    take_back(around, worktree, job, ticket)
    tip = bring_given(around, row, worktree, job, ticket)
    outfit(around, row, worktree, ticket, job)
    if job.baseline or (tip != row.feature.base_commit and not job.given):
        return JobResult(commit=tip)
    known = Baseline.of(run_checks(around, row, tip))
    return JobResult(commit=tip, baseline=around.folder.keep(json.dumps(known.dump())))
