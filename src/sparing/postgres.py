"""Connections to a Postgres server, with the same statements as SQLite has.

A repository has a schema of its own in the one database of a team. Types hold what SQLite's hold:
counts and money have 64 bits, times are doubles, texts compare byte by byte. A transaction begins
by counting itself in the row of `changes`: that admits one writer at a time, as in SQLite, and
tells watchers that something is new.

Passwords come from where Postgres looks for them (a password file, a service file), never from us.
psycopg is loaded only when such a database is opened.
"""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from sparing.connection import Connections, Cursor, Identity, cleaned
from sparing.errors import ConfigError, StateError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.redact import Redactor
from sparing.wait import waiting

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 10
WRITTEN = "write it like this: postgresql://user@host/name?sslmode=require"
AGAIN_SECONDS = 60.0  # how long a server that has answered before is waited for
SETTINGS = {
    "lock_timeout": "60s",
    "idle_in_transaction_session_timeout": "5s",
    "tcp_keepalives_idle": "15",
    "standard_conforming_strings": "on",
}
"""Settings of every session: a worker stopped inside a transaction blocks no one for long."""
OWN_TABLES = """\
create table changes (
  one bigint primary key check (one = 1), n bigint not null, version bigint not null
);
insert into changes values (1, 0, 0);
create table blobs (digest text primary key, data bytea not null);
create table secrets (name text primary key, data bytea not null)"""
BEGIN = "begin; update changes set n = n + 1"
_ROWS = "(gates|ledger|verdicts|findings|rulings)"


class ConnectionLost(StateError):
    """The connection to the server was lost: a caller that can redo its work does so."""


class WriterGone(StateError):
    """This process was silent for so long that others have taken over its work."""


@lazy_dataclass
class Server:
    url: str
    schema: str

    @property
    def engine_schema(self) -> str:
        """The schema of the engine library's own tables."""
        return f"{self.schema}_engine"

    @property
    def shown(self) -> str:
        """The URL without its options; passwords are already refused when settings are read."""
        return self.url.partition("?")[0]


