"""What the program has verified itself: checks before and after, changed files, unproven tasks.

Reviewers get it as a sheet, so that they need not work it out or take an author's word for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sparing.briefing.retro import stat
from sparing.prompts.render import fill
from sparing.runtime.source import Source
from sparing.task import Task
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.run import CheckResult
from sparing.workspace.git.commit import changed_files


class Fact(NamedTuple):
    """A check on the sheet."""

    result: CheckResult
    new: bool
    """It is red, and was not so before."""


class Checked(NamedTuple):
    results: tuple[CheckResult, ...]
    known: Baseline | None
    """What was red before the feature began; None if the checks were not run then."""

    @property
    def red(self) -> tuple[CheckResult, ...]:
        """What is red now and was not before."""
        return tuple(one for one in self.results if (self.known or Baseline()).news(one))


def sheet(checked: Checked, unproven: Sequence[str]) -> str:
    """What reviewers of code get; which files changed is in the diff that they get too."""
    return fill(
        "documents", "facts", unproven=unproven, checks=_facts(checked),
        before=None if checked.known is None else checked.known.words,
    )  # fmt: skip


def verification(source: Source, checked: Checked, detail: str) -> str:
    """The document of a stage in which the program itself verifies."""
    changed = source.changed(source.row.feature.base_commit)
    text = fill(
        "documents", "verification", passed=not detail, detail=detail, stat=stat(changed),
        checks=_facts(checked),
        before=None if checked.known is None else checked.known.words,
    )  # fmt: skip
    return text.rstrip() + "\n"


def _facts(checked: Checked) -> list[Fact]:
    return [Fact(one, bool(checked.red and one in checked.red)) for one in checked.results]


def unproven_tasks(source: Source, tasks: Sequence[Task]) -> tuple[str, ...]:
    """Tasks that name files, none of which has changed since the feature began; those left out
    and those found complete are not expected to."""
    found = changed_files(source.around.repository, source.row.feature.base_commit, source.job.head)
    changed, settled = [one.path for one in found], source.job.building.settled
    return tuple(
        f"task {task.number} names {', '.join(task.files)}, and none of it has changed"
        for task in tasks
        if task.files
        and task.number not in settled
        and not any(touched(name, changed) for name in task.files)
    )


def touched(name: str, changed: Sequence[str]) -> bool:
    """A task may name a file, a folder, a pattern or the end of a path."""
    plain = name.strip().strip("`").removeprefix("./").rstrip("/")
    return any(
        path == plain
        or path.startswith(f"{plain}/")
        or path.endswith(f"/{plain}")
        or fnmatchcase(path, plain)
        for path in changed
    )
