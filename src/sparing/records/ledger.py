"""The ledger: one row an attempt at a dispatch, written before the agent is asked.

A row without usage is a turn whose end nobody saw: its cost is unknown, never zero.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from typing import Any

from sparing.usage import Origin, Usage


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known before the turn."""

    dispatch: str
    feature: str
    stage: str
    role: str
    iteration: int
    task: str
    way: str
    reason: str
    backend: str
    model: str
    prompt: str
    """Hash of the prompt's text."""
    prompt_chars: int
    naive: dict[str, Any]
    """What the naive prompt for this turn would have been: its hash and size."""
    started: float


@dataclass(frozen=True, slots=True)
class Result:
    """What is known after it."""

    session: str
    usage: Usage
    origin: Origin
    calls: list[dict[str, int]]
    """Tokens added and answered by each model call of the turn, where the backend tells."""
    context_tokens: int
    seconds: float
    files_read: list[str]
    reply: str
    """Hash of the reply's text."""
    failure: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    attempt: Attempt
    number: int
    result: Result | None = field(default=None)


def begin(tx: sqlite3.Connection, attempt: Attempt) -> int:
    """A plain insert: every try counts, and no recovery takes one back."""
    number = 1 + int(
        tx.execute(
            "select count(*) from ledger where dispatch = ?", (attempt.dispatch,)
        ).fetchone()[0]
    )
    tx.execute(
        "insert into ledger (dispatch, attempt, feature, stage, role, iteration, task, way, reason,"
        " backend, model, session, prompt, prompt_chars, naive, started)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)",
        (
            attempt.dispatch,
            number,
            attempt.feature,
            attempt.stage,
            attempt.role,
            attempt.iteration,
            attempt.task,
            attempt.way,
            attempt.reason,
            attempt.backend,
            attempt.model,
            attempt.prompt,
            attempt.prompt_chars,
            json.dumps(attempt.naive),
            attempt.started,
        ),  # fmt: skip
    )
    return number


def finish(tx: sqlite3.Connection, dispatch: str, number: int, result: Result) -> None:
    usage = result.usage
    tx.execute(
        "update ledger set session = ?, uncached = ?, read = ?, write_5m = ?, write_1h = ?,"
        " output = ?, origin = ?, calls = ?, context_tokens = ?, seconds = ?, files_read = ?,"
        " reply = ?, failure = ?, detail = ? where dispatch = ? and attempt = ?",
        (
            result.session,
            usage.uncached,
            usage.read,
            usage.write_5m,
            usage.write_1h,
            usage.output,
            result.origin.value,
            json.dumps(result.calls),
            result.context_tokens,
            result.seconds,
            json.dumps(result.files_read),
            result.reply,
            result.failure,
            result.detail,
            dispatch,
            number,
        ),  # fmt: skip
    )


def of_feature(connection: sqlite3.Connection, feature: str) -> list[Row]:
    rows = connection.execute(
        "select * from ledger where feature = ? order by started, dispatch, attempt", (feature,)
    )
    return [_row(row) for row in rows]


def _row(row: sqlite3.Row) -> Row:
    attempt = Attempt(
        row["dispatch"], row["feature"], row["stage"], row["role"], row["iteration"], row["task"],
        row["way"], row["reason"], row["backend"], row["model"], row["prompt"],
        row["prompt_chars"], json.loads(row["naive"]), row["started"],
    )  # fmt: skip
    if row["origin"] is None:
        return Row(attempt, row["attempt"])
    usage = Usage(row["uncached"], row["read"], row["write_5m"], row["write_1h"], row["output"])
    result = Result(
        row["session"], usage, Origin(row["origin"]), json.loads(row["calls"]),
        row["context_tokens"], row["seconds"], json.loads(row["files_read"]), row["reply"],
        row["failure"], row["detail"],
    )  # fmt: skip
    return Row(attempt, row["attempt"], result)
