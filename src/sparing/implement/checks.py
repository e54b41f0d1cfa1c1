"""The program's own checks of a worktree: which commands run, in which sandbox, what is stored."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sparing.briefing.gather import read_tasks
from sparing.connection import Connection
from sparing.errors import SparingError
from sparing.event import OutputsEvent, RefusedCheckEvent
from sparing.flow.stage import StageWork
from sparing.implement.facts import Checked
from sparing.provision.worktree_setup import share_files, tool_environ, tool_sandbox
from sparing.records.features import FeatureRow
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.changes import Changed, Standing, changed, standing
from sparing.workspace.checks.clean_room import clean_room
from sparing.workspace.checks.criteria import judge_commands
from sparing.workspace.checks.definitions import shadows
from sparing.workspace.checks.discover import Check, not_installed
from sparing.workspace.checks.installed_packages import installed_modules, tools_of
from sparing.workspace.checks.live_output import live_output
from sparing.workspace.checks.overwritten_files import rewritten, states
from sparing.workspace.checks.run import CheckResult, run_check
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.sparse_checkout import read_cone
from sparing.workspace.sandbox.folder_moves import folder_moves

PREPARING = "writing a clean copy of the files"


class Extra(NamedTuple):
    """Beside the repository's own checks."""

    trusted: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    """What is not run, and why."""


ALL = " of the whole repository"
"""Added to the name of a check that does not belong to the feature's own folder."""


def checks_at(
    around: Surroundings, row: FeatureRow, commit: str, *, whole: bool = False
) -> Standing:
    """Which checks a commit of a feature has, and how they differ from those it began with.

    Where a feature is about one folder: that folder's, and with `whole` the repository's too.
    """
    root = around.settings(row).workspace.root
    every = _standing(around, row, commit, "")
    own = _standing(around, row, commit, root) if root else every
    if not root or not own.checks:
        return every
    others = tuple(one._replace(name=f"{one.name}{ALL}") for one in every.checks)
    changes = dict.fromkeys((*own.changed, *every.changed))
    return Standing((*own.checks, *(others if whole else ())), tuple(changes))


def _standing(around: Surroundings, row: FeatureRow, commit: str, root: str) -> Standing:
    base = Snapshot(around.repository, row.feature.base_commit, root)
    return standing(base, Snapshot(around.repository, commit, root))


def run_checks(
    around: Surroundings,
    row: FeatureRow,
    head: str,
    also: Sequence[Check] = (),
    commit: str = "",
    *,
    whole: bool = False,
    last: bool = False,
) -> tuple[CheckResult, ...]:
    """All that the repository has, and what a person trusted beside it; output is kept whole.

    On the files of a commit, and each in a clean room: no check finds what an agent or another
    check has left. Without a commit it is the head. The `last` time all files are there.
    """
    worktree, tried = around.worktree(row, head), commit or head
    found = (*checks_at(around, row, tried, whole=whole).checks, *also)
    there = (one for one in found if not _absent(around, one, worktree.path))
    return tuple(run_on(around, row, worktree, tried, one, part=not last) for one in there)


def run_on(
    around: Surroundings,
    row: FeatureRow,
    worktree: Worktree,
    tree: str,
    check: Check,
    *,
    part: bool = True,
) -> CheckResult:
    """One check on the files of a commit or a tree, in a clean room of its own.

    With `part`, a package's check runs on the files that a sparse worktree holds. If it is red,
    that may be for want of the others: what it says with all files counts.
    """
    if part and check.folder and read_cone(worktree.git_dir):
        found = _run_in(around, row, worktree, tree, check, part=True)
        if found.passed:
            return found
    return _run_in(around, row, worktree, tree, check, part=False)


def _run_in(
    around: Surroundings,
    row: FeatureRow,
    worktree: Worktree,
    tree: str,
    check: Check,
    *,
    part: bool,
) -> CheckResult:
    limit = around.settings(row).workspace.check_seconds

    def keep(text: str) -> str:
        return str(around.folder.blob(around.folder.keep(text)))

    with contextlib.ExitStack() as room:
        with live_output(around.folder.scratch, check.name, PREPARING, worktree.path):
            room.enter_context(clean_room(worktree, tree, part=part))
            share_files(around, row, worktree)
        sandbox, environ = tool_sandbox(around, row, worktree), tool_environ(around)
        if not check.name.startswith("test"):
            return run_check(check, worktree.path, limit, environ, sandbox, keep)
        files = Snapshot(around.repository, tree).entries
        before = states(worktree.path, files)
        moved = room.enter_context(folder_moves(worktree.path, before))
        found = run_check(check, worktree.path, limit, environ, sandbox, keep)
        return found._replace(rewritten=(*rewritten(worktree.path, before), *moved()))


def changes_to_approve(source: Source, checked: Checked) -> tuple[Changed, ...]:
    """Changes to the checks that no person has agreed to."""
    found = checks_at(source.around, source.row, source.job.head)
    known = checked.known or Baseline()
    missing = (changed(words, "") for one in checked.results if (words := known.missing(one)))
    over = (changed(words, "") for one in checked.results if (words := known.overwritten(one)))
    taken = _shadows(source)
    return Standing((), (*found.changed, *taken, *missing, *over)).open(source.job.agreed)


def _shadows(source: Source) -> tuple[Changed, ...]:
    """New modules that a check would take for those of a package that is installed."""
    row, repository = source.row, source.around.repository
    base, head = (Snapshot(repository, one) for one in (row.feature.base_commit, source.job.head))
    installed = installed_modules(source.around.folder.worktree(row.feature.name))
    return tuple(changed(words, "") for words in shadows(base, head, installed))


def extra_checks(source: Source, done_when: str | None = None) -> Extra:
    """Commands of the tasks' done criteria, and tools that are set up here but not installed.

    `done_when` are the criteria of one task; without it those of all.
    """
    if source.stage.work is not StageWork.IMPLEMENT:
        return Extra()
    around, folder = source.around, source.around.worktree(source.row, source.job.head).path
    checks = checks_at(around, source.row, source.job.head).checks
    trusted = around.settings(source.row).workspace.commands
    criteria = _criteria(source) if done_when is None else done_when
    named = judge_commands(criteria, "tasks.md", checks, trusted)
    absent = [
        f"{one.name} not run: {one.command[0]} is not installed"
        for one in checks
        if _absent(around, one, folder)
    ]
    refused = [
        f"not run: `{command}` is named in tasks.md, but it is neither a check of this repository"
        " nor listed in workspace.commands"
        for command in named.refused
    ]
    return Extra(named.trusted, (*absent, *refused))


def tell_checks(
    tx: Connection,
    teller: Teller,
    source: Source,
    results: Sequence[CheckResult],
    extra: Extra,
) -> None:
    """Where the whole output is, what was not run, and why."""
    outputs = {one.name: one.whole for one in results if one.whole}
    red = [f"{one.name}: {one.whole}" for one in results if one.whole and not one.passed]
    tell(tx, teller, source.job, OutputsEvent(outputs), text="; ".join(red))
    for number, note in enumerate(extra.notes):
        tell(tx, teller, source.job, RefusedCheckEvent(), text=note, name=f"refused.{number}")


def _absent(around: Surroundings, check: Check, worktree: Path) -> bool:
    return not_installed(
        check, tools_of(worktree, check.folder), around.environ.get("PATH", os.defpath)
    )


def _criteria(source: Source) -> str:
    try:
        tasks = read_tasks(source)
    except SparingError:
        return ""
    return "\n".join(task.done_when for task in tasks)
