"""One recipe for connections and migrations, for a SQLite file and for a Postgres server.

A connection lives as long as one read or one transaction, or is reused while the file is watched;
see `connection`. Migrations are an append-only list: a schema newer than this program is refused,
never guessed at. What is written goes through the redactor first, whatever the table.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from sparing import postgres
from sparing.connection import BUSY_SECONDS, Cleaning, Connection, Connections, file_connections
from sparing.errors import StateError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.postgres import ConnectionLost, PostgresConnection, Server
from sparing.read_once import forget_reads, read_once
from sparing.redact import Redactor

WAL_TRIES = 300
FULL_BYTES = 1024 * 1024
COPIES = 3
"""How many copies from before migrations are kept; the newest stay."""
TRIES = 5
"""How often a transaction is retried when its connection breaks."""
T = TypeVar("T")


@lazy_dataclass
class Database:
    path: Path
    redactor: Redactor | None = None
    server: Server | None = None
    """The Postgres server; None if everything is in the file."""
    writer: list[str] = field(default_factory=list[str], compare=False, repr=False)
    """The worker that writes, if there are several: see `fleet.presence`."""
    files: Connections[Cleaning] = field(init=False, compare=False, repr=False)
    pool: Connections[PostgresConnection] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        pool = postgres.server_connections(self.server) if self.server else None
        object.__setattr__(self, "files", file_connections(self.path))
        object.__setattr__(self, "pool", pool)

    @contextmanager
    def read(self) -> Generator[Connection]:
        if self.server is not None:
            with self.session() as session:
                yield read_once(session, self.server)
            return
        with state_errors(self.path), self.files.lend() as connection:
            yield read_once(connection, self.path)

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction; it takes the write lock at once, so no other writer can come between."""
        forget_reads()
        if self.server is not None:
            with self.session() as session, _transaction(session):
                postgres.begin(session, self.redactor, self.writer)
                yield session
            return
        with state_errors(self.path), self.files.lend() as connection, _transaction(connection):
            connection.redactor = self.redactor
            connection.execute("begin immediate")
            yield connection

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Run a transaction again when its connection breaks: it may have been committed without
        our knowing, so what it writes must be the same the second time."""
        for _ in range(TRIES):
            with suppress(ConnectionLost), self.write() as tx:
                return work(tx)
        with self.write() as tx:
            return work(tx)

    @contextmanager
    def session(self) -> Generator[PostgresConnection]:
        """A connection to the server; one that broke while it waited is not handed out."""
        assert self.server is not None
        assert self.pool is not None
        with postgres.server_errors(self.server), self.pool.lend() as connection:
            yield connection

    def kept(self) -> AbstractContextManager[None]:
        """Within this context, connections that are given back are reused."""
        return self.pool.kept() if self.pool is not None else self.files.kept()

    @contextmanager
    def watch(self) -> Generator[Callable[[], bool]]:
        """Yields a cheap test whether there were writes since its last call. True the first time.

        Meanwhile connections are reused, and one stays open: closing the last one would write the
        whole log back.
        """
        seen: list[int] = []

        def is_new(version: int) -> bool:
            new = seen != [version]
            seen[:] = [version]
            return new

        if self.server is not None:
            with self.kept():
                yield lambda: is_new(self._changes())
            return
        with self.kept(), self.read() as connection:
            yield lambda: is_new(int(connection.execute("pragma data_version").fetchone()[0]))

    def _changes(self) -> int:
        with self.read() as connection:
            return int(connection.execute("select n from changes").fetchone()[0])


@contextmanager
def _transaction(connection: Cleaning | PostgresConnection) -> Generator[None]:
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def open_database(
    path: Path,
    migrations: Sequence[str],
    redactor: Redactor | None = None,
    server: Server | None = None,
) -> Database:
    database = Database(path, redactor, server)
    if server is not None:
        _open_schema(database, server, migrations)
        return database
    with state_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with database.read() as connection:
        version = _version(connection)
    back = _way_back(path, f"schema-{len(migrations)}")
    _refuse_newer(path.name, version, len(migrations), f"state.folder{back}")
    if version < len(migrations):
        if version:
            copy_aside(database, version)
        _migrate(database, migrations)
    return database


def _open_schema(database: Database, server: Server, migrations: Sequence[str]) -> None:
    with database.session() as session:
        version = postgres.prepare(session, server)
        _refuse_newer(server.shown, version, len(migrations), "state.database")
        if version < len(migrations):
            postgres.migrate(session, migrations)


def _way_back(path: Path, known: str) -> str:
    copied = path.name == "sparing.db" and path.with_name(f"{path.name}.{known}").exists()
    return f", or go back to before: sparing doctor --restore {known} --yes" if copied else ""


def _refuse_newer(name: str, version: int, known: int, setting: str) -> None:
    if version > known:
        raise StateError(
            f"{name} was written by a newer sparing (schema {version} > {known})",
            f"install that version again, or set another {setting}",
        )


def copy_aside(database: Database, version: int) -> None:
    """Copy the whole database with that schema beside it, as a way back from a migration."""
    import tempfile

    path = database.path
    target = path.with_name(f"{path.name}.schema-{version}")
    with state_errors(path), database.files.lend() as connection:
        _refuse_full(path)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=path.parent)
        os.close(handle)
        partial = Path(name)
        try:
            with closing(sqlite3.connect(partial)) as copy:
                connection.backup(copy)
                whole = _version(copy) == version
            if whole:  # else somebody else has made the copy and migrated meanwhile
                _sync(partial)
                partial.replace(target)
                _sync(path.parent)
        finally:
            partial.unlink(missing_ok=True)
        _drop_old_copies(path)


def _refuse_full(path: Path) -> None:
    files = (path, path.with_name(f"{path.name}-wal"))
    size = sum(one.stat().st_size for one in files if one.exists())
    if _free(path.parent) < size + FULL_BYTES:
        raise StateError(
            f"there is no room for a copy of {path.name}, which is made before it is upgraded",
            f"free {size // FULL_BYTES + 2} MB in {path.parent}, then run the same command again",
        )


def _drop_old_copies(path: Path) -> None:
    def number(copy: Path) -> int:
        return int(copy.name.rpartition("-")[2])

    copies = sorted(path.parent.glob(f"{path.name}.schema-*"), key=number)
    for copy in copies[:-COPIES]:
        copy.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _migrate(database: Database, migrations: Sequence[str]) -> None:
    with state_errors(database.path), database.files.lend() as connection:
        _use_wal(connection)
    with database.write() as tx:
        for number in range(first := _version(tx), len(migrations)):
            for statement in migrations[number].split(";\n"):
                tx.execute(statement)
        tx.execute(f"pragma user_version = {max(first, len(migrations))}")
    database.path.chmod(0o600)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL, waiting for others that open the file; no busy timeout covers this."""
    for _ in range(WAL_TRIES):
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(BUSY_SECONDS / WAL_TRIES)
        else:
            return
    connection.execute("pragma journal_mode = wal")


