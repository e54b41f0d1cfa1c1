"""A damaged database of the engine is set aside and said; the feature ends as it would have.

Covers: I3
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.first_hour import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import sparing

BRANCH = "feature/001-greet-by-name"


def _damage(database: Path, first: int, last: int) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    data = bytearray(database.read_bytes())
    end = min(last, len(data))
    data[first:end] = b"\xa5" * (end - first)
    database.write_bytes(data)


@pytest.mark.long
@pytest.mark.parametrize(("first", "last"), [(0, 200), (4096, 120_000)])
def test_the_engine_database_is_damaged(tmp_path: Path, first: int, last: int) -> None:
    """I3: what it held can be made again from our own records."""
    repository = make_repository(tmp_path / "sample", {"README.md": "# Sample\n"})
    (tmp_path / "script.toml").write_text(SCRIPT)
    environ = {
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
    }
    started = sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    assert started.code == 0
    dying = {**environ, "SPARING_ENGINE__CRASH_AT": "call:end"}
    assert sparing(repository, "run", "--yes", environ=dying).code == -9
    (database,) = (tmp_path / "state").glob("*/engine.db")
    _damage(database, first, last)
    said = sparing(repository, "run", "--yes", environ=environ)
    assert said.code == 0, said.err
    assert "the engine's database was damaged and is kept as" in said.err
    assert database.with_name("engine.db.damaged-1").exists()
    assert git(repository, "show", f"{BRANCH}:greeting.txt") == "Hello, Ada."
    subjects = git(repository, "log", "--format=%s", BRANCH).splitlines()
    assert len(subjects) == len(set(subjects)), "nothing is committed twice"
