"""Rows of the engine's database are data: one that names pickle runs nothing. Covers: I3, H5."""

from __future__ import annotations

import base64
import os
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.terminal import sparing

pytestmark = pytest.mark.long


class Poison:
    """Unpickling this would make a file."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.marker),)


def test_a_poisoned_row_is_refused(tmp_path: Path) -> None:
    marker = tmp_path / "poisoned"
    said = sparing(
        tmp_path,
        "demo",
        "--keep",
        "demo",
        "--tier",
        "L1",
        environ={"SPARING_ENGINE__CRASH_AT": "call:begin"},
    )
    assert said.code == -9
    payload = base64.b64encode(pickle.dumps(Poison(marker))).decode()
    (database,) = Path.home().glob(".local/state/sparing/*/engine.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(
            "update workflow_status set serialization = 'py_pickle', inputs = ?"
            " where status = 'PENDING'",
            (payload,),
        )
        assert changed.rowcount > 0
    sparing(tmp_path / "demo" / "wordtally", "run", "--yes")
    assert not marker.exists()
