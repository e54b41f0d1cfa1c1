"""A feature of one package of a monorepo: its checks while it works, the whole at the end.

Covers: K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.briefing.extras import map_of
from sparing.event import ChecksEvent
from sparing.workspace.git.repository import find_repository
from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.repositories import git, make_repository

API = "packages/api"
FILES = {
    "Makefile": "test:\n\ttest -d packages && echo whole\n",
    f"{API}/Makefile": "test:\n\ttest -f here.txt && echo package\n",
    f"{API}/here.txt": "here\n",
    f"{API}/api.py": "def answer():\n    return 42\n",
    "packages/web/web.py": "def page():\n    return 1\n",
}
SCRIPT = turn("1", {f"{API}/made.txt": "made\n"}) + SATISFIED
TASKS = task("1", "Make a file", f"{API}/made.txt")


def ran(built: Built) -> list[tuple[str, str]]:
    """Of each stage, what is told of its checks."""
    return [(one.stage, one.text) for one in built.told() if isinstance(one.what, ChecksEvent)]


def test_checks_of_the_package_then_of_the_whole(tmp_path: Path) -> None:
    """K2: affected checks while it is built, the full run at finish."""
    built = build(tmp_path, TASKS, SCRIPT, FILES, workspace__root=API)
    said = built.sparing("run", "--yes")
    assert said.code == 0, said.err
    shown = built.sparing("show", "1", "checks").out
    assert dict(ran(built)) == {"implement": "1 green", "finish": "2 green"}
    assert "\npackage\n" in shown
    assert "test of the whole repository, all of it in " in shown


@pytest.mark.long
def test_what_breaks_elsewhere_is_seen_at_the_end(tmp_path: Path) -> None:
    """K2: a package's own checks can't see it."""
    files = {**FILES, "Makefile": "test:\n\ttest ! -f packages/api/made.txt\n"}
    built = build(tmp_path, TASKS, SCRIPT, files, workspace__root=API)
    said = built.sparing("run", "--yes")
    assert said.code == 2
    assert "finish" in said.err.partition("whole repository")[0]


def test_the_map_of_the_code_is_the_package_s(tmp_path: Path) -> None:
    """K2"""
    repo = find_repository(make_repository(tmp_path / "r", FILES))
    commit = git(tmp_path / "r", "rev-parse", "HEAD")
    assert "page" in map_of(repo, commit, "docs/")
    own = map_of(repo, commit, "docs/", f"{API}/")
    assert "answer" in own
    assert "page" not in own


@pytest.mark.parametrize("root", ["packages/none", "../elsewhere", "/etc"])
def test_a_folder_that_is_not_there(tmp_path: Path, root: str) -> None:
    """K2: two lines, and no feature was made."""
    built = build(tmp_path, TASKS, SCRIPT, FILES)
    said = built.sparing("start", "Another", "--root", root)
    assert said.code != 0
    assert len(said.complaint) == 2
    assert len(built.sparing("list", "--json").json["features"]) == 1


def test_the_root_that_a_request_names(tmp_path: Path) -> None:
    """K2: taken, told in one line with its reason, and kept with the feature."""
    built = build(tmp_path, TASKS, SCRIPT, FILES)
    said = built.sparing("start", f"Fix {API}/api.py", "--flow", "L1")
    assert said.code == 0, said.err
    line = f"root: {API}, because the request names {API}/api.py (the whole repository: --root .)"
    assert line in said.err.splitlines()
    asked = built.sparing("start", f"Fix {API}/api.py", "--flow", "L1", "--json")
    assert asked.json["root"] == API


@pytest.mark.parametrize(
    ("title", "words"),
    [(f"Fix {API}/api.py", ("--root", ".")), (f"Fix {API}/api.py and packages/web/web.py", ())],
)
def test_the_whole_repository(tmp_path: Path, title: str, words: tuple[str, ...]) -> None:
    """K2: a person's word wins, and a toss-up is not guessed."""
    built = build(tmp_path, TASKS, SCRIPT, FILES)
    said = built.sparing("start", title, "--flow", "L1", "--json", *words)
    assert said.json["root"] == ""
    assert "root:" not in said.err


def test_a_setting_wins_over_a_request(tmp_path: Path) -> None:
    """K2"""
    built = build(tmp_path, TASKS, SCRIPT, FILES)
    words = ("start", f"Fix {API}/api.py", "--flow", "L1", "--json")
    said = built.sparing(*words, SPARING_WORKSPACE__ROOT="packages/web")
    assert said.json["root"] == "packages/web"
    assert "root:" not in said.err


SIBLING = {
    f"{API}/Makefile": "test:\n\ttest -f ../web/web.py && echo package\n",
    f"{API}/package.json": '{"name": "api", "dependencies": {"shared": "*"}}\n',
    "packages/shared/package.json": '{"name": "shared"}\n',
    "packages/shared/s.js": "1\n",
    ".tool/settings": "x\n",
}
SPARSE: dict[str, object] = {"workspace__root": API, "workspace__sparse": "on"}


@pytest.mark.long
def test_a_sparse_worktree_from_start_to_merge(tmp_path: Path) -> None:
    """K2: a check that needs what was left out has all files; the branch has every file."""
    built = build(tmp_path, TASKS, SCRIPT, {**FILES, **SIBLING}, **SPARSE)
    before = set(built.git("ls-tree", "-r", "--name-only", "main").splitlines())
    said = built.sparing("run", "--yes", SPARING_WORKSPACE__HAND_OVER="merge")
    assert said.code == 0, said.err
    assert dict(ran(built)) == {"implement": "1 green", "finish": "2 green"}
    after = set(built.git("ls-tree", "-r", "--name-only", "main").splitlines())
    assert before <= after
    assert f"{API}/made.txt" in after


def test_what_a_sparse_worktree_holds(tmp_path: Path) -> None:
    """K2: the package, what it depends on, tools' settings; and files that tasks name."""
    tasks = task("1", "Make a file", f"{API}/made.txt, packages/web/web.py")
    built = build(tmp_path, tasks, SCRIPT, {**FILES, **SIBLING, "other/o": "o\n"}, **SPARSE)
    said = built.sparing("run", "--no-input")
    assert said.code == 2, said.err
    (tree,) = (tmp_path / "state").glob(f"*/worktrees/{built.row.feature.name}")
    there = {str(one.relative_to(tree)) for one in tree.rglob("*") if one.is_file()}
    assert {"packages/shared/s.js", ".tool/settings", f"{API}/made.txt", "Makefile"} <= there
    assert "packages/web/web.py" in there
    assert "other/o" not in there
    sent = built.sparing("show", "prompt", "implementer", "--feature", "1").out
    assert "All other files are unchanged in git" in sent


@pytest.mark.long
def test_what_was_red_before_with_all_files_is_not_the_feature_s(tmp_path: Path) -> None:
    """K2: green with a part of the files, red with all of them, before and after."""
    check = "test:\n\ttest ! -d ../web\n"
    built = build(tmp_path, TASKS, SCRIPT, {**FILES, f"{API}/Makefile": check}, **SPARSE)
    said = built.sparing("run", "--yes")
    assert said.code == 0, said.err
    assert dict(ran(built)) == {"implement": "1 green", "finish": "1 green, 1 red as before"}
