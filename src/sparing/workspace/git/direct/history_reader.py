"""Commits and folders by id, from the git process that stays open; see `object_reader`.

Objects never change, so each is read once. If no git process is open, `NoAnswer` is raised, and the
caller starts git itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sparing.workspace.git.object_reader import GitObject, NoAnswer, contents
from sparing.workspace.git.runner import Git, common_dir

FOLDER = "40000"
MOST_STEPS = 64
"""How many commits back from a tip are searched; further back, git is asked."""
MOST_READ = 400
"""How many folders are read one by one; git lists more than that at once."""


class Entry(NamedTuple):
    mode: str
    digest: str


class Commit(NamedTuple):
    tree: str
    parents: tuple[str, ...]
    seconds: int
    """When it was committed, in seconds since the epoch."""


class Difference(NamedTuple):
    """Files that differ between two commits."""

    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({path for group in self for path in group}))


@lru_cache(4096)
def read_commit(git: Git, commit: str) -> Commit:
    """Read a commit by its full id."""
    found = contents(git, commit)
    if found is None or found.kind != "commit":
        raise NoAnswer
    head = found.data.partition(b"\n\n")[0].decode(errors="replace")
    lines = [line.partition(" ") for line in head.split("\n")]
    values = {name: value for name, _, value in reversed(lines)}
    parents = tuple(value for name, _, value in lines if name == "parent")
    return Commit(values["tree"], parents, int(values["committer"].rsplit(" ", 2)[1]))


def leads_to(git: Git, tip: str, commit: str) -> bool:
    """True if a commit is the tip or one of its first-parent ancestors; False means unknown."""
    common = common_dir(git.git_dir)
    if (common / "shallow").exists() or (common / "info" / "grafts").exists():
        return False
    try:
        return any(one == commit for one in _first_parents(git, tip))
    except NoAnswer:
        return False


def _first_parents(git: Git, tip: str) -> Iterator[str]:
    for _ in range(MOST_STEPS):
        parents = read_commit(git, tip).parents
        yield tip
        if not parents:
            return
        tip = parents[0]


@lru_cache(4096)
def read_folder(git: Git, tree: str) -> Mapping[str, Entry]:
    """The direct entries of a folder, by name."""
    found = contents(git, tree)
    if found is None or found.kind != "tree":
        raise NoAnswer
    return folder_entries(found)


def folder_entries(folder: GitObject) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    data, place, size = folder.data, 0, len(folder.id) // 2
    while place < len(data):
        end = data.index(b"\0", place)
        mode, _, name = data[place:end].partition(b" ")
        place = end + 1 + size
        digest = data[end + 1 : place].hex()
        entries[os.fsdecode(name)] = Entry(_usual(mode.decode()), digest)
    return entries


def _usual(mode: str) -> str:
    """Map modes found in old commits to one of the two that git uses for files."""
    if not mode.startswith("100"):
        return mode
    return "100755" if int(mode, 8) & 0o100 else "100644"


def list_files(git: Git, commit: str) -> dict[str, Entry]:
    """Every file, link and submodule, by path."""
    found: dict[str, Entry] = {}
    waiting = [("", read_commit(git, commit).tree)]
    count = 0
    while waiting:
        start, tree = waiting.pop()
        if (count := count + 1) > MOST_READ:
            raise NoAnswer
        for name, entry in read_folder(git, tree).items():
            if entry.mode == FOLDER:
                waiting.append((f"{start}{name}/", entry.digest))
            else:
                found[start + name] = entry
    return {path: found[path] for path in sorted(found, key=os.fsencode)}


def difference(git: Git, old: str, new: str) -> Difference:
    """Compare the files of two commits; folders with equal ids are skipped."""
    before: dict[str, Entry] = {}
    after: dict[str, Entry] = {}
    trees = read_commit(git, old).tree, read_commit(git, new).tree
    _compare(git, "", trees, before, after)
    both = before.keys() & after.keys()
    return Difference(
        tuple(sorted(both)),
        tuple(sorted(before.keys() - both)),
        tuple(sorted(after.keys() - both)),
    )


def differ_only_in(git: Git, old: str, new: str, folder: str) -> bool:
    """Whether all files that differ between two commits are below this folder."""
    one, other = read_commit(git, old).tree, read_commit(git, new).tree
    for part in folder.split("/"):
        before, after = dict(_folder(git, one)), dict(_folder(git, other))
        below = before.pop(part, None), after.pop(part, None)
        if before != after or any(entry and entry.mode != FOLDER for entry in below):
            return False
        one, other = _tree_of(below[0]), _tree_of(below[1])
    return True


def _compare(
    git: Git,
    start: str,
    trees: tuple[str, str],
    before: dict[str, Entry],
    after: dict[str, Entry],
) -> None:
    old, new = _folder(git, trees[0]), _folder(git, trees[1])
    for name in old.keys() | new.keys():
        one, other = old.get(name), new.get(name)
        if one == other:
            continue
        for entry, found in ((one, before), (other, after)):
            if entry is not None and entry.mode != FOLDER:
                found[start + name] = entry
        below = _tree_of(one), _tree_of(other)
        if any(below):
            _compare(git, f"{start}{name}/", below, before, after)


def _folder(git: Git, tree: str) -> Mapping[str, Entry]:
    return read_folder(git, tree) if tree else {}


def _tree_of(entry: Entry | None) -> str:
    return entry.digest if entry is not None and entry.mode == FOLDER else ""
