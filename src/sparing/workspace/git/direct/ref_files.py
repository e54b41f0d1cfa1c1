"""Where HEAD and branches point, read from git's own files without starting git.

Only the plain forms are read: a loose file, or a line of packed-refs. For anything else (a HEAD
that is a link, refs in the reftable format, an odd name) the answer is None, and the caller asks
git.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.git.object_reader import NoAnswer
from sparing.workspace.git.runner import common_dir
from sparing.workspace.git.special_files import WHOLE, read_plain

MOST_LINKS = 5
"""How many refs may point to one another; git allows as many."""
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"refs(/[\w+@=,-][\w.+@=,-]*)+")


class RefValue(NamedTuple):
    name: str
    """The ref at the end of all links: `HEAD` itself if it is detached."""
    commit: str
    """Empty if that ref does not exist."""


def known_ref(git_dir: Path, name: str) -> RefValue | None:
    """Follow a ref to the commit it points to; None if only git can tell."""
    try:
        return _follow(git_dir, name)
    except NoAnswer:
        return None


def _follow(git_dir: Path, name: str) -> RefValue:
    common = common_dir(git_dir)
    if os.path.lexists(common / "reftable"):
        raise NoAnswer
    for _ in range(MOST_LINKS):
        text = _text_of(git_dir if name == "HEAD" else common, common, name)
        if not text.startswith("ref:"):
            if text and not _ID.fullmatch(text):
                raise NoAnswer
            return RefValue(name, text)
        name = text.removeprefix("ref:").strip()
    raise NoAnswer


def _text_of(folder: Path, common: Path, name: str) -> str:
    if name != "HEAD" and (not _NAME.fullmatch(name) or ".." in name or name.endswith(".lock")):
        raise NoAnswer
    data = read_plain(folder / name)
    if data is not None:
        return os.fsdecode(data).strip()
    # What is there and can't be read as a plain file is git's to judge; a folder is no ref.
    if name == "HEAD" or (os.path.lexists(folder / name) and not (folder / name).is_dir()):
        raise NoAnswer
    return _packed(common, name)


def _packed(common: Path, name: str) -> str:
    data = read_plain(common / "packed-refs", WHOLE)
    if data is None:
        if os.path.lexists(common / "packed-refs"):
            raise NoAnswer
        return ""
    found = re.search(rb"^([0-9a-f]+) " + re.escape(os.fsencode(name)) + rb"$", data, re.MULTILINE)
    return found[1].decode() if found else ""
