"""The secret of a state folder: made once, readable by its owner alone.

Prompts derive the key of their wrappers from it, so it must stay what it is for as long as a
feature runs: a new one would make every cached prompt worthless.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from sparing.errors import StateError

NAME = "secret"
LENGTH = 32


def folder_secret(folder: Path) -> bytes:
    """Read it, or make it; of two that make it at once, both get the same."""
    path = folder / NAME
    try:
        if not path.exists():
            _make(path)
        data = path.read_bytes()
    except OSError as error:
        raise StateError(
            f"the secret {path} can't be read: {error.strerror}",
            "make it readable for you, or remove it: running prompts are then cached anew",
        ) from error
    if len(data) != LENGTH:
        raise StateError(f"the secret {path} has {len(data)} bytes, not {LENGTH}", f"rm {path}")
    return data


def _make(path: Path) -> None:
    """Complete before it has its name: a kill leaves no half of it."""
    partial = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(LENGTH))
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(partial, path)
    partial.unlink()
