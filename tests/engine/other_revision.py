"""Runs whose legs were recorded under another revision of the engine."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.engine.old_state import OldState
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository

ANEW = "feature 001 continues from its last decision: this version records its work differently"
EPOCH = 1_767_225_600.0
"""When features of the kept states were created: equal times make equal commits."""


def record_under_another(state: Path) -> int:
    """As if another version had run until now; says how many workflows were under way."""
    (database,) = state.rglob("engine.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("update workflow_status set application_version = 'sparing-r0'")
        found = connection.execute("select count(*) from workflow_status where status = 'PENDING'")
        return int(found.fetchone()[0])


def commits(repository: Path) -> list[tuple[str, str]]:
    """Of the feature's branch, or of where it was merged: ids and trees, the oldest first."""
    branch = git(repository, "for-each-ref", "--format=%(refname)", "refs/heads/feature")
    said = git(repository, "log", "--reverse", "--format=%H %T", branch or "main")
    return [(one, tree) for one, tree in (line.split() for line in said.splitlines())]


def contents(repository: Path, *, histories: bool = True) -> list[list[str]]:
    """The files of each commit; review histories of an earlier version have other words where a
    round brought nothing. An earlier version counted no iterations in tiers, so what the
    program says of a stage that was under way in `.meta.json` may differ; and its sample project
    had no modules that nobody changes."""
    return [
        [
            line
            for line in git(repository, "ls-tree", "-r", one).splitlines()
            if not line.endswith("/.meta.json")
            and "\twordtally/library/" not in line
            and (histories or not line.endswith("/.review-history.md"))
        ]
        for one, _ in commits(repository)
    ]


def started_tier(folder: Path) -> OldState:
    """A feature of the smallest tier that has not begun."""
    made = OldState(folder)
    make_repository(made.repository)
    (folder / "script.toml").write_text(SCRIPT)
    said = made.sparing("start", "Make a file", "--tier", "L1")
    assert said.code == 0, said.err
    with closing(sqlite3.connect(made.state / "sparing.db")) as connection, connection:
        connection.execute("update features set created = ?", (EPOCH,))
    return made


def undisturbed_tier(folder: Path) -> OldState:
    made = started_tier(folder)
    said = made.sparing("run", "--yes")
    assert said.code == 0, said.err
    return made
