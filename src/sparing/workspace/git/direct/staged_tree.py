"""Brings what a scan found into the index and writes it as a tree, without starting git.

Only where the outcome is certain to equal git's: nothing converts the files, the index and the
objects are stored the usual way, and no path needs special care. Else git does it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from sparing.workspace.git import private_index
from sparing.workspace.git.config import Setting
from sparing.workspace.git.direct.attributes_files import may_have_attributes
from sparing.workspace.git.direct.history_reader import FOLDER, Entry, read_commit, read_folder
from sparing.workspace.git.direct.index_file import entry_of, read_index, write_index
from sparing.workspace.git.direct.loose_object import keeps_usual_objects, store_object
from sparing.workspace.git.index_entries import add
from sparing.workspace.git.object_reader import NoAnswer
from sparing.workspace.git.private_index import Scan
from sparing.workspace.git.runner import Git, common_dir
from sparing.workspace.project.paths import Confined, PathRefused, check_path

MOST_FILES = 100
MOST_BYTES = 1024 * 1024
_CONVERTING = {"core.filemode": "true", "core.autocrlf": "false", "core.ignorecase": "false"}
"""Settings that make git see files as other than they are, and the value allowed for each."""
_UNUSUAL = ("index.", "feature.", "core.bigfilethreshold", "core.precomposeunicode")


def staged_tree(git: Git, objects: Git, commit: str, found: Scan) -> str:
    """Stage what was found and return the index's tree. Until then the index must equal the
    commit; `objects` is git without a work tree."""
    try:
        return write_staged(git, objects, commit, found)
    except (NoAnswer, PathRefused, OSError):
        add(git, found)
        return git.text("write-tree")


def write_staged(git: Git, objects: Git, commit: str, found: Scan) -> str:
    """As `staged_tree`; raises `NoAnswer`, `PathRefused` or `OSError` where git has to do it."""
    assert git.work_tree is not None
    index = private_index.index_of(git)
    if not found.paths:
        return read_commit(objects, commit).tree
    if not _is_usual(git.settings(), commit) or found.nested or found.special:
        raise NoAnswer
    if len(found.paths) > MOST_FILES or may_have_attributes(git, objects, commit, found.on_disk):
        raise NoAnswer
    entries = read_index(index)
    if entries is None:
        raise NoAnswer
    store = common_dir(git.git_dir) / "objects"
    changes: dict[str, Entry | None] = dict.fromkeys(found.deleted)
    for path in found.deleted:
        entries.pop(os.fsencode(path), None)
    for path in found.on_disk:
        seen, entry = _stored(git.work_tree, path, store)
        changes[path] = entry
        entries[os.fsencode(path)] = entry_of(seen, *entry)
    tree = _tree(objects, read_commit(objects, commit).tree, changes, store)
    if not tree:
        raise NoAnswer
    write_index(index, entries)
    private_index.note_staged(git, found)
    return tree


def _is_usual(settings: Iterable[Setting], commit: str) -> bool:
    said = {one.key: one.value.lower() for one in settings}
    same = all(said.get(key, value) == value for key, value in _CONVERTING.items())
    more = any(key.startswith(_UNUSUAL) for key in said)
    return same and not more and len(commit) == 40 and keeps_usual_objects(settings, commit)


def _stored(root: Path, path: str, store: Path) -> tuple[os.stat_result, Entry]:
    """Store a file's content as an object; return its stat data and its entry."""
    check_path(path)
    before = (root / path).lstat()
    if not stat.S_ISREG(before.st_mode):
        raise NoAnswer
    content = Confined(root).read_bytes(path, MOST_BYTES)
    after = (root / path).lstat()
    if _look(before) != _look(after):
        raise NoAnswer
    mode = "100755" if after.st_mode & stat.S_IXUSR else "100644"
    return after, Entry(mode, store_object(store, b"blob", content))


def _look(found: os.stat_result) -> tuple[int, ...]:
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _tree(git: Git, tree: str, changes: Mapping[str, Entry | None], store: Path) -> str:
    """Write a folder with these changes below it; empty if nothing is left in it."""
    entries = dict(read_folder(git, tree)) if tree else {}
    below: dict[str, dict[str, Entry | None]] = {}
    leaves: dict[str, Entry] = {}
    for path, entry in changes.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = entry
        elif entry is not None:
            leaves[name] = entry
        else:
            entries.pop(name, None)
    for name, inner in below.items():
        folder = entries.pop(name, Entry(FOLDER, ""))
        if folder.mode != FOLDER:
            raise NoAnswer
        if made := _tree(git, folder.digest, inner, store):
            entries[name] = Entry(FOLDER, made)
    if any(name in entries and entries[name].mode == FOLDER for name in leaves):
        raise NoAnswer
    entries |= leaves
    return store_object(store, b"tree", _listed(entries)) if entries else ""


def _listed(entries: Mapping[str, Entry]) -> bytes:
    """The bytes of a tree object, in git's order, where a folder's name ends with a slash."""
    named = sorted(
        (os.fsencode(name) + (b"/" if entry.mode == FOLDER else b""), os.fsencode(name), entry)
        for name, entry in entries.items()
    )
    return b"".join(
        entry.mode.encode() + b" " + name + b"\0" + bytes.fromhex(entry.digest)
        for _, name, entry in named
    )
