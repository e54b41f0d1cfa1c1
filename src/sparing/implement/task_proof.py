"""The program's own work around tasks: it checks them, writes the log, and reverts what failed.

Each may be repeated after a crash: commits have the date and message of the step, so that the same
work gives the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sparing.briefing.gather import task_of
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature, stamp_of
from sparing.context.documents.task_report import TaskReport
from sparing.event import WarningEvent
from sparing.implement.evidence import TaskEvidence, evidence_of, red_words, with_checks
from sparing.implement.facts import Checked
from sparing.implement.log import NAME, LogEntry, with_divergences, with_log_entries
from sparing.job import JobResult, Ticket
from sparing.runtime.containment import remove_leftovers
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.task_progress import TaskProgress
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.parallel_worktrees import as_before, move_on, show
from sparing.workspace.git.repository import contains
from sparing.workspace.project.paths import Confined


def look_at(source: Source, ticket: Ticket) -> JobResult:
    """Look at the task that was just dispatched; if it is done, note it."""
    building = source.job.building
    # As it stands now: a person may have changed it since the agent did.
    part = building.parts[0]._replace(commit=source.job.head)
    seen = evidence_of(source, part, building.since)
    looked = None if seen.doubt else with_checks(source, seen.task.done_when)
    why = seen.doubt or (red_words(looked) if looked else "")
    if why:
        return _doubted(source, ticket, seen, why, looked)
    if seen.report.is_empty:
        _warn(source, ticket, f"the report on task {part.number} is empty", "empty")
    commit = _log(source, ticket, source.job.head, [_entry(seen)], building.having((part.number,)))
    return JobResult(commit=commit, changed=bool(seen.files), reported=not seen.report.is_empty)


def _doubted(
    source: Source, ticket: Ticket, seen: TaskEvidence, why: str, looked: Checked | None
) -> JobResult:
    rows = [[one.name, one.command, one.output] for one in looked.red] if looked else []
    said = source.around.folder.keep_json([["task", "", why], *rows])
    _warn(source, ticket, f"task {seen.task.number} is not done yet: {why}", "doubt")
    return JobResult(passed=False, detail=why, reply=said, red=bool(rows))


def _entry(seen: TaskEvidence) -> LogEntry:
    files = tuple(one.path for one in seen.files)
    return LogEntry(seen.task.number, seen.task.title, seen.report, files)


def write_down(source: Source, ticket: Ticket) -> JobResult:
    """Write tasks of a wave into the log, or one that is left out."""
    building, head = source.job.building, source.job.head
    if building.parts:
        entries = [_entry(evidence_of(source, part, building.since)) for part in building.parts]
        return JobResult(commit=_log(source, ticket, head, entries, building))
    number, why = building.skipped[-1]
    _warn(source, ticket, f"task {number} is skipped: {why}", "skipped")
    _clear(source, ticket)
    clean = _back(source, ticket, f"revert task {number}")
    entries = [_absent(source, number, f"left out: {why}")]
    wait = f"not begun: it waits for task {number}, which was left out"
    entries += [_absent(source, one, wait) for one in building.blocked]
    return JobResult(commit=_log(source, ticket, clean, entries, building))


def _absent(source: Source, number: str, why: str) -> LogEntry:
    return LogEntry(number, task_of(source, number).title, TaskReport(concerns=why))


def weigh_help(source: Source, ticket: Ticket) -> JobResult:
    """Keep what a helper made if the checks stay green; else put it back."""
    building, head = source.job.building, source.job.head
    _clear(source, ticket)
    red = red_words(with_checks(source)) if head != building.since else ""
    if not red:
        return JobResult(commit=head)
    _warn(source, ticket, f"what {building.helper} changed is put back: {red}", "back")
    return JobResult(commit=_back(source, ticket, f"take back what {building.helper} changed"))


def _clear(source: Source, ticket: Ticket) -> None:
    """The files of the head; what an agent or a person left beside them is kept under a ref."""
    remove_leftovers(
        source, source.around.worktree(source.row, source.job.head), f"{ticket.id}.left"
    )


def _back(source: Source, ticket: Ticket, words: str) -> str:
    """All files as they were before; what was tried stays in the history."""
    since, head = source.job.building.since, source.job.head
    paths = [one.path for one in changed_files(source.around.repository, since, head)]
    new = _as_before(source, ticket, since, paths, words)
    move_on(source.around.worktree(source.row, head), head, new)
    return new


def _as_before(source: Source, ticket: Ticket, good: str, paths: list[str], words: str) -> str:
    worktree = source.around.worktree(source.row, source.job.head)
    stamp = stamp_of(source, Purpose("revert", words), f"{ticket.step}/back", ticket.at)
    return as_before(worktree, source.job.head, good, paths, stamp)


def leave_tests_out(source: Source, ticket: Ticket) -> JobResult:
    """Leave out tests that the code does not meet, as a person wants it, and say which."""
    before, after = source.job.building.tests
    own, head = f"{source.folder}/", source.job.head
    changed = changed_files(source.around.repository, before, after)
    paths = [one.path for one in changed if not one.path.startswith(own)]
    _clear(source, ticket)
    names = [name for one in with_checks(source).red for name in one.failures or (one.name,)]
    failing = [path for path in paths if _mentions(source, path, names)] or paths
    words = "remove tests that the code does not meet"
    few, many = (_as_before(source, ticket, before, one, words) for one in (failing, paths))
    new = _green_of(source, few, many)
    move_on(source.around.worktree(source.row, head), head, new)
    _warn(source, ticket, f"tests left out by you: {', '.join(names) or 'none'}", "accepted")
    text = with_divergences(source.text(f"{source.folder}/{NAME}") or "", names or ["none"])
    return JobResult(commit=_write(source, ticket, new, text))


def _green_of(source: Source, few: str, many: str) -> str:
    """`few`, which removes only files that name a failing test, if it is green; else `many`."""
    worktree, head = source.around.worktree(source.row, source.job.head), source.job.head
    tip = worktree.tip()
    if tip != head:  # played again: what was decided stands on the branch
        return few if contains(source.around.repository, tip, few) else many
    show(worktree, few)
    return many if with_checks(source, commit=few).red else few


def _mentions(source: Source, path: str, names: Iterable[str]) -> bool:
    """Whether a file names one of the failing tests."""
    text = source.text(path) or ""
    return any(word in text or word in path for name in names for word in _words(name))


def _words(name: str) -> list[str]:
    last = name.partition(" (")[0].rpartition("::")[2].rpartition(".")[2].partition("[")[0]
    return [last] if len(last) > 3 else []


def _log(
    source: Source, ticket: Ticket, head: str, entries: list[LogEntry], building: TaskProgress
) -> str:
    there = replace(source, job=replace(source.job, head=head))
    files = there.changed(source.row.feature.base_commit)
    text = there.text(f"{source.folder}/{NAME}") or ""
    return _write(source, ticket, head, with_log_entries(text, entries, building, files))


def _write(source: Source, ticket: Ticket, head: str, text: str) -> str:
    path = f"{source.folder}/{NAME}"
    worktree = source.around.worktree(source.row, head)
    Confined(worktree.path).write_text(path, text)
    named = ", ".join(part.number for part in source.job.building.parts)
    note = f"task {named}" if named else ""
    why = Purpose("docs", f"update {NAME.lstrip('.')}", note=note)
    return commit_feature(source, ticket, worktree, [path], why, head).commit


def _warn(source: Source, ticket: Ticket, text: str, name: str) -> None:
    with source.around.database.write() as tx:
        tell(tx, ticket, source.job, WarningEvent(), text=text, name=name)
