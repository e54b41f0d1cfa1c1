"""Which files decide what a set-up loads and runs.

Covers: K2, H7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.setup.input_files import differences, recipe_at
from tests.repositories import make_repository
from tests.workspace.features import make_worktree
from tests.workspace.setup_ways import WAYS, change_files


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_told_of(tmp_path: Path, way: str) -> None:
    """H7: whichever file an agent changes, its set-up is no longer what somebody agreed to."""
    files, command, change = WAYS[way]
    worktree = make_worktree(make_repository(tmp_path / "sample", {"app.py": "A = 1\n", **files}))
    base = recipe_at(worktree.repository, worktree.tip(), (command,), ())
    first = change_files(worktree, {"app.py": "A = 2\n"}, "s1")
    assert recipe_at(worktree.repository, first, (command,), ()).digest == base.digest
    now = recipe_at(worktree.repository, change_files(worktree, change, "s2"), (command,), ())
    assert set(differences(worktree.repository, base, now)) == set(change)
    assert now.digest != base.digest


def test_a_recipe_with_empty_lines_is_one_recipe(tmp_path: Path) -> None:
    """K2: what another target runs is none of the set-up's."""
    files = {
        "Makefile": "setup:\n\tsh tools/own.sh\n\nother:\n\ttrue\n\n\tsh tools/other.sh\n",
        "tools/own.sh": "true\n",
        "tools/other.sh": "true\n",
    }
    worktree = make_worktree(make_repository(tmp_path / "sample", files))
    found = recipe_at(worktree.repository, worktree.tip(), ("make setup",), ())
    assert {path for path, _ in found.entries} == {"Makefile", "tools/own.sh"}


def test_known_names_count_at_any_depth_and_others_do_not(tmp_path: Path) -> None:
    """K2"""
    known = (".yarn/releases/a.cjs", "parts/one/package.json", "deep/.npmrc", "yarn.lock")
    others = ("src/index.js", "package.json.md", "my-yarn.lock.txt", "requirements.txt", "Makefile")
    path = make_repository(tmp_path / "sample", dict.fromkeys((*known, *others), "a\n"))
    worktree = make_worktree(path)
    found = recipe_at(worktree.repository, worktree.tip(), ("yarn install",), ())
    assert {path for path, _ in found.entries} == {*known}
    found = recipe_at(worktree.repository, worktree.tip(), ("make setup",), ())
    assert {path for path, _ in found.entries} == {*known, "requirements.txt", "Makefile"}
