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


def test_a_recorded_run_is_played_again_without_the_client(tmp_path: Path) -> None:
    """K7: the same files and the same bill, from the file alone."""
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert sparing(tmp_path, *DOUBLED, environ=state).code == 0
    where = tmp_path / "here" / "wordtally"
    assert sparing(where, "record", "1", str(tmp_path / "run"), environ=state).code == 0
    played = sparing(tmp_path, "replay", "run", "--json")
    assert played.code == 0, played.err[-2000:]
    found = played.json
    assert (found["same_tree"], found["same_bill"]) == (True, True)
    assert found["nano_usd"] > 0
    assert found["prompts"] == found["same_prompts"] >= 3
