"""The demo through the real client. Covers: A1, G1, G2.

A short tier is enough to see that the client does what the script says.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sparing.double.log import rebill
from sparing.usage import Usage
from tests.repositories import git
from tests.terminal import sparing

DOUBLED = ("demo", "--backend", "claude-double", "--tier", "L1", "--keep", "here", "--json")
COLUMNS = "uncached, read, write_5m, write_1h, output"


def test_the_client_does_the_work_and_the_ledger_has_its_bill(tmp_path: Path) -> None:
    said = sparing(tmp_path, *DOUBLED, environ={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert (said.code, said.json["merged"]) == (0, True), said.err
    subjects = git(tmp_path / "here" / "wordtally", "log", "--format=%s", "main")
    assert "List the most frequent words (001)" in subjects
    (log,) = tmp_path.glob("state/**/double.jsonl")
    found = rebill(log)
    assert found.differing == ()
    with closing(sqlite3.connect(log.with_name("sparing.db"))) as database:
        rows = database.execute(f"select {COLUMNS} from ledger").fetchall()
    assert sum((Usage(*row) for row in rows), Usage()) == found.usage
