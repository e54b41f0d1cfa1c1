"""The first job of a leg: the worktree is created or found, reset if its stage runs again, and gets
the documents that the feature starts with. Records what was red before any work.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sparing.branch_event import RewoundEvent
from sparing.clients.check_resources import lent_to_checks
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature
from sparing.errors import RepositoryError
from sparing.event import LentEvent, RunEvent, WarningEvent
from sparing.implement.checks import Extra, run_checks, tell_checks
from sparing.job import Job, JobResult, Ticket
from sparing.provision.worktree_setup import outfit
from sparing.records.features import FeatureRow
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.failures import telling_lines
from sparing.workspace.checks.needs import advice, needs_of
from sparing.workspace.checks.run import CheckResult
from sparing.workspace.git.commit import changed_outside
from sparing.workspace.git.objects import keep, move_ref
from sparing.workspace.git.worktree import Worktree, restore
from sparing.workspace.project.leaks import refuse_secrets, set_aside
from sparing.workspace.project.paths import Confined

REASON = 100
"""Most characters of a line that says why a check fails."""
NOT_AGREED = (
    "checks are not given what workspace.services and workspace.lend_env name: nobody has agreed to"
    " it yet (sparing init)"
)


def open_worktree(source: Source, ticket: Ticket) -> JobResult:
    """Create or find the worktree; the first time, run the checks to see what is already red."""
    around, row, job = source.around, source.row, source.job
    # A leg that was begun anew goes on from what the old one had already committed.
    worktree = around.worktree(row, job.head)
    rewind_branch(around, worktree, job, ticket)
    tip = commit_start_documents(source, worktree, ticket)
    outfit(around, row, worktree, ticket, job)
    if job.baseline or _has_work(around, row, tip):
        return JobResult(commit=tip)
    results = run_checks(around, row, tip, whole=True)
    tell_needs(source, ticket, results)
    known = Baseline.of(results)
    red = "; ".join(_red_words(one) for one in results if not one.passed)
    if red:
        text = f"these checks fail before the feature begins, so they won't block it: {red}"
        with around.database.write() as tx:
            tell(tx, ticket, job, WarningEvent(), text=text)
            tell_checks(tx, ticket, source, results, Extra())
    return JobResult(commit=tip, baseline=around.folder.keep(json.dumps(known.dump())))


def _has_work(around: Surroundings, row: FeatureRow, tip: str) -> bool:
    """Whether the branch changes more than the feature's own folder: after a failed set-up it
    holds a record, and what is red then was so before."""
    folder, base = around.feature_folder(row), row.feature.base_commit
    return bool(changed_outside(around.repository, base, tip, folder))


def _red_words(result: CheckResult) -> str:
    """The check's name, and why it fails: its tests, or else the line that says most."""
    many = len(result.failures)
    if many:
        rest = f" and {many - 1} more" if many > 1 else ""
        return f"{result.name} ({result.failures[0]}{rest})"
    why = next(iter(telling_lines(result.output, 1)), result.summary)
    short = why if len(why) <= REASON else f"{why[: REASON - 1]}…"
    return f"{result.name} ({short})" if why else result.name


def tell_needs(source: Source, ticket: Ticket, results: Sequence[CheckResult]) -> None:
    """Record which checks were red from the start because the sandbox withholds something, and
    what checks are given."""
    around, row = source.around, source.row
    lent = lent_to_checks(around.settings(row).workspace, around.folder.path)
    told: list[tuple[RunEvent, str]] = []
    if lent.words:
        told.append((LentEvent(lent.services, tuple(lent.variables)), lent.words))
    if lent.refused:
        told.append((WarningEvent(), NOT_AGREED))
    for one in results:
        needs = () if one.passed else needs_of(_printed(around, one))
        if needs:
            words = "; ".join(need.words for need in needs)
            fix = f" (give it: {advice(needs)})" if advice(needs) else ""
            text = f"{one.name} fails before the feature begins because it needs {words}{fix}"
            told.append((WarningEvent(), text))
    with around.database.write() as tx:
        for number, (what, text) in enumerate(told):
            tell(tx, ticket, source.job, what, text=text, name=f"needs.{number}")


def _printed(around: Surroundings, result: CheckResult) -> str:
    """A check's whole output, as stored, with its summary."""
    kept = around.folder.fetch(Path(result.whole).name) if result.whole else ""
    return f"{kept}\n{result.summary}\n{result.output}"


def commit_start_documents(source: Source, worktree: Worktree, ticket: Ticket) -> str:
    """The branch's tip with them; a repeated step finds the commit it made."""
    around, row, job = source.around, source.row, source.job
    tip, base = worktree.tip(), row.feature.base_commit
    if not job.given or tip != base:
        return tip
    files, folder = Confined(worktree.path), around.feature_folder(row)
    paths = [f"{folder}/{name}" for name, _ in job.given]
    for path, (_, digest) in zip(paths, job.given, strict=True):
        files.write_text(path, around.folder.fetch(digest))
    refuse_secrets(worktree, base, paths, around.folder.redactor.known)
    names = " and ".join(name for name, _ in job.given)
    why = Purpose("docs", f"add {names} as given")
    return commit_feature(source, ticket, worktree, paths, why, base).commit


def rewind_branch(around: Surroundings, worktree: Worktree, job: Job, ticket: Ticket) -> None:
    """Reset the branch at the start of a new generation; does nothing for other legs."""
    if not job.rewind:
        return
    tip = worktree.tip()
    if tip == job.head:  # it was done before, or there was nothing to take back
        _restore(around, worktree, job.head, _files(job))
        return
    _restore(around, worktree, tip, _files(job))
    kept = keep(around.repository.git(), job.rewind, tip)
    _move(around, worktree, job.head, tip)
    with around.database.write() as tx:
        text = f"the branch was reset to {job.head[:10]}; later commits are kept as {kept}"
        tell(tx, ticket, job, RewoundEvent(kept, tip, job.head), text=text)
    _restore(around, worktree, job.head, "")


def _files(job: Job) -> str:
    """Name under which uncommitted work is kept."""
    return f"{job.rewind}-files"


def _restore(around: Surroundings, worktree: Worktree, commit: str, salvage: str) -> None:
    known = around.folder.redactor.known

    def withhold(paths: tuple[str, ...]) -> bool:
        return bool(set_aside(worktree, commit, paths, known))

    restore(worktree, commit, salvage, withhold if salvage else None)


def _move(around: Surroundings, worktree: Worktree, head: str, tip: str) -> None:
    if move_ref(around.repository.git(), worktree.ref, head, tip) != head:
        raise RepositoryError(
            f"the branch {worktree.branch} moved while it was being reset",
            "check it with git log, then: sparing resume",
        )
