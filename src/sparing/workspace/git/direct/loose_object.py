"""Objects written loose, as git writes them: synced, in place at once, never twice."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sparing.workspace.git.config import Setting

_UNUSUAL = ("core.sharedrepository", "core.compression", "core.loosecompression")
_FORMAT = "extensions.objectformat"
MODE = 0o444


def keeps_usual_objects(settings: Iterable[Setting], like: str) -> bool:
    """Ids of the one length that the repository has, and nothing said of how objects are kept."""
    said = {one.key: one.value for one in settings}
    length = 64 if said.get(_FORMAT) == "sha256" else 40
    more = (key for key in said if key.startswith("extensions.") and "object" in key)
    return (
        len(like) == length
        and not any(key in said for key in _UNUSUAL)
        and all(key == _FORMAT for key in more)
    )


def store_object(objects: Path, kind: bytes, body: bytes, length: int = 40) -> str:
    """Its id, as long as ids are in this repository; it is on the disk."""
    data = b"%s %d\0" % (kind, len(body)) + body
    made = hashlib.sha1(data, usedforsecurity=False) if length == 40 else hashlib.sha256(data)
    return _store(objects, made.hexdigest(), data)


def _store(objects: Path, name: str, data: bytes) -> str:
    place = objects / name[:2] / name[2:]
    try:
        # As git does: one that is there counts as new, so that nobody cleans it up now.
        os.utime(place)
    except FileNotFoundError:
        _write(place, zlib.compress(data))
    return name


def _write(place: Path, packed: bytes) -> None:
    place.parent.mkdir(exist_ok=True)
    handle, fresh = tempfile.mkstemp(prefix="tmp_obj_", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
            file.flush()
            os.fchmod(handle, MODE)
            os.fsync(handle)
        os.replace(fresh, place)  # noqa: PTH105 - a name, not a Path
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(fresh)  # noqa: PTH108 - a name, not a Path
        raise
