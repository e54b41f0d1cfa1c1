"""Connections to one database: opened by one recipe, cleaned of secrets, and used again.

While the database is kept open, a connection that was given back waits for its next use in any
thread. Nothing of its last use is left in it: no transaction, no half-read rows. A file that was
replaced or deleted meanwhile gets a new connection. If it is not kept open, a connection ends with
its use.

Statements are written once, for SQLite and for Postgres: `?` marks a value, rows are read by
position or by name. What differs is here and in `postgres`.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar, cast
from weakref import WeakSet

from sparing.redact import Redactor

BUSY_SECONDS = 30.0
MOST_KEPT = 16

Identity = tuple[int, int, int]


class Row(Protocol):
    """A row of a result; its values by position or by name."""

    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Executes statements, inside a read or a transaction."""

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor: ...
    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor: ...


class PooledConnection(Connection, Protocol):
    """A connection that can be reused."""

    redactor: Redactor | None

    @property
    def identity(self) -> Identity | None:
        """The process and the file that it was opened for; None if it can't be reused."""
        ...

    @property
    def in_transaction(self) -> bool: ...
    def reset(self) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...


C = TypeVar("C", bound=PooledConnection)


class Cleaning(sqlite3.Connection):
    """A connection that redacts secrets in every value it is given."""

    redactor: Redactor | None = None
    identity: Identity | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        cursor = super().execute(sql, cleaned(self.redactor, parameters))
        self._cursors.add(cursor)
        return cursor

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        return super().executemany(sql, [cleaned(self.redactor, row) for row in parameters])

    def reset(self) -> None:
        """Close all cursors: a half-read one would keep the next user at an old snapshot."""
        for cursor in list(self._cursors):
            cursor.close()
        self._cursors.clear()
        self.redactor = None


class Connections(Generic[C]):
    """The connections of one database."""

    def __init__(self, connect: Callable[[], C], identity: Callable[[], Identity | None]) -> None:
        self._connect = connect
        self._identity = identity
        self._lock = Lock()
        self._keepers = 0
        self._idle: list[C] = []
        self._inherited: list[C] = []
        """Connections of the process that we were forked from: not even to be closed here."""

    @contextmanager
    def kept(self) -> Generator[None, None, None]:
        """Within this context, connections that are given back are reused."""
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                idle, self._idle = ([], self._idle) if self._keepers else (self._idle, [])
            for connection in idle:
                self._drop(connection)

    @contextmanager
    def lend(self) -> Generator[C, None, None]:
        connection = self._take()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    def _take(self) -> C:
        if self._keepers:
            identity = self._identity()
            while (connection := self._next_idle()) is not None:
                if connection.identity == identity:
                    return connection
                self._drop(connection)
        return self._connect()

    def _next_idle(self) -> C | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: C) -> None:
        connection.reset()
        with self._lock:
            useful = self._keepers and not connection.in_transaction
            if useful and len(self._idle) < MOST_KEPT and connection.identity is not None:
                self._idle.append(connection)
                return
        connection.close()

    def _drop(self, connection: C) -> None:
        if connection.identity is not None and connection.identity[0] != os.getpid():
            self._inherited.append(connection)
        else:
            connection.close()


def cleaned(redactor: Redactor | None, parameters: Any) -> Any:
    """The parameters of a statement, by position or by name, with secrets redacted."""
    if redactor is None or not parameters:
        return parameters
    if isinstance(parameters, dict):
        named = cast("dict[str, Any]", parameters)
        return {name: _clean(redactor, value) for name, value in named.items()}
    return tuple(_clean(redactor, value) for value in parameters)


def _clean(redactor: Redactor, value: Any) -> Any:
    """Redact a value; in JSON only the strings are changed, so that it can still be parsed."""
    if not isinstance(value, str) or (text := redactor.clean(value)) == value:
        return value
    try:
        return json.dumps(redactor.clean_data(json.loads(value)))
    except (ValueError, RecursionError):
        return text


def file_connections(path: Path) -> Connections[Cleaning]:
    """The connections of a SQLite file."""
    return Connections(lambda: _connect(path), lambda: _identity(path))


def _connect(path: Path) -> Cleaning:
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        factory=Cleaning,
        # One thread at a time has it, but not always the same.
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("pragma synchronous = full")
        connection.execute("pragma foreign_keys = on")
    except BaseException:
        connection.close()
        raise
    connection.identity = _identity(path)
    return connection


def _identity(path: Path) -> Identity | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return os.getpid(), stat.st_dev, stat.st_ino


def with_parts_of_seconds(connection: sqlite3.Connection, clock: Callable[[], float]) -> None:
    """DBOS assumes that from Python 3.12 on SQLite is 3.42 or newer, and calls
    `unixepoch('subsec')`, which is null on an older one."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function(
            "unixepoch", -1, lambda *how: clock() if "subsec" in how else int(clock())
        )
