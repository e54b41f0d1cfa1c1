"""All records taken to a server and back are what they were. Covers: I4, I5."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import DATABASE
from tests.engine.small import SCRIPT
from tests.repositories import make_repository
from tests.terminal import sparing

IN_FOLDER = {"SPARING_STATE__DATABASE": ""}


@pytest.fixture(scope="module")
def parked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A feature that waits at its first gate, with its records in a state folder."""
    folder = tmp_path_factory.mktemp("parked")
    (folder / "script.toml").write_text(SCRIPT)
    home = make_repository(folder / "home", {"README.md": "# Sample\n"})
    own = _own(folder)
    assert sparing(home, "start", "Make a file", "--flow", "L1", environ=own).code == 0
    made = sparing(home, "run", environ=own)
    assert made.code == 2, made.err
    return folder


def _own(folder: Path) -> dict[str, str]:
    script = str(folder / "script.toml")
    agent = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": script}
    return {**IN_FOLDER, **agent, "SPARING_STATE__FOLDER": str(folder / "state")}


def _dump(folder: Path) -> list[str]:
    (database,) = (folder / "state").glob("*/sparing.db")
    with closing(sqlite3.connect(database)) as connection:
        return sorted(line for line in connection.iterdump() if line.startswith("INSERT"))


def _texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "state").glob("*/blobs/??/*")}


def test_there_and_back_is_the_same(parked: Path) -> None:
    """I4: rows, texts and the secret; then the feature goes on to its end."""
    home, own = parked / "home", _own(parked)
    rows, texts = _dump(parked), _texts(parked)
    (secret,) = (parked / "state").glob("*/secret")
    known = secret.read_bytes()
    there = sparing(home, "database", "copy", "--to", DATABASE, environ=own)
    assert there.code == 0, there.err
    assert "compared and equal" in there.out
    assert _dump(parked) == rows
    on_server = {**own, "SPARING_STATE__DATABASE": DATABASE}
    seen = sparing(home, "status", "--json", environ=on_server).json
    assert all(one.pop("starter") for one in seen["features"]), "people have names on a server"
    mine = sparing(home, "status", "--json", environ=own).json
    assert not any(one.pop("starter") for one in mine["features"])
    assert seen == mine
    back = sparing(home, "database", "copy", "--from", DATABASE, environ=own)
    assert back.code == 0, back.err
    assert "what was there is kept" in back.out
    assert _dump(parked) == rows
    assert _texts(parked) == texts
    assert secret.read_bytes() == known
    ended = sparing(home, "run", "--yes", environ=own)
    assert ended.code == 0, ended.err
    (kept,) = (parked / "state").glob("*/sparing.db.aside-1")
    assert kept.stat().st_mode & 0o077 == 0


def test_records_that_are_there_are_not_mixed_with_others(parked: Path) -> None:
    """I4: two lines, and nothing is half done."""
    home, own = parked / "home", _own(parked)
    sparing(home, "database", "copy", "--to", DATABASE, environ=own)
    again = sparing(home, "database", "copy", "--to", DATABASE, environ=own)
    assert again.code == 1
    assert "already has records of this repository (1 features)" in again.err
    assert "fix: " in again.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "name either --to or --from"),
        (("--to", "postgresql://ada:hush@localhost/x"), "state.database"),
        (("--to", "mysql://ada@localhost/x"), "state.database"),
        (("--to", "postgresql://ada@/x?host=/nowhere"), "can't be used"),
    ],
)
def test_bad_input_is_two_lines(parked: Path, args: tuple[str, ...], words: str) -> None:
    """A3: what is wrong, and what repairs it; a password is never printed."""
    said = sparing(parked / "home", "database", "copy", *args, environ=_own(parked))
    assert said.code in (1, 64)
    assert words in said.err
    assert "fix: " in said.err
    assert "hush" not in said.err
    assert "Traceback" not in said.err


def test_a_copy_is_refused_while_features_run(parked: Path) -> None:
    """I4: whoever runs the engine writes."""
    import fcntl

    (lock,) = (parked / "state").glob("*/engine.lock")
    file = os.open(lock, os.O_RDWR)
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        said = sparing(
            parked / "home", "database", "copy", "--to", DATABASE,
            environ=_own(parked),
        )  # fmt: skip
    finally:
        os.close(file)
    assert said.code == 1
    assert "are being run by another process" in said.err
