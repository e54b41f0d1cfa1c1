"""A repository whose tests need a real Postgres on loopback. Covers: K2, H4."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.postgres import server
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


def test_the_baseline_says_what_is_missing_until_it_is_lent(tmp_path: Path, port: int) -> None:
    """K2: first the variable, then the server; agreed to once, both are told, and the check is
    green. H4: what nobody agreed to is not given."""
    place = make_repository(tmp_path / "mine", FILES)
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    url = f"postgresql://sparing@127.0.0.1:{port}/sparing"
    own = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(script),
        "SPARING_STATE__DATABASE": "",
        "DATABASE_URL": url,
    }
    lend = {"SPARING_WORKSPACE__LEND_ENV": "DATABASE_URL"}
    both = {**lend, "SPARING_WORKSPACE__SERVICES": f"127.0.0.1:{port}"}

    def begun(**more: str) -> Said:
        assert sparing(place, "start", "Make it", "--flow", "L1", environ={**own, **more}).code == 0
        return sparing(place, "run", environ={**own, **more})

    first = begun()
    needs = "test fails before the feature begins because it needs the variable DATABASE_URL"
    assert needs in _flat(first)
    assert "give it: sparing config set workspace.lend_env DATABASE_URL" in _flat(first)

    unasked = begun(**both)
    assert "nobody has agreed to it yet (sparing init)" in _flat(unasked)
    assert sparing(place, "init", "--yes", environ={**own, **lend}).code == 0
    second = begun(**lend)
    assert f"it needs a server at 127.0.0.1:{port}" in _flat(second)

    shown = sparing(place, "init", "--yes", environ={**own, **both})
    assert f"checks may call 127.0.0.1:{port} on this machine; agents may not" in shown.out
    third = begun(**both)
    assert f"checks may call 127.0.0.1:{port}; checks are given DATABASE_URL" in _flat(third)
    assert "before the feature begins" not in _flat(third)
    assert "sparing@127" not in _flat(third)


def _flat(said: Said) -> str:
    """Lines of a screen are folded."""
    return " ".join(said.err.split())
