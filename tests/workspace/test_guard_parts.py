"""Which files are tests, and the failing one that is put beside them in each language.

Covers: H8
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.checks.base_tests import TestPaths, draw_canary, guard_tree, named_folders
from sparing.workspace.checks.definitions import command_text
from sparing.workspace.checks.discover import Check
from sparing.workspace.git.snapshot import Snapshot
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree, snapshot

BY_NAME = TestPaths()


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/app.py", True),
        ("app_test.go", True),
        ("src/app.spec.ts", True),
        ("src/latest.py", False),
        ("attestation/app.py", False),
        ("tests/README.md", False),
        ("testdata/expected.txt", True),
        ("pkg/testdata/a.golden", True),
        ("src/__snapshots__/page.snap", True),
        ("src/snapshots/crate__page.snap", True),
        ("__mocks__/fs.js", True),
        ("fixtures/one.json", True),
        ("src/mockup/page.js", False),
        ("src/golden_ratio.py", False),
    ],
)
def test_by_their_names(path: str, is_test: bool) -> None:
    assert BY_NAME.has(path) is is_test


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("verify/check_app.py", True),
        ("verify/check_new.py", True),
        ("verify/deep/check_new.py", True),
        ("verify/app.py", False),
        ("verify/check_new.txt", False),
        ("src/check_new.py", False),
        ("proofs/anything.py", True),
    ],
)
def test_a_suite_with_names_of_its_own(path: str, is_test: bool) -> None:
    """Known from the runner's report and from the folder that its command names."""
    known = TestPaths(frozenset({"verify/check_app.py"}), ("proofs/",))
    assert known.has(path) is is_test


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("python -m unittest discover -s verify", ("verify/",)),
        ("python -m pytest -q verify; rm -rf other", ("verify/",)),
        ("pytest verify other", ("verify/", "other/")),
        ("pytest --ignore other verify", ("verify/",)),
        ("pytest src", ()),
        ("pytest .", ()),
        ("pytest nowhere", ()),
        ("node --test verify", ("verify/",)),
        ("ruff check verify", ()),
    ],
)
def test_folders_that_a_command_gives_its_runner(
    tmp_path: Path, command: str, found: tuple[str, ...]
) -> None:
    files = {"verify/a.py": "", "other/b.py": "", "src/c.py": ""}
    assert named_folders(command, snapshot(make_repository(tmp_path / "r", files))) == found


@pytest.mark.parametrize(
    ("check", "files"),
    [
        (Check("test", ("make", "test"), "Makefile"), {"Makefile": "test:\n\tpytest verify\n"}),
        (
            Check("test", ("npm", "run", "--silent", "test"), "package.json"),
            {"package.json": '{"scripts": {"test": "node --test verify"}}'},
        ),
    ],
)
def test_folders_that_make_and_npm_give_it(
    tmp_path: Path, check: Check, files: dict[str, str]
) -> None:
    found = snapshot(make_repository(tmp_path / "r", {**files, "verify/a.py": ""}))
    assert named_folders(command_text(check, found), found) == ("verify/",)


def test_a_script_s_words_are_no_scripts(tmp_path: Path) -> None:
    """Another script with `pre` before such a word has nothing to do with the check."""
    scripts = '{"scripts": {"test": "node build", "prebuild": "rm x", "pretest": "npm run a"}}'
    check = Check("test", ("npm", "run", "--silent", "test"), "package.json")
    text = command_text(check, snapshot(make_repository(tmp_path / "r", {"package.json": scripts})))
    assert "npm run a" in text
    assert "rm x" not in text


@pytest.mark.parametrize(
    ("files", "path", "says"),
    [
        ({"tests/test_app.py": ""}, "tests/test_{}.py", "def test_{}(self)"),
        ({"app_test.py": ""}, "{}_test.py", "def test_{}(self)"),
        ({"x/app_test.go": "package app\n"}, "x/{}_test.go", "package app\n"),
        ({"tests/app.rs": ""}, "tests/{}.rs", "fn {}() {{ panic!(); }}"),
        ({"app.test.js": ""}, "{}.test.js", 'throw new Error("{}");'),
        ({"app.spec.tsx": ""}, "{}.spec.tsx", 'throw new Error("{}");'),
    ],
)
def test_the_failing_test_lies_where_the_runner_looks(
    tmp_path: Path, files: dict[str, str], path: str, says: str
) -> None:
    files_of = snapshot(make_repository(tmp_path / "r", files))
    found = draw_canary(files_of, files_of, BY_NAME)
    assert found is not None
    ((where, text),) = found.files.items()
    assert where == path.format(found.mark)
    assert says.format(found.mark) in text


