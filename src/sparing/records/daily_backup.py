"""A daily copy of our records, kept beside them, to recover from a damaged or emptied database.

Made by SQLite's own backup, so it is complete even while others write, and named by its day. A file
that a copy replaces is kept under another name; only the oldest copies are ever deleted.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from sparing.database import state_errors
from sparing.errors import StateError

FOLDER = "copies"
NAME = "sparing.db"
ENGINE = "engine.db"
KEPT = 7
RESTORE = "sparing doctor --restore"


def copy_daily(folder: Path, now: float) -> Path | None:
    """Today's copy, made once a day; None if there is one already, or nothing to copy.

    A copy that can't be made is no reason to stop a run: the next start tries again.
    """
    day = datetime.fromtimestamp(now, UTC).date().isoformat()
    target = folder / FOLDER / f"{day}.db"
    if target.exists() or is_lost(folder) or not (folder / NAME).exists():
        return None
    with suppress(OSError, sqlite3.Error):
        target.parent.mkdir(mode=0o700, exist_ok=True)
        _copy(folder / NAME, target)
        for old in copies(folder)[KEPT:]:
            old.unlink(missing_ok=True)
        return target
    return None


def copies(folder: Path) -> list[Path]:
    """The latest first."""
    return sorted((folder / FOLDER).glob("????-??-??.db"), reverse=True)


def named(copy: Path) -> str:
    """The name by which a copy is requested: its day, or the schema version it was kept from."""
    return copy.stem if copy.parent.name == FOLDER else copy.suffix.removeprefix(".")


def _before_upgrades(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{NAME}.schema-*"), reverse=True)


def is_lost(folder: Path) -> bool:
    """Whether there were records here, and now there are none."""
    path = folder / NAME
    if path.exists() and path.stat().st_size:
        return False
    return (folder / ENGINE).exists() or (folder / FOLDER).exists()


def refuse_lost(folder: Path) -> None:
    """Raise if the records are lost: an empty database would look as if no feature ever began."""
    if not is_lost(folder):
        return
    state = "is empty" if (folder / NAME).exists() else "is gone"
    found = copies(folder)
    repair = RESTORE if found else f"there is no backup; to start over: mv {folder} {folder}.lost"
    raise StateError(f"the records of this repository are lost: {folder / NAME} {state}", repair)


def restore(folder: Path, day: str = "") -> tuple[Path, list[Path]]:
    """Restore the latest intact daily copy, or the named one; returns it and the files set aside.

    The caller holds the engine's lock. The engine's own database is set aside too: it is ahead of
    the copy, and everything in it can be made again from our records.
    """
    every = (*copies(folder), *_before_upgrades(folder)) if day else copies(folder)
    wanted = [one for one in every if day in ("", named(one))]
    sound = next((one for one in wanted if is_sound(one)), None)
    if sound is None:
        days = ", ".join(map(named, (*copies(folder), *_before_upgrades(folder)))) or "none"
        raise StateError(
            f"there is no intact backup{f' of {day}' if day else ''} to restore (copies: {days})",
            f"to start over: mv {folder} {folder}.lost",
        )
    with state_errors(folder / NAME):
        aside = [kept for name in (NAME, ENGINE) if (kept := set_aside(folder / name))]
        _copy(sound, folder / NAME)
    return sound, aside


def is_sound(database: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            tables = connection.execute("select count(*) from sqlite_master").fetchone()[0]
            return connection.execute("pragma quick_check(1)").fetchone() == ("ok",) and tables > 0
    except sqlite3.Error:
        return False


def may_be_used(database: Path) -> bool:
    """Whether SQLite's check passes; a file that can't be opened at all counts as undamaged."""
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("pragma quick_check(1)").fetchone() == ("ok",)
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False


def set_damaged_aside(database: Path) -> str:
    """Rename a damaged database and return its new name."""
    kept = next(
        name
        for n in count(1)
        if not (name := database.with_name(f"{database.name}.damaged-{n}")).exists()
    )
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    database.rename(kept)
    return str(kept)


def _copy(source: Path, target: Path) -> None:
    """Complete and on the disk before it has its name."""
    import tempfile  # noqa: PLC0415 - only whoever makes a copy needs it

    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    partial = Path(name)
    try:
        with (
            closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(partial)) as new,
        ):
            old.backup(new)
        for path in (partial, target.parent):
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def set_aside(path: Path) -> Path | None:
    """Rename a database together with its log, so that changes only in the log are kept too."""
    if not path.exists():
        return None
    kept = next(
        one for n in count(1) if not (one := path.with_name(f"{path.name}.aside-{n}")).exists()
    )
    for ending in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
    path.rename(kept)
    return kept
