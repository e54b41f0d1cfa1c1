"""Whether a task is done: what it names has changed, what it claims is there, the checks agree.

A report is a claim; nothing in it is believed. Commands out of a task's own text run only if the
repository has them anyway or a person trusted them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.briefing.gather import task_of
from sparing.change import FileChange
from sparing.context.documents.task_report import TaskReport, read_report
from sparing.errors import FeatureError
from sparing.implement.checks import extra_checks, run_checks
from sparing.implement.facts import Checked, touched
from sparing.records.folder import TextGone
from sparing.runtime.source import Source
from sparing.task import Task
from sparing.task_progress import TaskResult
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.direct.tree import list_files


class TaskEvidence(NamedTuple):
    """What is known of a task without running anything."""

    task: Task
    report: TaskReport
    files: tuple[FileChange, ...]
    """What changed, outside of the feature's own folder."""
    doubt: str = ""
    """Why it is not done, if so."""


def evidence_of(source: Source, part: TaskResult, since: str) -> TaskEvidence:
    task, report = task_of(source, part.number), read_report(source.fetch(part.reply))
    own = f"{source.folder}/"
    changed = changed_files(source.around.repository, since, part.commit)
    files = tuple(one for one in changed if not one.path.startswith(own))
    named = any(touched(name, [one.path for one in changed]) for name in task.files)
    return TaskEvidence(
        task, report, files, "" if named else _doubt(source, part, task, report, files)
    )


def _doubt(
    source: Source, part: TaskResult, task: Task, report: TaskReport, files: Sequence[FileChange]
) -> str:
    """Why a task of which no named file has changed is not done; empty if it may be."""
    if files and task.files:
        return f"it names {', '.join(task.files)}, but none of these changed"
    if files:
        return ""
    if not report.already_complete:
        return "nothing was changed, and the report does not say that it was already complete"
    there = tuple(list_files(source.around.repository, part.commit))
    absent = [name for name in task.files if not touched(name, there)]
    return f"it is reported as complete, but {', '.join(absent)} does not exist" if absent else ""


def with_checks(source: Source, done_when: str | None = None, commit: str = "") -> Checked:
    """The checks on a commit, or on the head, with commands that a person trusted."""
    around, row, job = source.around, source.row, source.job
    extra = extra_checks(source, done_when)
    results = run_checks(around, row, job.head, extra.trusted, commit)
    return Checked(results, known_of(source))


def known_of(source: Source) -> Baseline | None:
    """What the checks said before the feature began, if they were asked."""
    baseline = source.job.baseline
    if not baseline:
        return None
    try:
        return Baseline.load(json.loads(source.fetch(baseline)))
    except TextGone:  # they say it again: without it less would be demanded of the feature
        base = source.row.feature.base_commit
        return Baseline.of(run_checks(source.around, source.row, source.job.head, (), base))


def red_words(found: Checked) -> str:
    told = (f"{one.name} ({one.summary})" for one in found.red)
    return f"checks are red: {', '.join(told)}" if found.red else ""


def refuse_outside(source: Source, tasks: Sequence[Task]) -> None:
    """A file that no agent of ours can reach: said before anything is spent."""
    feature = source.row.feature.id
    found = [
        f"task {task.number} names {name}"
        for task in tasks
        for name in task.files
        if _is_outside(name)
    ]
    if found:
        raise FeatureError(
            f"{'; '.join(found)}: outside the repository",
            f"name files inside it: sparing edit {feature} tasks, then: sparing resume {feature}",
        )


def _is_outside(name: str) -> bool:
    place = PurePosixPath(name)
    if place.is_absolute() or name.startswith("~"):
        return True
    depth = 0
    for part in place.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
