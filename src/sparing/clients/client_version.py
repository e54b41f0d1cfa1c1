"""Which version of a client is used: reported once if it is untested, noticed if it changes.

Clients update themselves, also while a feature runs. A turn continues with the program that it was
started with; the next one is started with the new program, under its own version, and so its
sessions are checked before they are resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sparing.agents.backend import Backend
from sparing.backend_name import BACKENDS
from sparing.database import Database
from sparing.event import WarningEvent
from sparing.records import events
from sparing.records.events import Event

CHECKED = "its sessions are checked before they are resumed"
AGAIN = "sessions are checked again before they are resumed"


def fingerprint(backend: Backend) -> tuple[object, ...]:
    """A value that changes with the client's program on this machine."""
    files: tuple[Path, ...] = getattr(backend, "files", ())
    return tuple(_state(path) for path in files)


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def note_version(
    database: Database, known: dict[str, str], backend: Backend, feature: str, at: float
) -> None:
    """Record a version that is new; `known` holds those this process has seen, by backend."""
    name, version = backend.name, str(getattr(backend, "version", ""))
    before = known.get(name, "")
    if not version or version == before:
        return
    known[name] = version
    tested = str(getattr(backend, "tested", ""))
    with database.write() as tx:
        for key, text in _notes(name, before, version, tested):
            events.add(tx, Event.of(WarningEvent(), key=key, feature=feature, at=at, text=text))


def _notes(name: str, before: str, version: str, tested: str) -> Iterator[tuple[str, str]]:
    title = BACKENDS[name].words if name in BACKENDS else name
    if before:
        words = f"{title} was updated while this ran, from {before} to {version}; {AGAIN}"
        yield f"client.{name}.{before}.{version}", words
    if tested and version != tested:
        words = f"{title} {version} has not been tested with Sparing ({tested} has); {CHECKED}"
        yield f"client.{name}.{version}", words
