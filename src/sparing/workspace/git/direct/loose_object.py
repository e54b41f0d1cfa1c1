"""Writes loose objects as git does, byte for byte, without starting git.

Synced, atomic, never twice. A commit only where the result is certain: a name and an email that git
accepts unchanged, a message that it does not change, and a repository that keeps loose objects the
usual way. Anything else is left to git.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from sparing.workspace.git.config import Setting
from sparing.workspace.git.runner import Git, common_dir

_UNUSUAL = ("core.sharedrepository", "core.compression", "core.loosecompression")
_FORMAT = "extensions.objectformat"
MODE = 0o444
_PLAIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 @_+-]|\.(?=[A-Za-z0-9]))*[A-Za-z0-9]")
"""A name from which git strips nothing."""
_DATE = re.compile(r"@(\d{1,10}) \+0000")


def write_loose_commit(
    git: Git, tree: str, parents: Sequence[str], text: bytes, env: Mapping[str, str]
) -> str | None:
    """Write a commit to disk and return its id; None if git has to write it."""
    authors = [_person(env, who) for who in ("AUTHOR", "COMMITTER")]
    # git adds a line break that is missing, and complains of what it can't read.
    usual = text.endswith(b"\n") and b"\0" not in text and _is_utf8(text)
    distinct = len({*parents}) == len(parents)
    settings = git.settings()
    if None in authors or not usual or not distinct or not keeps_usual_objects(settings, tree):
        return None
    lines = [f"tree {tree}", *(f"parent {one}" for one in parents)]
    lines += [f"author {authors[0]}", f"committer {authors[1]}", "", ""]
    body = "\n".join(lines).encode() + text
    return store_object(common_dir(git.git_dir) / "objects", b"commit", body, len(tree))


def _person(env: Mapping[str, str], who: str) -> str | None:
    name, email = env.get(f"GIT_{who}_NAME", ""), env.get(f"GIT_{who}_EMAIL", "")
    date = _DATE.fullmatch(env.get(f"GIT_{who}_DATE", ""))
    if not date or not _PLAIN.fullmatch(name) or not _PLAIN.fullmatch(email):
        return None
    return f"{name} <{email}> {int(date[1])} +0000"


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def keeps_usual_objects(settings: Iterable[Setting], like: str) -> bool:
    """Whether ids have the repository's length and no setting changes how objects are stored."""
    said = {one.key: one.value for one in settings}
    length = 64 if said.get(_FORMAT) == "sha256" else 40
    more = (key for key in said if key.startswith("extensions.") and "object" in key)
    return (
        len(like) == length
        and not any(key in said for key in _UNUSUAL)
        and all(key == _FORMAT for key in more)
    )


def store_object(objects: Path, kind: bytes, body: bytes, length: int = 40) -> str:
    """Write an object to disk and return its id, in the length that this repository uses."""
    data = b"%s %d\0" % (kind, len(body)) + body
    made = hashlib.sha1(data, usedforsecurity=False) if length == 40 else hashlib.sha256(data)
    return _store(objects, made.hexdigest(), data)


def _store(objects: Path, name: str, data: bytes) -> str:
    folder = f"{objects}/{name[:2]}"
    place = f"{folder}/{name[2:]}"
    try:
        # As git does: one that is there counts as new, so that nobody cleans it up now.
        os.utime(place)
    except FileNotFoundError:
        _write(folder, place, zlib.compress(data))
    return name


_numbers = count()


def _open_fresh(folder: str) -> tuple[int, str]:
    """A new file, named as git names its own; the folder is made if there is none."""
    while True:
        name = f"{folder}/tmp_obj_{os.getpid()}_{next(_numbers)}"
        try:
            return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), name
        except FileExistsError:
            continue  # a process of that number was killed
        except FileNotFoundError:
            Path(folder).mkdir(exist_ok=True)


def _write(folder: str, place: str, packed: bytes) -> None:
    handle, fresh = _open_fresh(folder)
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
