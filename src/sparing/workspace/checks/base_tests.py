"""Runs new code against the base commit's tests, and one more test that must fail.

The agent that writes the code also writes tests. Before a person is asked to agree, the tests of
the base commit run once more in place of those of the feature, beside a test of ours that always
fails: tests that were weakened, and a runner that was made to see nothing, are detected.
"""

from __future__ import annotations

import posixpath
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.workspace.checks.canary import go_canary, python_canary, script_canary
from sparing.workspace.checks.inline_tests import (
    is_test_module,
    own_assertions,
    parents_of,
    with_old_tests,
)
from sparing.workspace.checks.rust_exits import can_end_runner, included_files
from sparing.workspace.git.runner import Git
from sparing.workspace.git.snapshot import LINK, Snapshot
from sparing.workspace.git.worktree import Worktree

_TEST = re.compile(
    r"(^|[/_.-])(test|spec)s?([/_.-]|$)"
    # What tests compare with, or put in the place of something else.
    r"|(^|/)(test_?data|_*(fixture|snapshot|mock)s?_*|goldens?|cassettes?)/|\.(golden|snap|ambr)$"
)
_COMMANDS = re.compile(r"[;&|\n]+")
_STARTS_TESTS = re.compile(r"\b(?:unittest|pytest|mocha|jest|vitest|ava|tap)\b|--test\b")
_GIVES = frozenset({"-s", "--start-directory", "--test", "--dir", "-v", "-q"})
"""Options that take no value or a test folder; other options take values of their own."""
_PRODUCT = frozenset({"src", "lib", "app", "pkg", "cmd", "internal", "packages"})
"""Folders of product code: what is in them is under test."""
_KIND = re.compile(r"[A-Za-z]+[_.-]")
"""The prefix that the tests of one suite share, such as `check_`."""
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_FILE = "100644"


class Canary(NamedTuple):
    """A test that always fails, in each language that the repository has tests in."""

    files: Mapping[str, str]
    """Texts by path."""
    mark: str
    """Part of its name; random each time, so that no code can know it."""


class TestPaths(NamedTuple):
    """Which files are tests: by the usual names, or by the names that a suite itself uses."""

    __test__ = False
    files: frozenset[str] = frozenset()
    """Files that hold tests of the base commit."""
    folders: tuple[str, ...] = ()
    """Test folders named in the check's command."""

    def has(self, path: str) -> bool:
        if path.endswith(".md"):
            return False
        named = path in self.files or path.startswith(self.folders)
        return named or _TEST.search(path) is not None or self._is_beside(path)

    def _is_beside(self, path: str) -> bool:
        """Whether it is a new test of the same kind as known ones beside it."""
        place = PurePosixPath(path)
        return any(_is_alike(place, PurePosixPath(known)) for known in self.files)


def _is_alike(place: PurePosixPath, known: PurePosixPath) -> bool:
    kind = _KIND.match(known.name)
    return (
        place.parent.is_relative_to(known.parent)
        and place.suffix == known.suffix
        and kind is not None
        and place.name.startswith(kind[0])
    )


def named_folders(text: str, files: Snapshot) -> tuple[str, ...]:
    """Folders of a commit that a command passes to a test runner, each ending in a slash."""
    folders = {str(one) for path in files.entries for one in PurePosixPath(path).parents}
    found = dict[str, None]()
    for command in _COMMANDS.split(text):
        words = command.split()
        if _STARTS_TESTS.search(command):
            pairs = zip(("", *words), words, strict=False)
            given = (one for before, one in pairs if not before.startswith("-") or before in _GIVES)
            paths = (str(PurePosixPath(one.strip("\"'"))) for one in given)
            found |= dict.fromkeys(path for path in paths if path in folders and path != ".")
    return tuple(f"{path}/" for path in found if path.partition("/")[0] not in _PRODUCT)


def linked_tests(base: Snapshot) -> frozenset[str]:
    """Files that links named like tests lead to; folders may be product code, so they don't."""
    links = (path for path, entry in base.entries.items() if entry.mode == LINK)
    ends = (base.follow(path)[-1] for path in links if _TEST.search(PurePosixPath(path).name))
    return frozenset(path for path in ends if base.is_file(path))


def module_tests(base: Snapshot, head: Snapshot) -> frozenset[str]:
    """Changed files of Rust that the code above them declares as tests."""
    return frozenset(
        path
        for path in _changed(base, head)
        if path.endswith(".rs") and base.is_file(path)
        if is_test_module(path, map(base.text, parents_of(path)))
    )


def is_changed(base: Snapshot, head: Snapshot) -> bool:
    """Whether anything but documents was changed, added or removed: any file may be code to
    somebody, whatever its name."""
    return any(not path.endswith(".md") for path in _changed(base, head))


def _changed(base: Snapshot, head: Snapshot) -> Iterator[str]:
    before, now = base.entries, head.entries
    return (path for path in {**before, **now} if before.get(path) != now.get(path))


def replaced_assertions(base: Snapshot, head: Snapshot) -> tuple[str, ...]:
    """New code that defines what the language's own assertions are called, or can end the process
    of its tests, in words."""
    return tuple(
        words
        for path in _rust(base, head)
        for words in _taken_over(path, base.text(path), head.text(path))
    )


