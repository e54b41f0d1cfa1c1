"""A commit written as git writes it, byte for byte, without a git of its own.

Only where that is certain: a name and an address that git takes as they are, a text that it does
not change, and a repository that keeps loose objects the usual way. Anything else is git's work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sparing.workspace.git.direct.loose_object import keeps_usual_objects, store_object
from sparing.workspace.git.runner import Git, common_dir

_PLAIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 @_+-]|\.(?=[A-Za-z0-9]))*[A-Za-z0-9]")
"""A name from which git strips nothing."""
_DATE = re.compile(r"@(\d{1,10}) \+0000")


def write_loose_commit(
    git: Git, tree: str, parents: Sequence[str], text: bytes, env: Mapping[str, str]
) -> str | None:
    """The id of the commit, which is on the disk; None where git has to write it."""
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