class PostgresConnection:
    """Accepts statements in SQLite's form."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw
        self.redactor: Redactor | None = None
        self._process = os.getpid()

    @property
    def identity(self) -> Identity | None:
        """Also None if the server has sent something unasked, as it does when shutting down."""
        if self.raw.closed or select.select([self.raw.fileno()], [], [], 0)[0]:
            return None
        return self._process, 0, 0

    @property
    def in_transaction(self) -> bool:
        return self.raw.info.transaction_status != 0

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:
        return self.raw.execute(_translated(sql), _plain(cleaned(self.redactor, parameters)))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        rows = [_plain(cleaned(self.redactor, row)) for row in parameters]
        cursor = self.raw.cursor()
        cursor.executemany(_translated(sql), rows)
        return cursor

    def reset(self) -> None:
        self.redactor = None

    def begin(self) -> None:
        self.raw.execute("begin")

    def commit(self) -> None:
        self.raw.execute("commit")

    def rollback(self) -> None:
        if not self.raw.closed:
            self.raw.rollback()

    def close(self) -> None:
        self.raw.close()


def server_connections(server: Server) -> Connections[PostgresConnection]:
    answered: list[bool] = []

    def connect() -> PostgresConnection:
        made = _patiently(lambda: _connect(server)) if answered else _connect(server)
        answered[:] = [True]
        return made

    return Connections(connect, lambda: (os.getpid(), 0, 0))


@contextmanager
def server_errors(server: Server) -> Generator[None]:
    """Turn problems with the server, which a person can repair, into two-line errors."""
    import psycopg

    try:
        yield
    except (psycopg.IntegrityError, psycopg.ProgrammingError, psycopg.DataError):
        raise  # a bug of ours, not of the server
    except psycopg.Error as error:
        raise _said(server, error) from error


def _said(server: Server, error: psycopg.Error) -> StateError:
    words = " ".join((error.diag.message_primary or str(error)).split())
    if server.url in words:
        words = words.replace(server.url, server.shown)
    what = f"the database {server.shown} can't be used: {words}"
    lower = words.lower()
    for sign, repair in _REPAIRS.items():
        if sign in lower:
            return StateError(what, repair)
    return ConnectionLost(what, "check that the server is running, then run the same command again")


_REPAIRS = {
    "password": "put the right line into ~/.pgpass (host:port:database:user:password, mode 600)",
    "pg_hba.conf": "let the server's pg_hba.conf allow this user and address",
    "ssl": "turn TLS on at the server (ssl = on), or set what both can: ?sslmode=… in the address",
    "does not exist": "create it on the server first: createdb, createuser",
    "permission denied": "let the owner grant it: grant create, connect on database … to …",
    "too many": "raise max_connections on the server, or run fewer workers",
    "no space left": "free some space on the server, then run the same command again",
    "lock timeout": "another process has held it for long: wait until it ends, then run this again",
}


def connect_alone(server: Server) -> PostgresConnection:
    """A session of our own; waits for a server that is restarting."""
    return _patiently(lambda: _connect(server))


def _connect(server: Server) -> PostgresConnection:
    raw = connect_raw(server, server.schema, autocommit=True)
    raw.row_factory = cast("Any", _named)
    return PostgresConnection(raw)


def connect_raw(
    server: Server, schema: str, *, autocommit: bool = False
) -> psycopg.Connection[Any]:
    """The driver's own connection, for statements in Postgres' own dialect."""
    import psycopg

    settings = {**SETTINGS, "search_path": schema}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    try:
        return psycopg.connect(
            server.url, connect_timeout=CONNECT_SECONDS, application_name="sparing",
            options=options, autocommit=autocommit,
        )  # fmt: skip
    except psycopg.ProgrammingError as error:
        raise ConfigError(f"state.database can't be read: {error}".strip(), WRITTEN) from error


def _patiently(connect: Callable[[], PostgresConnection]) -> PostgresConnection:
    from psycopg import OperationalError

    end = time.monotonic() + AGAIN_SECONDS
    with waiting("waiting for the database server", AGAIN_SECONDS):
        while True:
            try:
                return connect()
            except OperationalError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.2)


def prepare(connection: PostgresConnection, server: Server) -> int:
    """Create the schema if there is none; returns its version."""
    found = connection.execute("select to_regclass(?)", (f"{server.schema}.changes",)).fetchone()
    if found[0] is None:
        connection.begin()
        connection.execute("select pg_advisory_xact_lock(hashtext('sparing'))")
        connection.execute(f"create schema if not exists {server.schema}")
        again = connection.execute("select to_regclass(?)", (f"{server.schema}.changes",))
        if again.fetchone()[0] is None:
            for statement in OWN_TABLES.split(";\n"):
                connection.execute(statement)
        connection.commit()
    return int(connection.execute("select version from changes").fetchone()[0])


def migrate(connection: PostgresConnection, migrations: Sequence[str]) -> None:
    """Migrate in one transaction; of two concurrent callers the second finds it done."""
    connection.begin()
    row = connection.execute("update changes set n = n + 1 returning version").fetchone()
    version = int(row[0])
    for number in range(version, len(migrations)):
        for statement in migrations[number].split(";\n"):
            if version or not statement.lstrip().startswith(("insert", "update")):
                connection.execute(_typed(statement))
    connection.execute("update changes set version = ?", (max(version, len(migrations)),))
    connection.commit()


def _typed(statement: str) -> str:
    """A statement that makes tables, in Postgres' dialect. A new schema has no rows to migrate,
    so that is left out. A column keeps the order of rows, which SQLite has built in."""
    kept = "bigint generated by default as identity"
    statement = statement.replace("integer primary key autoincrement", f"{kept} primary key")
    statement = re.sub(r"\binteger\b", "bigint", statement)
    statement = re.sub(r"\breal\b", "double precision", statement)
    statement = re.sub(r"(?<=\w )text\b", 'text collate "C"', statement)
    statement = statement.replace(") without rowid", ")")
    return re.sub(rf"create table {_ROWS} \(", rf"create table \1 (rowid {kept} unique,", statement)


def begin(connection: PostgresConnection, redactor: Redactor | None, writer: Sequence[str]) -> None:
    """Begin as the only writer; a worker that the others have given up may no longer write. One
    message: each of its statements sees what was written while the one before waited."""
    from psycopg import sql

    connection.redactor = redactor
    known = (f"; select 1 from workers where id = {sql.quote(one)}" for one in writer)  # noqa: S608
    asked = connection.raw.execute(cast("Any", BEGIN + "".join(known)), prepare=False)
    if writer and asked.set_result(-1).fetchone() is None:
        raise writer_gone(writer[0])


def writer_gone(worker: str) -> WriterGone:
    return WriterGone(
        f"this process ({worker}) was silent for too long: other workers took over its features",
        "nothing is lost; start again: sparing worker",
    )


@lru_cache(512)
def _translated(sql: str) -> Any:
    return sql.replace("%", "%%").replace("?", "%s")


def _plain(parameters: Any) -> tuple[Any, ...]:
    """Parameters for psycopg: plain text only, without characters that Postgres refuses."""
    return tuple(
        str(value).replace("\0", "\ufffd") if isinstance(value, str) else value
        for value in parameters
    )


class NamedRow(tuple[Any, ...]):
    """A row whose values also have names."""

    __slots__ = ()
    names: dict[str, int]

    def __getitem__(self, key: Any, /) -> Any:
        return super().__getitem__(self.names[key] if isinstance(key, str) else key)


@lru_cache(512)
def _row_of(names: tuple[str, ...]) -> type[NamedRow]:
    return type("Row", (NamedRow,), {"__slots__": (), "names": {n: i for i, n in enumerate(names)}})


def _named(cursor: psycopg.Cursor[Any]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    return _row_of(tuple(column.name for column in cursor.description or ()))
