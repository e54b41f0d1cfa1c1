"""What the engine's library asks its SQLite file before and after each recorded step, as plain SQL.

The library builds its statements anew each time, which takes most of the processor time of a step.
Here are the same statements as text, for the one release of the library that we require; a test
compares the rows and the errors. On a server the library's own are used.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dbos._context import current_owner_xid  # pyright: ignore[reportPrivateUsage]
from dbos._error import (  # pyright: ignore[reportPrivateUsage]
    DBOSStepNondeterminismError,
    DBOSUnexpectedStepError,
    DBOSWorkflowCancelledError,
    DBOSWorkflowConflictIDError,
)
from dbos._sys_db_sqlite import SQLiteSystemDatabase  # pyright: ignore[reportPrivateUsage]

CANCELLED = "CANCELLED"
STATUS = "select status from workflow_status where workflow_uuid = ?"
RECORDED = (
    "select output, error, function_name, child_workflow_id, serialization"
    " from operation_outputs where workflow_uuid = ? and function_id = ?"
)
OWNER = (
    "update workflow_status set owner_xid = owner_xid where workflow_uuid = ? returning owner_xid"
)
"""A write, so that the transaction begins here and no other process can take the workflow."""
RECORD = (
    "insert into operation_outputs (workflow_uuid, function_id, function_name, started_at_epoch_ms,"
    " completed_at_epoch_ms, output, error, child_workflow_id, serialization, application_name,"
    " retention_timestamp) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now})"
    " on conflict (workflow_uuid, function_id) do update"
    " set completed_at_epoch_ms = operation_outputs.completed_at_epoch_ms"
    " returning completed_at_epoch_ms"
)
GIVEN = ("workflow_uuid", "function_id", "function_name", "started_at_epoch_ms")
MADE = ("output", "error", "child_workflow_id", "serialization")


def use_plain_statements() -> None:
    setattr(SQLiteSystemDatabase, "_check_operation_execution_txn", _recorded)  # noqa: B010
    setattr(SQLiteSystemDatabase, "_record_operation_result_txn", _record)  # noqa: B010


def _recorded(_self: Any, workflow_id: str, function_id: int, function_name: str, conn: Any) -> Any:
    """The recorded result of a step, if there is one."""
    ask = conn.exec_driver_sql
    status = ask(STATUS, (workflow_id,)).first()
    row = ask(RECORDED, (workflow_id, function_id)).first()
    assert status is not None, f"there is no workflow {workflow_id}"
    if status[0] == CANCELLED:
        raise DBOSWorkflowCancelledError(f"Workflow {workflow_id} is cancelled. Aborting function.")
    if row is None:
        return None
    if row[2] != function_name:
        raise DBOSUnexpectedStepError(
            workflow_id=workflow_id,
            step_id=function_id,
            expected_name=function_name,
            recorded_name=row[2],
        )
    names = ("output", "error", "", "child_workflow_id", "serialization")
    return {name: value for name, value in zip(names, row, strict=True) if name}


def _record(
    self: Any, result: Any, completed_at_epoch_ms: int, conn: Any, *, owner_xid: str | None = None
) -> None:
    ask = conn.exec_driver_sql
    workflow, step = result["workflow_uuid"], result["function_id"]
    owner = current_owner_xid(workflow) if owner_xid is None else owner_xid
    # Both are read to their ends: a statement that still runs is in the way of the commit.
    if owner is not None and [row[0] for row in ask(OWNER, (workflow,)).all()] != [owner]:
        raise DBOSWorkflowConflictIDError(workflow)
    given = [result[name] for name in GIVEN]
    made = [result[name] for name in MADE]
    values = (*given, completed_at_epoch_ms, *made, self.app_name)
    stored = ask(_record_statement(self), values).all()
    if any(row[0] != completed_at_epoch_ms for row in stored):
        raise DBOSStepNondeterminismError(workflow, step)


@lru_cache(4)
def _record_statement(database: Any) -> str:
    now = database._now_ms_sql().compile(
        dialect=database.engine.dialect, compile_kwargs={"literal_binds": True}
    )
    return RECORD.format(now=now)
