"""Which of a repository's files a person has read and trusts: the hash of their bytes.

Kept in the user's own state, one file per repository. A file whose bytes change is no longer
trusted, regardless of who changed it; an unreadable record counts as nothing trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import cast

from sparing.roles.files import RoleFile

NAME = "trusted.json"


class RoleTrust(StrEnum):
    NEW = "new"
    CHANGED = "changed since it was trusted"
    TRUSTED = "trusted"


def trusted_hashes(folder: Path) -> dict[str, str]:
    try:
        found: object = json.loads((folder / NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {where: digest for where, digest in fields.items() if isinstance(digest, str)}


def standing(file: RoleFile, hashes: Mapping[str, str]) -> RoleTrust:
    known = hashes.get(file.where)
    if known is None:
        return RoleTrust.NEW
    return RoleTrust.TRUSTED if known == file.digest else RoleTrust.CHANGED


def trust(folder: Path, files: Iterable[RoleFile]) -> None:
    """Add these files, as their bytes are in hand now: nothing is read a second time."""
    _write(folder, {**trusted_hashes(folder), **{file.where: file.digest for file in files}})


def revoke(folder: Path) -> int:
    """Trust nothing any more; how many files that were."""
    count = len(trusted_hashes(folder))
    _write(folder, {})
    return count


def _write(folder: Path, hashes: Mapping[str, str]) -> None:
    partial = folder / f"{NAME}.{os.getpid()}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(json.dumps(dict(sorted(hashes.items())), indent=2) + "\n")
    partial.replace(folder / NAME)