def _rust(base: Snapshot, head: Snapshot) -> Iterator[str]:
    """Changed code of Rust, and changed files that such code includes, whatever their names."""
    changed = frozenset(_changed(base, head))
    code = sorted(path for path in changed if path.endswith(".rs"))
    yield from code
    for path in code:
        folder = PurePosixPath(path).parent
        for name in included_files(head.text(path)):
            found = posixpath.normpath(folder / name)
            if found in changed and not found.endswith(".rs"):
                yield found


def _taken_over(path: str, before: str, now: str) -> Iterator[str]:
    for name in own_assertions(before, now):
        yield f"{path} defines its own {name}!"
    if not _TEST.search(path) and can_end_runner(path, before, now):
        yield f"{path} can end the process that runs its tests"


def guard_tree(
    worktree: Worktree,
    base: Snapshot,
    head: Snapshot,
    tests: TestPaths,
    canary: Canary | None,
) -> str:
    """Write a tree with the files of the head, the tests of the base, and the canary."""
    index = worktree.git_dir / "sparing.guard-index"
    index.unlink(missing_ok=True)
    git = Git(worktree.git_dir, None, index, worktree.repository.trusted)
    git.run("read-tree", head.commit)
    lines = list(_restored(base, head, tests))
    added = dict(_respliced(base, head, tests))
    if canary is not None:
        added |= canary.files
    for path, text in added.items():
        blob = git.run("hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()
        lines.append(f"{_FILE} {blob}\t{path}")
    git.run("update-index", "-z", "--index-info", stdin=b"".join(_encoded(one) for one in lines))
    tree = git.run("write-tree").decode().strip()
    index.unlink(missing_ok=True)
    return tree


def draw_canary(base: Snapshot, head: Snapshot, tests: TestPaths) -> Canary | None:
    """Make a canary beside a test of the base, so that the runner finds it too.

    Where it stands for one test, that is any of those that name what has changed.
    """
    mark = f"zz{secrets.token_hex(5)}"
    found = dict[str, tuple[str, str]]()
    for path in _shuffled(base, head, tests):
        place = PurePosixPath(path)
        kind = "script" if _SCRIPT.search(place.name) else place.suffix
        if kind not in found and (made := _beside(place, base, mark)) is not None:
            found[kind] = made
    return Canary(dict(found.values()), mark) if found else None


def _shuffled(base: Snapshot, head: Snapshot, tests: TestPaths) -> Iterator[str]:
    """Tests of the base in no order that code could know, first those that name changed files."""
    paths = secrets.SystemRandom().sample(found := sorted(_tests(base, tests)), len(found))
    stems = {PurePosixPath(path).stem for path in _changed(base, head) if not tests.has(path)}
    wanted = re.compile("|".join(rf"\b{re.escape(stem)}\b" for stem in sorted(stems)) or r"(?!)")
    naming = [path for path in paths if wanted.search(base.text(path))]
    yield from dict.fromkeys((*naming, *paths))


def _tests(files: Snapshot, tests: TestPaths) -> dict[str, object]:
    return {path: entry for path, entry in files.entries.items() if tests.has(path)}


def _restored(base: Snapshot, head: Snapshot, tests: TestPaths) -> Iterator[str]:
    before, now = base.entries, head.entries
    for path in sorted({*_tests(base, tests), *_tests(head, tests)}):
        if path not in before:
            yield f"0 {'0' * len(now[path].digest)}\t{path}"
        elif now.get(path) != before[path]:
            yield f"{before[path].mode} {before[path].digest}\t{path}"


def _respliced(base: Snapshot, head: Snapshot, tests: TestPaths) -> Iterator[tuple[str, str]]:
    """Changed code that has its tests in the same file, with the tests of the base."""
    for path, entry in head.entries.items():
        is_code = path.endswith(".rs") and not tests.has(path) and base.is_file(path)
        if is_code and head.is_file(path) and base.entries[path] != entry:
            now = head.text(path)
            if (text := with_old_tests(base.text(path), now)) != now:
                yield path, text


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape") + b"\0"


def _beside(place: PurePosixPath, files: Snapshot, mark: str) -> tuple[str, str] | None:
    if place.suffix == ".py":
        name = _python_name(place, mark)
        text = python_canary(files.text(str(place)), mark)
        return _written(place, name, text) if name else None
    if place.name.endswith("_test.go"):
        package = _PACKAGE.search(files.text(str(place)))
        text = go_canary(package[1], mark) if package else ""
        return _written(place, f"{mark}_test.go", text) if text else None
    if place.suffix == ".rs" and place.parent.name == "tests":
        return _written(place, f"{mark}.rs", f"#[test]\nfn {mark}() {{ panic!(); }}\n")
    if _SCRIPT.search(place.name) and re.search(r"[._-](test|spec)\.", place.name):
        ending = "".join(place.suffixes)
        return _written(place, f"{mark}{ending}", script_canary(files.text(str(place)), mark))
    return None


def _python_name(place: PurePosixPath, mark: str) -> str:
    if place.match("test_*.py"):
        return f"test_{mark}.py"
    if place.match("*_test.py"):
        return f"{mark}_test.py"
    kind = None if _TEST.search(str(place)) else _KIND.match(place.name)
    return f"{kind[0]}{mark}.py" if kind else ""


def _written(place: PurePosixPath, name: str, text: str) -> tuple[str, str]:
    return str(place.with_name(name)), text
