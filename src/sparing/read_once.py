"""Reads that are asked again and again while a plan is made, with one statement each."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sparing.connection import Connection, Cursor, Identity

_answers: ContextVar[dict[Any, list[Any]] | None] = ContextVar("answers", default=None)


@contextmanager
def each_read_once() -> Generator[None]:
    """Within this context, a statement that was read before has the answer that it had then, until
    something is written here: a plan is made of one state of the records."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def forget_reads() -> None:
    if (known := _answers.get()) is not None:
        known.clear()


def read_once(connection: Connection, whose: object) -> Connection:
    """The connection itself, outside such a context; `whose` database it is of."""
    known = _answers.get()
    return connection if known is None else _ReadOnce(connection, whose, known)


class _ReadOnce:
    def __init__(self, real: Connection, whose: object, known: dict[Any, list[Any]]) -> None:
        self._real, self._whose, self._known = real, whose, known

    @property
    def identity(self) -> Identity | None:
        return getattr(self._real, "identity", None)

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:
        if not sql.startswith("select"):
            # Stored texts are added outside of transactions; Postgres has no rows to tell of that.
            self._known.clear()
            return self._real.execute(sql, parameters)
        key = (self._whose, sql, tuple(parameters))
        if (rows := self._known.get(key)) is None:
            rows = self._known[key] = self._real.execute(sql, parameters).fetchall()
        return _Answer(rows)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        return self._real.executemany(sql, parameters)


class _Answer:
    """Rows that were read before, from the first to the last."""

    def __init__(self, rows: list[Any]) -> None:
        self.rowcount = len(rows)
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)
