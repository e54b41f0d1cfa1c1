"""A step whose failure on a full disk was recorded, while the end of its leg could not be.

Covers: I3, E2
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from dbos._serialization import (  # pyright: ignore[reportPrivateUsage]
    DBOSPortableJSON,
    serialize_exception,
)

from sparing.errors import StateError
from tests.engine.old_state import OldState
from tests.engine.other_revision import commits, started_tier, undisturbed_tier

pytestmark = pytest.mark.long

FULL = StateError("nothing can be written: no space left on device", "make room")
KILLED = -9


def record_the_fault(made: OldState, name: str) -> None:
    """The next step of the leg under way is on record as failed; the leg itself is not ended."""
    error, form = serialize_exception(FULL, None, DBOSPortableJSON)
    with closing(sqlite3.connect(made.state / "engine.db")) as connection, connection:
        ((leg,),) = connection.execute(
            "select workflow_uuid from workflow_status where status = 'PENDING'"
        ).fetchall()
        connection.execute(
            "insert into operation_outputs (workflow_uuid, function_id, function_name, error,"
            " serialization, started_at_epoch_ms, completed_at_epoch_ms) select workflow_uuid,"
            " max(function_id) + 1, ?, ?, ?, 1, 1 from operation_outputs where workflow_uuid = ?",
            (name, error, form, leg),
        )


@pytest.mark.parametrize("name", ["prepare", "call", "commit"])
def test_the_first_run_after_the_repair_continues(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """I3: replaying the recorded fault would stop the run a second time; E2: nothing is paid
    twice."""
    made = started_tier(tmp_path_factory.mktemp("faulty"))
    assert made.sparing("run", SPARING_ENGINE__CRASH_AT=f"{name}:begin").code == KILLED
    record_the_fault(made, name)
    said = made.sparing("run", "--yes")
    assert said.code == 0, said.err
    calm = undisturbed_tier(tmp_path_factory.mktemp("calm"))
    assert [tree for _, tree in commits(made.repository)] == [
        tree for _, tree in commits(calm.repository)
    ]
    paid = "select count(*) from ledger where failure = ''"
    assert made.rows(paid) == calm.rows(paid)
