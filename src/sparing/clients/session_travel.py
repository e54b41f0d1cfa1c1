"""Sessions that a client stores in files, kept in the database too, so that any worker of a team
can resume them.

Files only grow, so each turn stores what it has added. Before a session is resumed, its files are
laid down as they were, byte by byte, unless they are here already: what was cached for the session
is then read from the cache on the other machine as well. A transcript in which a secret is found
does not travel: without it a provider would take it for another, or refuse it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.agents.backend import Backend
from sparing.agents.session_lock import KeepsSessionFiles, SessionFiles
from sparing.clients.conversation_rows import ConversationRows, Said
from sparing.errors import StateError
from sparing.records.folder import StateFolder

MOST_BYTES = 64 * 1024 * 1024


class StoredFile(NamedTuple):
    path: str
    """Relative to the client's folder."""
    size: int
    digest: str
    """Hash of the whole file."""
    parts: list[str]
    """Hashes of what each turn has added."""


@dataclass(frozen=True, slots=True)
class SessionTravel:
    folder: StateFolder
    backend: Backend
    shared: bool
    """Whether others may resume sessions: only where the records are on a server."""

    def lay_down(self, session: str) -> None:
        """Have the session's files here as the last turn left them, if they are in the database."""
        own = self._files(session)
        if own is None or (own.paths and not self.shared):
            return
        said = self._rows.load(session)
        for one in _listed(said):
            target = _inside(own.folder, one.path)
            if target is not None and not _begins_with(target, one):
                with suppress(StateError, OSError):  # the client will say that it is not known
                    _write(target, b"".join(self.folder.stored(part) for part in one.parts), one)

    def keep(self, session: str, model: str, at: float) -> None:
        """Store what a turn has added; nothing if nobody else can resume it."""
        own = self._files(session) if self.shared else None
        if own is None or not own.paths:
            return
        said = self._rows.load(session)
        before = {one.path: one for one in _listed(said)}
        stored: list[StoredFile] = []
        for path in own.paths:
            made = self._kept(own.folder, path, before.get(path.as_posix()))
            if made is None:
                return
            stored.append(made)
        turns = 1 + (said.turns if said else 0)
        self._rows.save(session, model, json.dumps(stored), turns, at)

    def _kept(self, folder: Path, path: Path, before: StoredFile | None) -> StoredFile | None:
        with suppress(OSError, UnicodeDecodeError):
            data = (folder / path).read_bytes()
            goes_on = before is not None and _digest(data[: before.size]) == before.digest
            old = before.parts if before and goes_on else []
            new = data[before.size :] if before and goes_on else data
            text = new.decode()
            if len(data) > MOST_BYTES or self.folder.redactor.clean(text) != text:
                return None
            self.folder.put(_digest(new), new)
            return StoredFile(path.as_posix(), len(data), _digest(data), [*old, _digest(new)])
        return None

    @property
    def _rows(self) -> ConversationRows:
        return ConversationRows(self.folder, self.backend.name)

    def _files(self, session: str) -> SessionFiles | None:
        if not session or not isinstance(self.backend, KeepsSessionFiles):
            return None
        return self.backend.session_files(session)


def _listed(said: Said | None) -> list[StoredFile]:
    return [StoredFile(*one) for one in json.loads(said.text)] if said else []


def _inside(folder: Path, name: str) -> Path | None:
    """The file of that name below the folder; None for a name that leads elsewhere."""
    path = PurePosixPath(name)
    return None if path.is_absolute() or ".." in path.parts else folder / path


def _begins_with(path: Path, stored: StoredFile) -> bool:
    """Whether the stored file is here; this machine may have added to it since."""
    try:
        return _digest(path.read_bytes()[: stored.size]) == stored.digest
    except OSError:
        return False


def _write(target: Path, data: bytes, stored: StoredFile) -> None:
    """Whole or not at all; parts that do not make up the file are left alone."""
    if _digest(data) != stored.digest:
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".", dir=target.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
