"""A repository whose tests need a real Postgres on loopback. Covers: K2, H4."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.postgres import server
from sparing.database import Database
from sparing.records import events
from sparing.turn_event import ContainedEvent
from tests.engine.small import SCRIPT
from tests.repositories import make_repository
from tests.terminal import Said, sparing

TEST = """
import os, subprocess, unittest

class Asks(unittest.TestCase):
    def test_the_database(self):
        argv = ("psql", os.environ["DATABASE_URL"], "-Atc", "select 6 * 7")
        done = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "42", done.stderr)
"""
FILES = {
    "README.md": "# Sample\n",
    "Makefile": "test:\n\tpython3 -m unittest discover -s tests -v\n",
    "tests/__init__.py": "",
    "tests/test_database.py": TEST,
}


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    monkeypatch.setenv("PGPORT", str(number))
    with server(f"-c listen_addresses='127.0.0.1' -p {number} -c fsync=off"):
        yield number


def made(folder: Path, port: int) -> tuple[Path, dict[str, str]]:
    """The repository, and what the environment of its user says."""
    script = folder / "script.toml"
    script.write_text(SCRIPT)
    return make_repository(folder / "mine", FILES), {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(script),
        "SPARING_STATE__DATABASE": "",
        "SPARING_STATE__FOLDER": str(folder / "state"),
        "DATABASE_URL": f"postgresql://sparing@127.0.0.1:{port}/sparing",
    }


def lend(port: int) -> dict[str, str]:
    return {
        "SPARING_WORKSPACE__LEND_ENV": "DATABASE_URL",
        "SPARING_WORKSPACE__SERVICES": f"127.0.0.1:{port}",
    }


def test_the_baseline_says_what_is_missing_until_it_is_lent(tmp_path: Path, port: int) -> None:
    """K2: first the variable, then the server; agreed to once, both are told, and the check is
    green. H4: what nobody agreed to is not given."""
    place, own = made(tmp_path, port)
    both = lend(port)
    lent = {name: both[name] for name in ("SPARING_WORKSPACE__LEND_ENV",)}

    def begun(**more: str) -> Said:
        assert sparing(place, "start", "Make it", "--flow", "L1", environ={**own, **more}).code == 0
        return sparing(place, "run", environ={**own, **more})

    first = begun()
    needs = "test fails before the feature begins because it needs the variable DATABASE_URL"
    assert needs in _flat(first)
    assert "give it: sparing config set workspace.lend_env DATABASE_URL" in _flat(first)

    unasked = begun(**both)
    assert "nobody has agreed to it yet (sparing init)" in _flat(unasked)
    assert sparing(place, "init", "--yes", environ={**own, **lent}).code == 0
    second = begun(**lent)
    assert f"it needs a server at 127.0.0.1:{port}" in _flat(second)

    shown = sparing(place, "init", "--yes", environ={**own, **both})
    assert f"checks may reach 127.0.0.1:{port} on this machine; agents may not" in shown.out
    third = begun(**both)
    assert f"checks may reach 127.0.0.1:{port}; checks are given DATABASE_URL" in _flat(third)
    assert "before the feature begins" not in _flat(third)
    assert "sparing@127" not in _flat(third)


def test_a_feature_with_a_database_to_its_end(tmp_path: Path, port: int) -> None:
    """K2: agreed to before it begins, its checks are green; `show` and the receipts say why."""
    place, own = made(tmp_path, port)
    both = {**own, **lend(port)}
    assert sparing(place, "init", "--yes", environ=both).code == 0
    assert sparing(place, "start", "Make it", "--flow", "L1", environ=both).code == 0
    said = sparing(place, "run", "--yes", environ=both)
    assert said.code == 0, said.err
    assert "checks are red" not in _flat(said)
    assert "before the feature begins" not in _flat(said)
    assert "\nOK\n" in sparing(place, "show", "1", "checks", environ=own).out
    words = f"checks may reach 127.0.0.1:{port}; checks are given DATABASE_URL"
    assert words in " ".join(sparing(place, "show", "1", environ=own).out.split())
    assert sparing(place, "show", "1", "--json", environ=own).json["given"] == words
    assert {one.lent for one in _receipts(tmp_path)} == {words}


def _receipts(folder: Path) -> list[ContainedEvent]:
    """What is kept of every turn, of all features."""
    (database,) = (folder / "state").rglob("sparing.db")
    with Database(database).read() as connection:
        told = events.since(connection, 0)
    return [one.what for one in told if isinstance(one.what, ContainedEvent)]


def _flat(said: Said) -> str:
    """Lines of a screen are folded."""
    return " ".join(said.err.split())
