"""The state folder of one repository: outside of it, readable by nobody else.

sparing.db     our tables          engine.db    the durable engine's own
engine.lock    who runs it         blobs/       prompts and replies by hash
worktrees/     one a feature       scripted/    the scripted agent's sessions
scratch/       private folders of sandboxed processes, each gone at its end

Beside it, for all repositories of this user and machine: resume-checks/, spending.db.

Texts and rows are written here and nowhere else, so here they go through the redactor.

Prompts as they were sent, kept in the state folder and named by their hash.

The secret of a state folder: made once, readable by its owner alone.

Prompts derive the key of their wrappers from it, so it must stay what it is for as long as a
feature runs: a new one would make every cached prompt worthless.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from sparing.codec import JsonObject
from sparing.database import Database, open_database
from sparing.errors import StateError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.postgres import Server
from sparing.records.schema import MIGRATIONS
from sparing.redact import Redactor
from sparing.segment import Segment, Volatility

SHARED_SCHEMA = "sparing_all"
RUN_AGAIN = "redo its stage, or the first one: sparing rerun FEATURE [STAGE]"
DAMAGED = ".damaged"


class TextGone(StateError):
    """A stored text that has been deleted or damaged."""


@lazy_dataclass
class StateFolder:
    path: Path
    redactor: Redactor = Redactor()
    server: Server | None = None
    """Where a team has its records, texts and secret; without one they are in the folder."""
    _opened: list[Database] = field(default_factory=list[Database], compare=False, repr=False)
    _shared: list[Database] = field(default_factory=list[Database], compare=False, repr=False)

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

    @property
    def scratch(self) -> Path:
        return self.path / "scratch"

    @property
    def histories(self) -> Path:
        """Git objects for confined processes that must not see the repository's own."""
        return self.path / "histories"

    @property
    def resume_checks(self) -> Path:
        """Shared by all repositories of this machine."""
        return self.path.parent / "resume-checks"

    def worktree(self, name: str) -> Path:
        return self.path / "worktrees" / name

    @property
    def exists(self) -> bool:
        return (self.path / "sparing.db").exists()

    def database(self) -> Database:
        if self._opened:
            return self._opened[0]
        path = self.path / "sparing.db"
        if self.server is None and (not path.exists() or not path.stat().st_size):
            from sparing.records.daily_backup import refuse_lost

            refuse_lost(self.path)
        opened = open_database(path, MIGRATIONS, self.redactor, self.server)
        if self.server is not None:
            self._opened.append(opened)
        return opened

    def shared_spending(self) -> Database:
        """What all repositories spend: beside their folders, or in a schema for the whole team."""
        if not self._shared:
            from sparing.records import shared_spending

            server = Server(self.server.url, SHARED_SCHEMA) if self.server else None
            made = self.path.parent / "spending.db", shared_spending.MIGRATIONS
            self._shared.append(open_database(*made, self.redactor, server))
        return self._shared[0]

    @property
    def repository(self) -> str:
        """Name under which this repository's spending is recorded."""
        return self.server.schema if self.server else self.path.name

    @property
    def secret(self) -> bytes:
        """What wrappers are derived from; a team has one."""
        if self.server is None:
            return folder_secret(self.path)
        import secrets

        from sparing.records import blobs

        return blobs.shared_secret(self.database(), NAME, secrets.token_bytes(LENGTH))

    def keep_json(self, value: Any) -> str:
        """Like `keep`, for data, which must still be valid JSON after secrets were removed from
        it."""
        return self._keep(json.dumps(self.redactor.clean_data(value)))

    def keep(self, text: str) -> str:
        """Store a text once; its hash is its name. Safe to repeat and to be killed in."""
        return self._keep(self.redactor.clean(text))

    def _keep(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        self.put(digest, data)
        return digest

    def put(self, digest: str, data: bytes) -> None:
        """Store the bytes that have this hash."""
        if self.server is not None:
            from sparing.records import blobs

            blobs.put(self.database(), digest, data)
            return
        target = self.blob(digest)
        with _translated(self.path):
            if not target.exists() or target.stat().st_size != len(data):
                _private_folder(target.parent.parent)
                _private_folder(target.parent)
                _write_whole(target, data)

    def write_shared(self, path: Path, value: JsonObject) -> None:
        """A file beside the state folders of all repositories, whole or not at all."""
        data = json.dumps(self.redactor.clean_data(value), indent=1).encode()
        with _translated(path.parent):
            _private_folder(path.parent)
            _write_whole(path, data)

    def fetch(self, digest: str) -> str:
        """The stored text; one that has been changed or truncated since counts as gone."""
        data = self.stored(digest)
        if hashlib.sha256(data).hexdigest() != digest:
            # Kept beside its place, which the same text may then take again.
            with suppress(OSError):
                self.blob(digest).rename(self.blob(f"{digest}{DAMAGED}"))
            raise TextGone(f"a stored text is damaged: {digest[:12]}", RUN_AGAIN)
        return data.decode("utf-8", "surrogatepass")

    def stored(self, digest: str) -> bytes:
        if self.server is not None:
            from sparing.records import blobs

            return blobs.get(self.database(), digest)
        with _translated(self.path):
            try:
                return self.blob(digest).read_bytes()
            except FileNotFoundError:
                how = "damaged" if self.blob(f"{digest}{DAMAGED}").exists() else "gone"
                raise TextGone(f"a stored text is {how}: {digest[:12]}", RUN_AGAIN) from None

    def blob(self, digest: str) -> Path:
        return self.path / "blobs" / digest[:2] / digest


def open_folder(
    root: Path,
    repository_key: str,
    redactor: Redactor | None = None,
    server: Server | None = None,
) -> StateFolder:
    """Make the folder if need be, closed to others; refuse one that can't be written."""
    folder = StateFolder(root / repository_key, redactor or Redactor(), server)
    with _translated(folder.path):
        folder.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _private_folder(folder.path)
        folder.path.chmod(0o700)
        _private_folder(folder.locks)
    return folder


def _write_whole(target: Path, data: bytes) -> None:
    # Threads may keep the same text at once: each needs a file of its own.
    import tempfile

    handle, name = tempfile.mkstemp(prefix=".", dir=target.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            # A row will name this text: it has to be on the disk before that row is.
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    for folder in (target.parent, target.parent.parent):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _private_folder(path: Path) -> None:
    path.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def _translated(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise StateError(
            f"the state folder {path} can't be used: {error.strerror}",
            "free some space, then run the same command again"
            if full
            else "make it writable, or use another one: SPARING_STATE__FOLDER=PATH",
        ) from error


def keep_prompt(folder: StateFolder, segments: tuple[Segment, ...]) -> str:
    return folder.keep_json([[s.name, s.text, int(s.volatility), s.mark] for s in segments])


def load_prompt(folder: StateFolder, digest: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(name, text, Volatility(volatility), mark)
        for name, text, volatility, mark in json.loads(folder.fetch(digest))
    )


NAME = "secret"
LENGTH = 32


def folder_secret(folder: Path) -> bytes:
    """Read the secret, or create it; concurrent callers get the same one."""
    path = folder / NAME
    try:
        if not path.exists():
            _make(path)
        data = path.read_bytes()
    except OSError as error:
        raise StateError(
            f"the secret {path} can't be read: {error.strerror}",
            "make it readable, or remove it: prompts are then cached again",
        ) from error
    if len(data) != LENGTH:
        raise StateError(f"the secret {path} has {len(data)} bytes, not {LENGTH}", f"rm {path}")
    return data


def _make(path: Path) -> None:
    """Write the secret completely before it gets its name, so that a kill leaves no partial
    file."""
    import secrets

    partial = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(LENGTH))
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(partial, path)
    partial.unlink()
