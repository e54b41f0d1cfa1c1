"""One scripted feature, whoever's client does the work: the same tree, and the double's bill.

Covers: A1, E2, G1, G2, G5
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sparing.double.log import rebill
from sparing.usage import Usage
from tests.agents.clients import PROGRAMS
from tests.repositories import git
from tests.terminal import sparing

LOGS = {"claude-double": "double.jsonl"}
COLUMNS = "uncached, read, write_5m, write_1h, output"
PATIENT = 1800.0
"""Seconds: opencode takes eight of processor time for a turn."""


def demo(folder: Path, backend: str, tier: str, **settings: str) -> Path:
    """The sample's repository after its feature was merged."""
    around = {
        "XDG_STATE_HOME": str(folder / "state"),
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        **{f"SPARING_{name.upper()}": value for name, value in settings.items()},
    }
    words = ("demo", "--backend", backend, "--tier", tier, "--keep", "here", "--json")
    said = sparing(folder, *words, environ=around, limit_seconds=PATIENT)
    assert (said.code, said.json["merged"]) == (0, True), said.err
    return folder / "here" / "wordtally"


def story(repository: Path) -> list[str]:
    """The tree of each commit, and what it says of itself."""
    return git(repository, "log", "--format=%T %s", "main").splitlines()


@cache
def scripted(tier: str) -> list[str]:
    with TemporaryDirectory() as folder:
        return story(demo(Path(folder), "scripted", tier))


def booked(folder: Path) -> Mapping[str, Usage]:
    """What the ledger has, by backend."""
    (path,) = folder.glob("state/**/sparing.db")
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute(f"select backend, {COLUMNS} from ledger").fetchall()
    found: dict[str, Usage] = {}
    for backend, *row in rows:
        found[backend] = found.get(backend, Usage()) + Usage(*row)
    return found


def billed(folder: Path, backend: str) -> Usage:
    """What its double has billed, and bills again from the requests alone."""
    (log,) = folder.glob(f"state/**/{LOGS.get(backend, f'{backend}.jsonl')}")
    found = rebill(log)
    assert found.differing == ()
    return found.usage


@pytest.mark.parametrize("client", ["api", "claude", "codex", "gemini", "opencode"])
def test_the_same_feature_leads_to_the_same_tree(client: str, tmp_path: Path) -> None:
    """G1, E2: commit by commit, also through sessions that are resumed; to the token."""
    backend = f"{client}-double"
    assert story(demo(tmp_path, backend, "L1")) == scripted("L1")
    assert booked(tmp_path) == {backend: billed(tmp_path, backend)}


def test_an_author_of_one_vendor_and_reviewers_of_another(tmp_path: Path) -> None:
    """G5, E2: Claude Code writes and Codex reviews; each bill is its own double's to the token."""
    where = demo(tmp_path, "claude-double", "L3", review__other_vendor="true")
    assert story(where) == scripted("L3")
    assert booked(tmp_path) == {
        one: billed(tmp_path, one) for one in ("claude-double", "codex-double")
    }
    (path,) = tmp_path.glob("state/**/sparing.db")
    with closing(sqlite3.connect(path)) as database:
        rows = set(database.execute("select role, backend from ledger"))
    assert rows == {("builder", "claude-double"), ("judge", "codex-double")}
