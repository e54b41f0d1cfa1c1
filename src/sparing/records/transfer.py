"""All records of a repository, moved from a state folder to a server or back.

One transaction on the receiving side: either everything is there, or nothing is. Rows keep their
order, and each table is compared with its source before the end. The source is left unchanged. What
the engine's library has recorded of work in flight is not moved: a running feature continues from
its last decision.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from sparing.codec import JsonObject
from sparing.connection import Connection, cleaned
from sparing.database import Database, state_errors
from sparing.errors import StateError
from sparing.records import blobs
from sparing.records.daily_backup import ENGINE, set_aside
from sparing.records.daily_backup import NAME as DATABASE
from sparing.records.folder import NAME, StateFolder

ORDERED = ("gates", "ledger", "verdicts", "findings", "rulings")
"""Tables whose row order matters: SQLite keeps it implicitly, on a server it is a column."""
COUNTED = ("mailbox", "events", "raises")
"""Tables whose rows are numbered by the database."""
KEPT_BACK = frozenset({"changes", "blobs", "secrets", "workers"})
"""Tables that are not records: the server's stand-in for a folder's files, and its workers."""
BATCH = 500
Tell = Callable[[str], None]


class Transfer(NamedTuple):
    """What was copied."""

    rows: dict[str, int]
    """Number of rows by table."""
    texts: int


def transfer(source: StateFolder, target: StateFolder, tell: Tell) -> Transfer:
    """Copy everything; `target` must have no features, and neither side may be written
    meanwhile."""
    old, new = source.database(), target.database()
    with old.write() as rows, new.write() as tx:
        for database, connection in ((old, rows), (new, tx)):
            _wait_for_us(database, connection)
        _refuse_full(target, tx)
        texts = _copy_texts(source, target, tell)
        copied = {table: _copy(table, (old, rows), (new, tx)) for table in _tables(old, rows)}
        for table, count in copied.items():
            tell(f"{table}: {count}")
        if target.server is not None:
            _number_on(tx)
        _set_secret(target, tx, source.secret)
    return Transfer(copied, texts)


def _wait_for_us(database: Database, connection: Connection) -> None:
    if database.server is not None:
        connection.execute("set local idle_in_transaction_session_timeout = 0")


def _refuse_full(target: StateFolder, tx: Connection) -> None:
    count = int(tx.execute("select count(*) from features").fetchone()[0])
    if count:
        where = target.server.shown if target.server else str(target.path)
        schema = target.server.schema if target.server else ""
        raise StateError(
            f"{where} already has records of this repository ({count} features)",
            f"to delete them: psql -c 'drop schema {schema} cascade', then the same command again",
        )


def _tables(database: Database, connection: Connection) -> list[str]:
    """Features first: others refer to them."""
    if database.server is None:
        found = connection.execute("select name from sqlite_master where type = 'table'")
    else:
        found = connection.execute(
            "select table_name from information_schema.tables where table_schema = current_schema()"
        )
    names = {str(row[0]) for row in found if not str(row[0]).startswith("sqlite_")} - KEPT_BACK
    return sorted(names, key=lambda name: (name != "features", name))


def _columns(database: Database, connection: Connection, table: str) -> list[str]:
    if database.server is None:
        found = connection.execute("select name from pragma_table_info(?)", (table,))
    else:
        found = connection.execute(
            "select column_name from information_schema.columns"
            " where table_schema = current_schema() and table_name = ?",
            (table,),
        )
    return sorted(str(row[0]) for row in found if row[0] != "rowid")


Side = tuple[Database, Connection]


def _copy(table: str, source: Side, target: Side) -> int:
    """Copy one table; returns how many rows it has."""
    columns, redactor = _columns(*target, table), target[0].redactor
    marks = ", ".join("?" * len(columns))
    into = f"insert into {table} ({', '.join(columns)}) values ({marks})"  # noqa: S608
    rows = [cleaned(redactor, tuple(row)) for row in _rows(source[1], table, columns)]
    for start in range(0, len(rows), BATCH):
        target[1].executemany(into, rows[start : start + BATCH])
    if _digest(table, rows) != _digest(table, _rows(target[1], table, columns)):
        raise StateError(
            f"the copy of {table} differs from the original; nothing was kept",
            "run the same command again; if it fails again, report it: sparing diagnose",
        )
    return len(rows)


def _rows(connection: Connection, table: str, columns: list[str]) -> list[Any]:
    order = order_of(table)
    found = connection.execute(f"select {', '.join(columns)} from {table} order by {order}")  # noqa: S608
    return found.fetchall()


def order_of(table: str) -> str:
    return "rowid" if table in ORDERED else "n" if table in COUNTED else "1"


def _digest(table: str, rows: Iterable[Any]) -> bytes:
    """Digest of a table's content, including the order of its rows where that matters."""
    every = [_bytes(row) for row in rows]
    if table not in ORDERED and table not in COUNTED:
        every.sort()
    return hashlib.sha256(b"\n".join(every)).digest()


