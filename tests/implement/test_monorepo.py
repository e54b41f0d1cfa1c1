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
