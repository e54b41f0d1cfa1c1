"""Product code that knows its runner or its assertions, and tests that lie in product files.

Covers: H8
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sparing.workspace.checks.base_tests import (
    TestPaths,
    guard_tree,
    is_changed,
    linked_tests,
    module_tests,
    replaced_assertions,
)
from sparing.workspace.checks.canary import python_canary
from sparing.workspace.git.snapshot import Snapshot
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree, snapshot

BY_NAME = TestPaths()


@pytest.mark.parametrize(
    ("path", "is_code"), [("app.py", True), ("notes.txt", True), ("x", True), ("notes.md", False)]
)
def test_what_may_be_code(tmp_path: Path, path: str, is_code: bool) -> None:
    """H8: JavaScript loads a file of any name, so only documents cost no run of the tests."""
    worktree = make_worktree(make_repository(tmp_path / "r", {"old.py": ""}))
    base = Snapshot(worktree.repository, worktree.tip())
    write_files(worktree.path, {path: "1\n"})
    commit(worktree)
    assert is_changed(base, Snapshot(worktree.repository, worktree.tip())) is is_code
    assert not is_changed(base, base)


def test_where_a_link_among_the_tests_leads(tmp_path: Path) -> None:
    """H8: a test by its name is one by its content; a folder may be the product itself."""
    root = make_repository(tmp_path / "r", {"suite/a.py": "", "src/b.py": "", "c.py": ""})
    for link, target in (("tests/test_a.py", "../suite/a.py"), ("tests/src", "../src")):
        (root / link).parent.mkdir(exist_ok=True)
        (root / link).symlink_to(target)
    (root / "test_lost.py").symlink_to("nowhere.py")
    (root / "d.py").symlink_to("c.py")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "links")
    assert linked_tests(snapshot(root)) == {"suite/a.py"}


OLD = """pub fn one() -> i32 { 1 }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn brace() { assert_eq!(one(), 1, "}} {}", '}'); } // }
}
"""
NEW = OLD.replace("{ 1 }", "{ 2 }").replace("one(), 1", "2, 2") + "pub fn two() {}\n"


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (NEW, OLD.replace("{ 1 }", "{ 2 }") + "pub fn two() {}\n"),
        ("pub fn one() -> i32 { 2 }\n", "pub fn one() -> i32 { 2 }\n\n" + OLD[26:].rstrip()),
        (OLD, OLD),
        (
            "pub fn one() {}\n#[test]\nfn brace() {}\n#[tokio::test]\nasync fn more() {}\n",
            "pub fn one() {}\n\n\n\n" + OLD[26:].rstrip(),
        ),
    ],
    ids=["weakened", "gone", "as before", "without a module"],
)
def test_tests_in_the_file_they_test(tmp_path: Path, now: str, code: str) -> None:
    """H8: Rust's tests are in the product's files; there too the code meets the old ones."""
    worktree = make_worktree(make_repository(tmp_path / "r", {"src/lib.rs": OLD}))
    base = Snapshot(worktree.repository, worktree.tip())
    write_files(worktree.path, {"src/lib.rs": now, "src/more.rs": NEW})
    commit(worktree)
    head = Snapshot(worktree.repository, worktree.tip())
    tree = guard_tree(worktree, base, head, BY_NAME, None)
    assert git(worktree.path, "show", f"{tree}:src/lib.rs") == code.strip()
    assert git(worktree.path, "show", f"{tree}:src/more.rs") == NEW.strip()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("macro_rules! assert_eq { ($($t:tt)*) => {}; }", ("a.rs defines its own assert_eq!",)),
        ("pub use crate::quiet as debug_assert;", ("a.rs defines its own debug_assert!",)),
        ("macro_rules! assert_words { () => {}; }", ()),
        ("macro_rules! assert_ne { () => {}; }", ()),
        ("fn two() { assert_eq!(one() as i32, 1); }", ()),
        ("use std::process as p;", ("a.rs can end the process that runs its tests",)),
        ("use std::process::{exit, Command};", ("a.rs can end the process that runs its tests",)),
        ("use std::process::{self as p};", ("a.rs can end the process that runs its tests",)),
        ("use std::process::*;", ("a.rs can end the process that runs its tests",)),
        ("use unix::process::CommandExt;", ("a.rs can end the process that runs its tests",)),
        ("use std::process::Command;", ()),
        ("use std::process::{self, Child, Stdio};", ()),
        ("fn one() -> process::ExitStatus { process::Command::new(a).status() }", ()),
    ],
)
def test_code_that_defines_the_language_s_assertions(
    tmp_path: Path, code: str, words: tuple[str, ...]
) -> None:
    """H8: Rust's tests in the same crate would use those; what the base had is its own affair."""
    old = "macro_rules! assert_ne { () => {}; }\n"
    worktree = make_worktree(make_repository(tmp_path / "r", {"a.rs": old}))
    base = Snapshot(worktree.repository, worktree.tip())
    text = f"{old}{code}\n"
    write_files(worktree.path, {"a.rs": text, "b.py": code, "src/main.rs": "std::process::exit"})
    commit(worktree)
    head = Snapshot(worktree.repository, worktree.tip())
    assert replaced_assertions(base, head) == words


