"""One recipe for connections and migrations.

A connection lives as long as one read or one transaction, or is used again while the file is
watched; see `connection`. Migrations are an append-only list: a schema newer than
this program is refused, never guessed at. What is written goes through the redactor first, in
whichever table it ends.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sparing.connection import BUSY_SECONDS, Cleaning, Connections
from sparing.errors import StateError
from sparing.redact import Redactor

WAL_TRIES = 300
FULL_BYTES = 1024 * 1024
COPIES = 3
"""How many copies from before migrations are kept, the newest."""


@dataclass(frozen=True)
class Database:
    path: Path
    redactor: Redactor | None = None
    connections: Connections = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "connections", Connections(self.path))

    @contextmanager
    def read(self) -> Generator[Cleaning, None, None]:
        with state_errors(self.path), self.connections.lend() as connection:
            yield connection

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection, None, None]:
        """One transaction; it takes the write lock at once, so nobody can slip in between."""
        with self.read() as connection:
            connection.redactor = self.redactor
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def watch(self) -> Generator[Callable[[], bool], None, None]:
        """A cheap question: has anybody written since I asked last? True the first time.

        While it is asked, connections are used again. And the one that stays open is never the
        last: closing the last one writes the whole log back.
        """
        with self.connections.kept(), self.read() as connection:
            seen: list[int] = []

            def changed() -> bool:
                version = int(connection.execute("pragma data_version").fetchone()[0])
                new = seen != [version]
                seen[:] = [version]
                return new

            yield changed


def open_database(
    path: Path, migrations: Sequence[str], redactor: Redactor | None = None
) -> Database:
    database = Database(path, redactor)
    with state_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with database.read() as connection:
        version = _version(connection)
    if version > len(migrations):
        raise StateError(
            f"{path.name} was written by a newer sparing (schema {version} > {len(migrations)})",
            "install that version again, or set another state.folder",
        )
    if version < len(migrations):
        if version:
            copy_aside(database, version)
        _migrate(database, migrations)
    return database


def copy_aside(database: Database, version: int) -> None:
    """The whole database as that schema has it, beside it: a way back from a migration."""
    path = database.path
    target = path.with_name(f"{path.name}.schema-{version}")
    with database.read() as connection:
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
    if shutil.disk_usage(path.parent).free < size + FULL_BYTES:
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
    with database.read() as connection:
        _use_wal(connection)
    with database.write() as tx:
        for number in range(_version(tx), len(migrations)):
            for statement in migrations[number].split(";\n"):
                tx.execute(statement)
            tx.execute(f"pragma user_version = {number + 1}")
    database.path.chmod(0o600)


def _use_wal(connection: sqlite3.Connection) -> None:
    """The busy timeout does not cover this switch: others that open the file now are waited for."""
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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


@contextmanager
def state_errors(path: Path) -> Generator[None, None, None]:
    """What goes wrong with a file is a person's to repair; it gets two lines."""
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
        name = shlex.quote(str(path))
        return f"set the damaged file aside and begin anew: mv {name} {name}.damaged"
    if "locked" in words:
        return "another process has held it for long: wait for its end, then run the same command"
    if any(word in words for word in ("readonly", "read-only", "permission", "unable to open")):
        return f"make the folder writable, or {another}"
    return f"see whether the disk is well, or {another}"


def _is_full(path: Path) -> bool:
    """SQLite says no more than "disk I/O error" when it finds no room for its shared memory."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < FULL_BYTES
    return False
