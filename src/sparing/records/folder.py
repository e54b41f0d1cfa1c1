"""The state folder of one repository: outside of it, readable by nobody else.

sparing.db     our tables          engine.db    the durable engine's own
engine.lock    who runs it         blobs/       prompts and replies by hash
worktrees/     one a feature       scripted/    the scripted agent's sessions
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from sparing.database import Database, open_database
from sparing.errors import StateError
from sparing.records.schema import MIGRATIONS


@dataclass(frozen=True, slots=True)
class StateFolder:
    path: Path

    @property
    def engine_database(self) -> Path:
        return self.path / "engine.db"

    @property
    def engine_lock(self) -> Path:
        return self.path / "engine.lock"

    @property
    def scripted(self) -> Path:
        return self.path / "scripted"

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    def worktree(self, name: str) -> Path:
        return self.path / "worktrees" / name

    @property
    def exists(self) -> bool:
        return (self.path / "sparing.db").exists()

    def database(self) -> Database:
        return open_database(self.path / "sparing.db", MIGRATIONS)

    def keep(self, text: str) -> str:
        """Store a text once; its hash is its name. Safe to repeat and to be killed in."""
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        target = self._blob(digest)
        if not target.exists():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = target.with_suffix(f".{os.getpid()}")
            partial.write_bytes(data)
            partial.replace(target)
        return digest

    def fetch(self, digest: str) -> str:
        return self._blob(digest).read_bytes().decode("utf-8", "surrogatepass")

    def _blob(self, digest: str) -> Path:
        return self.path / "blobs" / digest[:2] / digest


def open_folder(root: Path, repository_key: str) -> StateFolder:
    """Make the folder if need be; refuse one that others could read or that can't be written."""
    folder = StateFolder(root / repository_key)
    try:
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.path.chmod(0o700)
        folder.locks.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"the state folder {folder.path} can't be used: {error.strerror}",
            "make it writable, or set another one: SPARING_STATE__FOLDER=PATH",
        ) from error
    return folder
