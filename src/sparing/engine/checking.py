"""The program's own look at a worktree: which commands run, behind which walls, what is kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.engine.gather import read_tasks
from sparing.engine.outfit import lend, tool_environ, tool_walls
from sparing.engine.source import Source
from sparing.engine.stories import Teller, tell
from sparing.engine.surroundings import Surroundings
from sparing.errors import SparingError
from sparing.flow.stage import Work
from sparing.records.features import FeatureRow
from sparing.workspace.checks import CheckResult, run_check
from sparing.workspace.criteria import judge_commands
from sparing.workspace.discover import Check, find_checks, not_installed


class Extra(NamedTuple):
    """Beside the repository's own checks."""

    trusted: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    """What is not run, and why."""


def run_checks(
    around: Surroundings, row: FeatureRow, head: str, also: Sequence[Check] = ()
) -> tuple[CheckResult, ...]:
    """All that the repository has, and what a person trusted beside it; output is kept whole."""
    worktree = around.worktree(row, head)
    limit = around.settings(row).workspace.check_seconds
    walls, environ = tool_walls(around), tool_environ(around)
    lend(around, row, worktree)

    def keep(text: str) -> str:
        return str(around.folder.blob(around.folder.keep(text)))

    found = [one for one in find_checks(worktree.path) if not _absent(around, one, worktree.path)]
    return tuple(
        run_check(one, worktree.path, limit, environ, walls, keep) for one in (*found, *also)
    )


def extra_checks(source: Source, done_when: str | None = None) -> Extra:
    """Commands of the tasks' done criteria, and tools that are set up here but not installed.

    `done_when` are the criteria of one task; without it those of all.
    """
    if source.stage.work is not Work.IMPLEMENT:
        return Extra()
    around, folder = source.around, source.around.worktree(source.row, source.job.head).path
    checks = find_checks(folder)
    trusted = around.settings(source.row).workspace.commands
    criteria = _criteria(source) if done_when is None else done_when
    named = judge_commands(criteria, "tasks.md", checks, trusted)
    absent = [
        f"{one.name} not run: {one.command[0]} is not installed"
        for one in checks
        if _absent(around, one, folder)
    ]
    refused = [
        f"not run: `{command}` stands in tasks.md; it is no check of this repository, and"
        " workspace.commands does not list it"
        for command in named.refused
    ]
    return Extra(named.trusted, (*absent, *refused))


def tell_checks(
    tx: sqlite3.Connection,
    teller: Teller,
    source: Source,
    results: Sequence[CheckResult],
    extra: Extra,
) -> None:
    """Where the whole output is, what was not run, and why."""
    outputs = {one.name: one.whole for one in results if one.whole}
    red = [f"{one.name}: {one.whole}" for one in results if one.whole and not one.passed]
    tell(tx, teller, source.job, "outputs", text="; ".join(red), data=outputs)
    for number, note in enumerate(extra.notes):
        tell(tx, teller, source.job, "refused", text=note, name=f"refused.{number}")


def _absent(around: Surroundings, check: Check, worktree: Path) -> bool:
    return not_installed(check, worktree, around.environ.get("PATH", os.defpath))


def _criteria(source: Source) -> str:
    try:
        tasks = read_tasks(source.artifact(ArtifactName.TASKS))
    except SparingError:
        return ""
    return "\n".join(task.done_when for task in tasks)