def test_a_file_that_code_includes_is_code(tmp_path: Path) -> None:
    """H8: whatever its name."""
    worktree = make_worktree(make_repository(tmp_path / "r", {"src/lib.rs": ""}))
    base = Snapshot(worktree.repository, worktree.tip())
    files = {"src/lib.rs": 'include!("one.inc");', "src/one.inc": "std::process::exit(0)"}
    write_files(worktree.path, {**files, "src/two.inc": "std::process::exit(0)"})
    commit(worktree)
    head = Snapshot(worktree.repository, worktree.tip())
    words = ("src/one.inc can end the process that runs its tests",)
    assert replaced_assertions(base, head) == words


@pytest.mark.parametrize(
    ("above", "path"),
    [
        ("src/lib.rs", "src/proofs.rs"),
        ("src/lib.rs", "src/proofs/mod.rs"),
        ("src/part.rs", "src/part/proofs.rs"),
        ("src/part/mod.rs", "src/part/proofs.rs"),
    ],
)
def test_a_module_of_tests_in_a_file_of_its_own(tmp_path: Path, above: str, path: str) -> None:
    """H8: known from the code that declares it."""
    declared = "#[cfg(all(test, unix))]\nmod proofs;\nmod other;\n"
    files = {above: declared, path: "1", "src/other.rs": "1"}
    worktree = make_worktree(make_repository(tmp_path / "r", files))
    base = Snapshot(worktree.repository, worktree.tip())
    write_files(worktree.path, {path: "2", "src/other.rs": "2"})
    commit(worktree)
    assert module_tests(base, Snapshot(worktree.repository, worktree.tip())) == {path}


BENDING = "import gc\nfor one in gc.get_objects():\n    if isinstance(one, type) and {}\n"
BENT = {
    "healthy": "",
    "assertEqual": "one.__name__ == 'TestCase': one.assertEqual = lambda *_: None",
    "assertIn": "one.__name__ == 'TestCase': one.assertIn = lambda *_: None",
    "fail": "one.__name__ == 'TestCase': one.fail = lambda *_: None",
    "assertRaises": "one.__name__ == '_AssertRaisesContext': one.__exit__ = lambda *_: True",
}


@pytest.mark.parametrize("way", BENT)
def test_it_passes_as_soon_as_one_assertion_sees_nothing(tmp_path: Path, way: str) -> None:
    """H8: then the runner is not to be believed, whichever assertion the product replaced."""
    (tmp_path / "app.py").write_text(BENDING.format(BENT[way]) if BENT[way] else "")
    (tmp_path / "test_app.py").write_text("import app\n")
    (tmp_path / "test_zz1.py").write_text(python_canary("import unittest\n", "zz1"))
    argv = (sys.executable, "-m", "unittest", "test_app", "test_zz1")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (way != "healthy"), done.stderr


@pytest.mark.parametrize("way", ["healthy", "runner", "raises"])
def test_functions_have_one_of_their_kind(tmp_path: Path, way: str) -> None:
    """H8: what blinds pytest for functions leaves classes as they are."""
    bent = {
        "healthy": "",
        "runner": "import contextlib as c\nc._GeneratorContextManager.__exit__ = lambda *_: True\n",
        "raises": "import pytest\ntype(pytest.raises(KeyError)).__exit__ = lambda *_: True\n",
    }
    test = "import app\n\ndef test_app():\n    pass\n"
    (tmp_path / "app.py").write_text(bent[way])
    (tmp_path / "test_app.py").write_text(test)
    (tmp_path / "test_zz1.py").write_text(python_canary(test, "zz1"))
    argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (way != "healthy"), done.stdout
