"""A hint repairs: records that open and are damaged inside come back from the daily backup.

Covers: I3, K1
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sparing.desk.office import open_office
from sparing.records.daily_backup import copy_daily
from tests.cli.person import Person
from tests.desk.standing import started
from tests.repositories import make_repository

FREE_PAGES = 36
"""Where the header of a database counts its free pages."""


def test_records_that_are_damaged_inside(tmp_path: Path, person: Person) -> None:
    """I3, K1: doctor sees it, names the command, and the command brings them back."""
    repository = make_repository(tmp_path / "repository")
    person.stands(repository, {"SPARING_STATE__FOLDER": str(tmp_path / "state")})
    started(open_office(repository, {"state.folder": str(tmp_path / "state")}))
    (path,) = tmp_path.glob("state/*/sparing.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    assert copy_daily(path.parent, 0.0)
    with path.open("r+b") as file:
        file.seek(FREE_PAGES)
        file.write((5).to_bytes(4, "big"))
    said = person.types("doctor")
    assert "is damaged" in said.out + said.err
    assert "sparing doctor --restore" in said.out + said.err
    assert person.types("doctor --restore").code == 0
    assert "is damaged" not in person.types("doctor").out
    assert "Add rate limiting" in person.types("list").out
