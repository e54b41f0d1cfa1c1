"""Plain SQL for recorded steps does what the library's own statements do. Covers: I3, NFR2."""

from __future__ import annotations

from collections.abc import Callable, Generator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from dbos import DBOSPortableJSONSerializer
from dbos._sys_db import SystemDatabase
from dbos._sys_db_sqlite import SQLiteSystemDatabase

from sparing.engine.step_statements import use_plain_statements

OWN, THEIRS = SQLiteSystemDatabase, SystemDatabase
WORKFLOWS = ("one", "other")
OWNER = "me"


@pytest.fixture
def database(tmp_path: Path) -> Generator[Any]:
    use_plain_statements()
    made = SystemDatabase.create(
        f"sqlite:///{tmp_path / 'engine.db'}", {}, None, None, DBOSPortableJSONSerializer(), "here",
        app_name="sparing",
    )  # fmt: skip
    made.run_migrations()
    with made.engine.begin() as tx:
        for name in WORKFLOWS:
            tx.exec_driver_sql(
                "insert into workflow_status (workflow_uuid, status, owner_xid) values (?, ?, ?)",
                (name, "PENDING", OWNER),
            )
    yield made
    made.destroy()


def _result(workflow: str, step: int, **more: object) -> dict[str, Any]:
    return {
        "workflow_uuid": workflow, "function_id": step, "function_name": "call",
        "output": '{"a": 1}', "error": None, "serialization": "portable_json",
        "started_at_epoch_ms": 5, "child_workflow_id": None, **more,
    }  # fmt: skip


def _record(by: Any, database: Any, result: dict[str, Any], at: int, owner: str = OWNER) -> None:
    with database.engine.begin() as tx:
        by._record_operation_result_txn(database, result, at, tx, owner_xid=owner)


def _recorded(by: Any, database: Any, workflow: str, step: int, name: str = "call") -> Any:
    with database.engine.begin() as tx:
        return by._check_operation_execution_txn(database, workflow, step, name, tx)


def _rows(database: Any, workflow: str) -> list[dict[str, Any]]:
    with database.engine.begin() as tx:
        found = tx.exec_driver_sql(
            "select * from operation_outputs where workflow_uuid = ? order by function_id",
            (workflow,),
        )
        return [dict(row._mapping) for row in found]


def _failure(case: Callable[[Any, str], object], by: Any, name: str) -> tuple[type, str]:
    try:
        case(by, name)
    except BaseException as error:  # noqa: BLE001 - some of the library's are no exceptions
        return type(error), str(error).replace(name, "")
    raise AssertionError("nothing was raised")


def test_rows_are_the_librarys(database: Any) -> None:
    """I3: every column of a step's row is what the library writes, but the second of its clock."""
    for by, workflow in zip((OWN, THEIRS), WORKFLOWS, strict=True):
        _record(by, database, _result(workflow, 1), 7)
        _record(by, database, _result(workflow, 1), 7)  # played again by a retry
        more = {"output": None, "error": "failed", "child_workflow_id": "child"}
        _record(by, database, _result(workflow, 2, **more), 8)
    own, theirs = (_rows(database, workflow) for workflow in WORKFLOWS)
    assert len(own) == len(theirs) == 2
    for one, other in zip(own, theirs, strict=True):
        assert abs(one.pop("retention_timestamp") - other.pop("retention_timestamp")) <= 60_000
        assert {**one, "workflow_uuid": ""} == {**other, "workflow_uuid": ""}


def test_reading_gives_what_the_library_reads(database: Any) -> None:
    """I3: a step that is recorded is replayed, one that is not is run."""
    for workflow in WORKFLOWS:
        _record(THEIRS, database, _result(workflow, 1), 7)
    for step in (1, 2):
        own, theirs = (
            _recorded(by, database, workflow, step)
            for by, workflow in zip((OWN, THEIRS), WORKFLOWS, strict=True)
        )
        assert own == theirs
    assert _recorded(OWN, database, "one", 2) is None
    assert _recorded(OWN, database, "one", 1)["output"] == '{"a": 1}'


def test_failures_are_the_librarys(database: Any) -> None:
    """I3: another owner, another step in its place, a second outcome, a cancelled workflow."""
    for workflow in WORKFLOWS:
        _record(THEIRS, database, _result(workflow, 1), 7)
    cases: list[Callable[[Any, str], object]] = [
        lambda by, name: _record(by, database, _result(name, 2), 7, owner="somebody else"),
        lambda by, name: _record(by, database, _result(name, 1), 9),
        lambda by, name: _recorded(by, database, name, 1, "commit"),
        lambda by, name: _cancelled(by, database, name),
    ]
    for case in cases:
        pairs = zip((OWN, THEIRS), WORKFLOWS, strict=True)
        found = [_failure(case, by, name) for by, name in pairs]
        assert found[0] == found[1]


def _cancelled(by: Any, database: Any, workflow: str) -> object:
    with database.engine.begin() as tx:
        tx.exec_driver_sql("update workflow_status set status = 'CANCELLED'")
    return _recorded(by, database, workflow, 1)


def test_the_release_is_the_one_that_was_compared() -> None:
    """I3: another release of the library may write other columns."""
    assert version("dbos") == "3.3.0"
