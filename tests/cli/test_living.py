"""Living with it: disk, old texts, another version, the way back from an upgrade.

Covers: I4, I5, K4
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sparing import __version__
from sparing.records.schema import MIGRATIONS
from tests.engine.built import SATISFIED, Built, build, task, turn

SCRIPT = turn("1", {"made.txt": "made\n"}) + SATISFIED
TASKS = task("1", "Make a file", "made.txt")
YEAR = "SPARING_RECORDS__KEEP_DAYS"


@pytest.fixture
def done(tmp_path: Path) -> Built:
    """A feature that is finished and merged, which began years ago."""
    built = build(tmp_path, TASKS, SCRIPT)
    said = built.sparing("run", "--yes", SPARING_WORKSPACE__HAND_OVER="merge")
    assert said.code == 0, said.err
    return built


def texts(built: Built) -> set[str]:
    """The prompts and replies that are there."""
    with built.database().read() as connection:
        rows = connection.execute("select prompt, reply from ledger").fetchall()
    named = {str(digest) for row in rows for digest in row if digest}
    there = {one.name for one in built.folder.glob("state/*/blobs/??/*") if one.is_file()}
    return there & named


def aged(built: Built, seconds: float) -> None:
    with built.database().write() as tx:
        tx.execute("update events set at = at - ?", (seconds,))


def test_texts_are_kept_until_somebody_says_how_long(done: Built) -> None:
    """I4: and those of a feature that ended lately, whatever is said."""
    before = texts(done)
    aged(done, 1e9)
    assert done.sparing("clean", "--json").json["texts"] == {}
    aged(done, -1e9)
    assert done.sparing("clean", "--json", **{YEAR: "30000"}).json["texts"] == {}
    assert texts(done) == before != set()


def test_old_texts_go_and_records_stay(done: Built) -> None:
    """I4: the bill, the events and the gates can still be read; twice is like once."""
    bill = done.sparing("cost", "1", "--json").json
    aged(done, 1e9)
    said = done.sparing("clean", **{YEAR: "90"})
    assert said.code == 0, said.err
    assert "texts of prompts and replies were removed" in said.out
    assert "its records stay" in said.out
    assert texts(done) == set()
    assert done.sparing("cost", "1", "--json").json == bill
    assert done.sparing("show", "1").code == 0
    gone = done.sparing("show", "prompt", "implementer", "--feature", "1")
    again = "sparing show prompt implementer --feature 001 --way compose"
    assert gone.complaint[-2:] == (
        "error: the prompt that implementer was sent is no longer stored",
        f"fix: show it as it would be made now: {again}",
    )
    made = done.sparing(*again.split()[1:])
    assert "Make a file" in made.out, made.err
    assert done.sparing("clean", "--json", **{YEAR: "90"}).json["texts"] == {}


def test_what_another_feature_names_stays(done: Built) -> None:
    """I4: texts have no owner; one that is still needed is not removed."""
    kept = min(texts(done))
    aged(done, 1e9)
    began = done.sparing("start", "Another", "--flow", "L1", "--json")
    assert began.code == 0, began.err
    with done.database().write() as tx:
        place = '{"mine": "' + kept + '"}'
        tx.execute("update features set place = ? where number = 2", (place,))
    done.sparing("clean", **{YEAR: "90"})
    assert texts(done) == {kept}


def test_doctor_shows_the_disk_by_feature(tmp_path: Path) -> None:
    """K4"""
    built = build(tmp_path, TASKS, SCRIPT)
    built.sparing("run", "--no-input")
    found = {
        one["name"]: one["words"] for one in built.sparing("doctor", "--json").json["findings"]
    }
    assert "worktrees " in found["disk"]
    assert "(001 " in found["disk"]
    assert "records " in found["disk"]


@contextmanager
def engine_of(built: Built, version: str) -> Generator[None]:
    """As one that holds the lock and has written down its version."""
    (lock,) = built.folder.glob("state/*/locks")
    file = os.open(lock.parent / "engine.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.ftruncate(file, 0)
    os.write(file, f"{os.getpid():<31}\n{version}".encode())
    try:
        yield
    finally:
        os.close(file)


@pytest.mark.parametrize(
    ("version", "words"), [("9.9.9\n", "sparing 9.9.9"), ("", "sparing of an older version")]
)
def test_an_engine_of_another_version_is_told(tmp_path: Path, version: str, words: str) -> None:
    """I5: by status and by doctor, with what to do."""
    built = build(tmp_path, TASKS, SCRIPT)
    with engine_of(built, version):
        said = built.sparing("status")
        assert f"note: the running engine is {words}, you are {__version__}" in said.err
        assert f"kill {os.getpid()}, then: sparing run (no work is lost)" in said.err
        assert words in str(built.sparing("doctor", "--json").json["findings"])
    ended = built.sparing("run", "--no-input")
    assert (ended.code, "note: the running" in ended.err) == (2, False), ended.err
    with engine_of(built, f"{__version__}\n"):
        assert "note:" not in built.sparing("status").err
    assert "note:" not in built.sparing("status").err


def test_the_way_back_from_an_upgrade(tmp_path: Path) -> None:
    """I4: an older version refuses, names the copy, and the copy is restored by that command."""
    built = build(tmp_path, TASKS, SCRIPT)
    path = built.database().path
    known = len(MIGRATIONS)
    with closing(sqlite3.connect(path)) as old:
        with closing(sqlite3.connect(path.with_name(f"{path.name}.schema-{known}"))) as copy:
            old.backup(copy)
        old.execute(f"pragma user_version = {known + 1}")
        old.commit()
    said = built.sparing("list")
    assert said.complaint == (
        f"error: sparing.db was written by a newer sparing (schema {known + 1} > {known})",
        "fix: install that version again, or set another state.folder, or go back to before:"
        f" sparing doctor --restore schema-{known} --yes",
    )
    back = built.sparing("doctor", "--restore", f"schema-{known}", "--yes")
    assert back.code == 0, back.err
    assert len(built.sparing("list", "--json").json["features"]) == 1
