"""New code under the tests that it began with, and one more test that must fail.

Whoever writes the code writes tests, too. Before a person is asked to agree, the tests of the
base commit run once more in place of those of the feature, beside a test of ours that always
fails: tests that were weakened, and a runner that was made to see nothing, are found out.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.workspace.git.runner import Git
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import Worktree

_TEST = re.compile(r"(^|[/_.-])(test|spec)s?([/_.-]|$)")
_COMMANDS = re.compile(r"[;&|\n]+")
_STARTS_TESTS = re.compile(r"\b(?:unittest|pytest|mocha|jest|vitest|ava|tap)\b|--test\b")
_GIVES = frozenset({"-s", "--start-directory", "--test", "--dir", "-v", "-q"})
"""Options before a folder of tests; other options have values of their own."""
_PRODUCT = frozenset({"src", "lib", "app", "pkg", "cmd", "internal", "packages"})
"""Folders of code: what stands in them is under test."""
_KIND = re.compile(r"[A-Za-z]+[_.-]")
"""What tests of one suite begin with, as `check_`."""
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_FILE = "100644"
_CODE = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".rb"})
_RUNNER = re.compile(
    r"unittest|pytest|sys\.modules|os\._exit|os\.kill|atexit|node:test|process\.(?:exit|argv)"
    r"|\bjest\b|\bmocha\b|\bvitest\b|exitCode|flag\.Lookup|cfg!?\(test\)|process::exit"
)


class Canary(NamedTuple):
    """A test that always fails."""

    path: str
    text: str
    mark: str
    """Stands in its name; drawn anew each time, so that no code can know it."""


class TestPaths(NamedTuple):
    """Which files are tests: by their names, and where a suite has other names, by its own."""

    __test__ = False
    files: frozenset[str] = frozenset()
    """In which tests of the base stand."""
    folders: tuple[str, ...] = ()
    """That its command names."""

    def has(self, path: str) -> bool:
        if path.endswith(".md"):
            return False
        named = path in self.files or path.startswith(self.folders)
        return named or _TEST.search(path) is not None or self._is_beside(path)

    def _is_beside(self, path: str) -> bool:
        """A new one of the same kind, in a folder of tests."""
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
    """Folders of a commit that a runner is given in a command, each with a slash at its end."""
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


def are_changed(base: Snapshot, head: Snapshot, tests: TestPaths) -> bool:
    """Whether any test is not as it was, or is new."""
    return _tests(base, tests) != _tests(head, tests)


def knows_tests(base: Snapshot, head: Snapshot) -> bool:
    """Whether code that is new names a test runner, or a way to end one."""
    changed = (path for path, entry in head.entries.items() if base.entries.get(path) != entry)
    code = (path for path in changed if PurePosixPath(path).suffix in _CODE)
    return any(_RUNNER.search(head.text(path)) for path in code)


def guard_tree(
    worktree: Worktree,
    base: Snapshot,
    head: Snapshot,
    tests: TestPaths,
    canary: Canary | None,
) -> str:
    """The files of the head with the tests of the base, and the one that fails."""
    index = worktree.git_dir / "sparing.guard-index"
    index.unlink(missing_ok=True)
    git = Git(worktree.git_dir, None, index, worktree.repository.trusted)
    git.run("read-tree", head.commit)
    lines = list(_restored(base, head, tests))
    if canary is not None:
        blob = git.run("hash-object", "-w", "--stdin", stdin=canary.text.encode()).decode().strip()
        lines.append(f"{_FILE} {blob}\t{canary.path}")
    git.run("update-index", "-z", "--index-info", stdin=b"".join(_encoded(one) for one in lines))
    tree = git.run("write-tree").decode().strip()
    index.unlink(missing_ok=True)
    return tree


def draw_canary(base: Snapshot, tests: TestPaths) -> Canary | None:
    """Beside a test of the base, so that the runner finds it where it finds that one."""
    mark = f"zz{secrets.token_hex(5)}"
    for path in sorted(_tests(base, tests)):
        if (found := _beside(PurePosixPath(path), base, mark)) is not None:
            return found
    return None


def _tests(files: Snapshot, tests: TestPaths) -> dict[str, object]:
    return {path: entry for path, entry in files.entries.items() if tests.has(path)}


def _restored(base: Snapshot, head: Snapshot, tests: TestPaths) -> Iterator[str]:
    before, now = base.entries, head.entries
    for path in sorted({*_tests(base, tests), *_tests(head, tests)}):
        if path not in before:
            yield f"0 {'0' * len(now[path].digest)}\t{path}"
        elif now.get(path) != before[path]:
            yield f"{before[path].mode} {before[path].digest}\t{path}"


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape") + b"\0"


def _beside(place: PurePosixPath, files: Snapshot, mark: str) -> Canary | None:
    if place.match("test_*.py"):
        return _written(place, f"test_{mark}.py", _python(mark), mark)
    if place.match("*_test.py"):
        return _written(place, f"{mark}_test.py", _python(mark), mark)
    if place.suffix == ".py" and not _TEST.search(str(place)) and (kind := _KIND.match(place.name)):
        return _written(place, f"{kind[0]}{mark}.py", _python(mark), mark)
    if place.name.endswith("_test.go"):
        package = _PACKAGE.search(files.text(str(place)))
        text = _go(package[1], mark) if package else ""
        return _written(place, f"{mark}_test.go", text, mark) if text else None
    if place.suffix == ".rs" and place.parent.name == "tests":
        return _written(place, f"{mark}.rs", f"#[test]\nfn {mark}() {{ panic!(); }}\n", mark)
    if _SCRIPT.search(place.name) and re.search(r"[._-](test|spec)\.", place.name):
        ending = "".join(place.suffixes)
        return _written(place, f"{mark}{ending}", f'throw new Error("{mark}");\n', mark)
    return None


def _written(place: PurePosixPath, name: str, text: str, mark: str) -> Canary:
    return Canary(str(place.with_name(name)), text, mark)


def _python(mark: str) -> str:
    return (
        "import unittest\n\n\n"
        f"class Test{mark}(unittest.TestCase):\n"
        f"    def test_{mark}(self):\n        self.fail()\n"
    )


def _go(package: str, mark: str) -> str:
    name = mark.capitalize()
    return (
        f'package {package}\n\nimport "testing"\n\nfunc Test{name}(t *testing.T) {{ t.Fail() }}\n'
    )