def _version(connection: Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


@contextmanager
def state_errors(path: Path) -> Generator[None, None, None]:
    """Turn problems with the file, which a person can repair, into two-line errors."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # a bug of ours, not of the file
    except (sqlite3.DatabaseError, OSError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise StateError(
            f"the state in {path.parent} can't be used: {words}", _repair(path, str(words).lower())
        ) from error


def _repair(path: Path, words: str) -> str:
    another = "set another one: SPARING_STATE__FOLDER=PATH"
    if path.is_dir():
        return f"move this folder away, a file belongs there: {path}"
    if "full" in words or "no space" in words or ("i/o error" in words and _is_full(path)):
        return "free some space, then run the same command again"
    if "malformed" in words or "not a database" in words:
        from shlex import quote

        if any(path.parent.glob("copies/*.db")):
            return "restore the latest daily backup: sparing doctor --restore"
        name = quote(str(path.parent))
        return f"there is no backup; to start over, set the state aside: mv {name} {name}.damaged"
    if "locked" in words:
        return "another process has held it for long: wait until it ends, then run the same command"
    if any(word in words for word in ("readonly", "read-only", "permission", "unable to open")):
        return f"make the folder writable, or {another}"
    return f"check the disk, or {another}"


def _is_full(path: Path) -> bool:
    """Whether the disk is full: SQLite only reports "disk I/O error" when out of room."""
    with suppress(OSError):
        return _free(path.parent) < FULL_BYTES
    return False


def _free(folder: Path) -> int:
    """Bytes available to us on a disk."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