def test_a_repository_of_two_languages_has_two(tmp_path: Path) -> None:
    """H8: which of them its check runs nobody can tell."""
    files = {"tests/test_app.py": "", "test/app.test.js": "", "test/more.test.ts": ""}
    there = snapshot(make_repository(tmp_path / "r", files))
    found = draw_canary(there, there, BY_NAME)
    assert found is not None
    assert {path.partition("/")[0] for path in found.files} == {"tests", "test"}
    assert len(found.files) == 2


def test_its_name_is_drawn_anew(tmp_path: Path) -> None:
    """Code that knew it could let this one fail and pass all others."""
    files = snapshot(make_repository(tmp_path / "r", {"tests/test_app.py": ""}))
    drawn = [draw_canary(files, files, BY_NAME) for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_it_stands_for_a_test_that_names_what_changed(tmp_path: Path) -> None:
    """H8: a script's canary sees only what its own test loads."""
    tests = {f"{name}.test.js": f"require('./{name}')\n" for name in ("one", "two", "three")}
    worktree = make_worktree(make_repository(tmp_path / "r", {**tests, "two.js": ""}))
    base = Snapshot(worktree.repository, worktree.tip())
    write_files(worktree.path, {"two.js": "1\n"})
    commit(worktree)
    head = Snapshot(worktree.repository, worktree.tip())
    drawn = [found for _ in range(9) if (found := draw_canary(base, head, BY_NAME))]
    texts = [text for found in drawn for text in found.files.values()]
    assert [text.startswith("require('./two')") for text in texts] == [True] * 9


@pytest.mark.parametrize("files", [{"tests/run.sh": ""}, {"a_test.go": "func x() {}\n"}, {}])
def test_where_nobody_knows_how_there_is_none(tmp_path: Path, files: dict[str, str]) -> None:
    found = snapshot(make_repository(tmp_path / "r", files))
    assert draw_canary(found, found, BY_NAME) is None


def test_a_suite_of_another_name_gets_one_of_its_kind(tmp_path: Path) -> None:
    files = snapshot(make_repository(tmp_path / "r", {"verify/check_app.py": ""}))
    found = draw_canary(files, files, TestPaths(frozenset({"verify/check_app.py"})))
    assert found is not None
    assert list(found.files) == [f"verify/check_{found.mark}.py"]


def test_new_code_with_the_tests_of_the_base(tmp_path: Path) -> None:
    """Changed and deleted tests come back, new ones are left out, code is the feature's."""
    old = {"app.py": "1\n", "tests/test_a.py": "a\n", "tests/test_b.py": "b\n"}
    worktree = make_worktree(make_repository(tmp_path / "r", old))
    base = Snapshot(worktree.repository, worktree.tip())
    (worktree.path / "tests/test_b.py").unlink()
    write_files(worktree.path, {"app.py": "2\n", "tests/test_a.py": "A\n", "tests/test_c.py": ""})
    commit(worktree)
    head = Snapshot(worktree.repository, worktree.tip())
    canary = draw_canary(base, head, BY_NAME)
    assert canary is not None
    tree = guard_tree(worktree, base, head, BY_NAME, canary)
    listed = git(worktree.path, "ls-tree", "-r", "--name-only", tree).splitlines()
    ((path, text),) = canary.files.items()
    assert set(listed) == {*old, path}
    assert git(worktree.path, "show", f"{tree}:app.py") == "2"
    assert git(worktree.path, "show", f"{tree}:tests/test_a.py") == "a"
    assert git(worktree.path, "show", f"{tree}:{path}") == text.strip()
    plain = guard_tree(worktree, base, head, BY_NAME, None)
    assert path not in git(worktree.path, "ls-tree", "-r", "--name-only", plain)
