"""Product code that knows its runner or its assertions, and tests that lie in product files.

Covers: H8
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sparing.workspace.checks.canary import python_canary
from sparing.workspace.checks.guard import (
    TestPaths,
    guard_tree,
    knows_tests,
    linked_tests,
    replaced_assertions,
)
from sparing.workspace.checks.reach import reaches_runner
from sparing.workspace.git.snapshot import Snapshot
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree, snapshot

BY_NAME = TestPaths()


@pytest.mark.parametrize(
    ("path", "text", "knows"),
    [
        ("app.py", "import sys\nif 'pytest' in sys.modules: pass\n", True),
        ("app.js", "process.exit(0)\n", True),
        ("app.py", "print(1)\n", False),
        ("notes.md", "pytest\n", False),
    ],
)
def test_code_that_names_a_runner(tmp_path: Path, path: str, text: str, knows: bool) -> None:
    worktree = make_worktree(make_repository(tmp_path / "r", {"old.py": "import pytest\n"}))
    base = Snapshot(worktree.repository, worktree.tip())
    write_files(worktree.path, {path: text})
    commit(worktree)
    assert knows_tests(base, Snapshot(worktree.repository, worktree.tip())) is knows


@pytest.mark.parametrize(
    "code",
    [
        "import gc\nfor one in gc.get_objects(): one.assertEqual = print\n",
        "name = 'unit' + 'test'\nimport importlib\n",
        "__import__('unit' + 'test')\n",
        "import sys as s\ngetattr(s, 'mod' + 'ules')\n",
        "object.__subclasses__()\n",
        "exec(bytes.fromhex('00'))\n",
        "sys.path.insert(0, 'more.zip')\n",
        "if os.environ.get('PYTEST_CURRENT_TEST'): pass\n",
        "require('assert').strictEqual = () => {};\n",
        "require(name).strictEqual = () => {};\n",
        "globalThis.expect = fake;\n",
        "Object.getPrototypeOf(x).prototype.y = 1;\n",
        "process.on('exit', () => {});\n",
        "from sys import modules as loaded\n",
        "type.__setattr__(kind, 'ass' + 'ertEqual', print)\n",
        "from os import _exit as leave\n",
        "look = getattr\n",
        "const { getBuiltinModule: load } = process;\n",
        "const own = (() => 0).constructor('return this')();\n",
        "({}).__proto__.toString = () => 1;\n",
        "if (typeof expect === 'function') expect.extend({ toBe: () => ({ pass: true }) });\n",
        "const { createRequire: make } = await import('node:' + 'module');\n",
        'os.execlp("sh", "sh", "-c", "echo OK")\n',
        "sys.exit = lambda *_: None\n",
        "import sys as s\ns.more\n",
        "use(sys)\n",
        "pydoc.locate('unit' + 'test')\n",
        "timeit.timeit(words, number=1)\n",
        "list(map(exec, words))\n",
        "from contextlib import _GeneratorContextManager as made\n"
        "held = made\nheld.__exit__ = lambda *_: True\n",
        "import contextlib\ndel contextlib._GeneratorContextManager.__exit__\n",
        "const load = require;\n",
        "require('as' + 'sert').strictEqual = () => 0;\n",
        "require('\\x61ssert');\n",
        "import a from '\\u0061ssert';\n",
        "require('module')._load(name);\n",
        "const { exit } = require('node:process');\n",
        "const run = eval;\n",
        "const util = require('util');\nutil.isDeepStrictEqual = () => true;\n",
        "Object.is = () => true;\n",
        "use std::process as p;\n",
        'extern "C" { fn exit(code: i32) -> !; }\n',
    ],
)
def test_code_that_reaches_a_runner_without_naming_it(code: str) -> None:
    """H8: it is run beside a test that must fail."""
    assert reaches_runner(code)


@pytest.mark.parametrize(
    "code",
    [
        "import re\nWORD = re.compile('a')\ndef process(words):\n    return sorted(words)\n",
        "const fs = require('fs');\nexports.one = () => process.env.HOME;\n",
        "pub fn process(words: &[&str]) -> usize { words.len() }\n",
        "def evaluate(text):\n    assert text\n    return text.executor\n",
        "class Page {\n  // as readers expect\n  constructor(one) { this.one = one; }\n}\n",
        "import os, sys\ndef main():\n    print(1, file=sys.stderr)\n    sys.exit(0)\n",
        'import (\n\t"fmt"\n)\n',
        "const a = require('./a');\nmodule.exports = { a };\nconst b = a.one === 1;\n",
        "import x from './x';\nclass A { set() { this.b = x.one == 1; } }\n",
    ],
)
def test_ordinary_code_costs_no_second_run(code: str) -> None:
    assert not reaches_runner(code)


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
    ],
    ids=["weakened", "gone", "as before"],
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
        ("use std::process::Command;", ()),
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
    assert reaches_runner(code) or not words


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
    (tmp_path / "test_zz1.py").write_text(python_canary("zz1"))
    argv = (sys.executable, "-m", "unittest", "test_app", "test_zz1")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (way != "healthy"), done.stderr