def _bytes(row: Any) -> bytes:
    """A row as bytes, with NUL characters replaced as on a server, which refuses them."""
    plain = (v.replace("\0", "\ufffd") if isinstance(v, str) else v for v in row)
    return repr(tuple(plain)).encode("utf-8", "surrogatepass")


def _number_on(tx: Connection) -> None:
    """Make the server number new rows after those that were copied."""
    for table, column in (*((t, "n") for t in COUNTED), *((t, "rowid") for t in ORDERED)):
        tx.execute(
            f"select setval(pg_get_serial_sequence('{table}', '{column}'),"  # noqa: S608
            f" coalesce((select max({column}) from {table}), 0) + 1, false)"
        )


def install(incoming: Path, folder: Path) -> list[Path]:
    """Replace a state folder's records with complete ones. The old ones are kept under another
    name, and so is the engine's database, which knows nothing of the new. Returns what was kept.

    The caller holds the engine's lock.
    """
    with state_errors(folder / DATABASE):
        for text in (incoming / "blobs").glob("??/*"):
            home = folder / "blobs" / text.parent.name
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            text.replace(home / text.name)
        known = folder / NAME
        same = known.exists() and known.read_bytes() == (incoming / NAME).read_bytes()
        old = (DATABASE, ENGINE) if same else (DATABASE, ENGINE, NAME)
        kept = [one for name in old if (one := set_aside(folder / name))]
        (incoming / NAME).replace(known)
        (incoming / DATABASE).replace(folder / DATABASE)
        rmtree(incoming)
    return kept


def _copy_texts(source: StateFolder, target: StateFolder, tell: Tell) -> int:
    count = 0
    for digest in _digests(source):
        target.put(digest, source.stored(digest))
        count += 1
        if not count % BATCH:
            tell(f"texts: {count}")
    return count


def _digests(folder: StateFolder) -> Iterator[str]:
    if folder.server is not None:
        yield from blobs.digests(folder.database())
        return
    for path in sorted((folder.path / "blobs").glob("??/*")):
        if len(path.name) == 2 * hashlib.sha256().digest_size:
            yield path.name


def _set_secret(target: StateFolder, tx: Connection, secret: bytes) -> None:
    """Copy the secret that wraps prompts, so that cached prompts stay usable."""
    if target.server is not None:
        tx.execute(
            "insert into secrets (name, data) values (?, ?)"
            " on conflict (name) do update set data = excluded.data",
            (NAME, secret),
        )
        return
    path = target.path / NAME
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret)
        os.fsync(file.fileno())


OF_FEATURE = (
    *("ledger", "gates", "mailbox", "events", "verdicts", "findings", "rulings", "sessions"),
    *("raises", "quoted_facts", "sheet_parts", "approvals"),
)
"""Those that name the feature a row belongs to; `features` and `resume_checks` are beside them."""


def rows_of(connection: Connection, feature: str) -> dict[str, list[JsonObject]]:
    """In the order in which they were written."""
    return {table: _of(connection, table, "feature", feature) for table in OF_FEATURE}


def loose_rows(connection: Connection) -> list[JsonObject]:
    """Rows of tables that belong to no feature."""
    found = connection.execute("select name from sqlite_master where type = 'table'")
    names = {str(row[0]) for row in found if not str(row[0]).startswith("sqlite_")}
    loose = sorted(names - {"features", *OF_FEATURE})
    every = [connection.execute(f"select * from {name}") for name in loose]  # noqa: S608 - our names
    return [dict(zip(row.keys(), row, strict=True)) for rows in every for row in rows]


def feature_columns(connection: Connection, feature: str) -> JsonObject:
    return _of(connection, "features", "key", feature)[0]


def checks_of(connection: Connection, backend: str) -> list[JsonObject]:
    return _of(connection, "resume_checks", "backend", backend)


def _of(connection: Connection, table: str, column: str, value: str) -> list[JsonObject]:
    order = order_of(table)
    every = f"select * from {table} where {column} = ? order by {order}"  # noqa: S608 - our names
    return [dict(zip(row.keys(), row, strict=True)) for row in connection.execute(every, (value,))]


def put_rows(tx: Connection, rows: Mapping[str, list[JsonObject]]) -> None:
    """Insert into tables that have no rows of this feature. Columns unknown here are ignored:
    another version may have recorded them."""
    for table in ("features", "resume_checks", *OF_FEATURE):
        found = tx.execute("select name from pragma_table_info(?)", (table,))
        known = [str(one[0]) for one in found]
        for row in rows.get(table, ()):
            named = [name for name in known if name in row]
            marks = ", ".join("?" * len(named))
            into = f"insert into {table} ({', '.join(named)}) values ({marks})"  # noqa: S608
            tx.execute(into, tuple(row[name] for name in named))
