"""Taking all records of this repository to a server, or from there into the state folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from sparing.desk.office import open_office
from sparing.records.folder import StateFolder
from sparing.records.transfer import Transfer, install, transfer
from sparing.runtime.engine_lock import engine_lock

INCOMING = "incoming"
Tell = Callable[[str], None]


class DatabaseCopy(NamedTuple):
    copied: Transfer
    where: str
    """Where the records are now, too."""
    kept: tuple[Path, ...]
    """Paths that keep the previous contents of the state folder."""


def copy_to_server(start: Path, address: str, tell: Tell) -> DatabaseCopy:
    source, target = _both(start, address)
    with engine_lock(source.engine_lock):
        copied = transfer(source, target, tell)
    assert target.server is not None
    return DatabaseCopy(copied, target.server.shown, ())


def copy_to_folder(start: Path, address: str, tell: Tell) -> DatabaseCopy:
    target, source = _both(start, address)
    with engine_lock(target.engine_lock):
        rmtree(target.path / INCOMING, ignore_errors=True)  # of one that was interrupted
        fresh = StateFolder(target.path / INCOMING, target.redactor)
        fresh.path.mkdir(mode=0o700)
        copied = transfer(source, fresh, tell)
        kept = install(fresh.path, target.path)
    return DatabaseCopy(copied, str(target.path), tuple(kept))


def _both(start: Path, address: str) -> tuple[StateFolder, StateFolder]:
    """This repository's state folder, and the same repository on the server."""
    folder = open_office(start, {"state.database": ""}).folder
    return folder, open_office(start, {"state.database": address}).folder
