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


def is_test(path: str) -> bool:
    return _TEST.search(path) is not None and not path.endswith(".md")


def are_changed(base: Snapshot, head: Snapshot) -> bool:
    """Whether any test is not as it was, or is new."""
    return _tests(base) != _tests(head)


def knows_tests(base: Snapshot, head: Snapshot) -> bool:
    """Whether code that is new names a test runner, or a way to end one."""
    changed = (path for path, entry in head.entries.items() if base.entries.get(path) != entry)
    code = (path for path in changed if PurePosixPath(path).suffix in _CODE)
    return any(_RUNNER.search(head.text(path)) for path in code)


def guard_tree(worktree: Worktree, base: Snapshot, head: Snapshot, canary: Canary | None) -> str:
    """The files of the head with the tests of the base, and the one that fails."""
    index = worktree.git_dir / "sparing.guard-index"
    index.unlink(missing_ok=True)
    git = Git(worktree.git_dir, None, index, worktree.repository.trusted)
    git.run("read-tree", head.commit)
    lines = list(_restored(base, head))
    if canary is not None:
        blob = git.run("hash-object", "-w", "--stdin", stdin=canary.text.encode()).decode().strip()
        lines.append(f"{_FILE} {blob}\t{canary.path}")
    git.run("update-index", "-z", "--index-info", stdin=b"".join(_encoded(one) for one in lines))
    tree = git.run("write-tree").decode().strip()
    index.unlink(missing_ok=True)
    return tree


def draw_canary(base: Snapshot) -> Canary | None:
    """Beside a test of the base, so that the runner finds it where it finds that one."""
    mark = f"zz{secrets.token_hex(5)}"
    for path in sorted(_tests(base)):
        if (found := _beside(PurePosixPath(path), base, mark)) is not None:
            return found
    return None


def _tests(files: Snapshot) -> dict[str, object]:
    return {path: entry for path, entry in files.entries.items() if is_test(path)}


def _restored(base: Snapshot, head: Snapshot) -> Iterator[str]:
    before, now = base.entries, head.entries
    for path in sorted({*_tests(base), *_tests(head)}):
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
