"""Set-ups that are found run with the real package managers, without a network.

What they install lies in the repository itself: a wheel made here, a package in a folder.

Covers: K2
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

from sparing.workspace.checks.discover import find_checks
from sparing.workspace.checks.run import run_check
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.setup.input_files import recipe_at
from sparing.workspace.setup.run import Means, equip, is_equipped
from tests.repositories import make_repository, write_files
from tests.workspace.features import commit, make_worktree

WHEEL = "tinywords-1.0-py3-none-any.whl"
AUTO = ("auto",)


def wheel() -> bytes:
    data, info = io.BytesIO(), "tinywords-1.0.dist-info"
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("tinywords.py", "COUNT = 3\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinywords\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return data.getvalue()


def set_up(worktree: Worktree, folder: Path, commit: str = "") -> list[str]:
    """The commands that ran, on the files of a commit."""
    (folder / "caches").mkdir(exist_ok=True)
    recipe = recipe_at(worktree.repository, commit or worktree.tip(), AUTO, ())
    means = Means({"PATH": os.environ["PATH"]}, folder / "caches", 120.0)
    done = equip(worktree, recipe, means)
    assert is_equipped(worktree, recipe, worktree.path)
    return [one.command for one in done.done]


def green(worktree: Worktree) -> bool:
    environ = {"PATH": os.environ["PATH"]}
    checks = find_checks(Snapshot(worktree.repository, worktree.tip()))
    assert checks
    return all(run_check(one, worktree.path, 600.0, environ).passed for one in checks)


def test_pip_installs_what_a_worktree_needs(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        WHEEL: wheel(),
        "requirements.txt": f"./{WHEEL}\n",
        "Makefile": "test:\n\t.venv/bin/python -c 'import tinywords; assert tinywords.COUNT'\n",
    }
    worktree = make_worktree(make_repository(tmp_path / "project", files))
    assert not green(worktree)
    assert len(set_up(worktree, tmp_path)) == 2
    assert green(worktree)
    assert set_up(worktree, tmp_path) == []
    assert changed_paths(worktree, worktree.tip()) == ()


def test_pip_installs_what_a_feature_needs_from_the_agreed_commit_only(tmp_path: Path) -> None:
    """H7: set up from the base it has nothing of the branch; after a yes it really has it."""
    files: dict[str, str | bytes] = {
        "requirements.txt": "pip\n",
        "Makefile": "test:\n\t.venv/bin/python -c 'import tinywords; assert tinywords.COUNT'\n",
    }
    worktree = make_worktree(make_repository(tmp_path / "project", files))
    base = worktree.tip()
    write_files(worktree.path, {WHEEL: wheel(), "requirements.txt": f"pip\n./{WHEEL}\n"})
    head = commit(worktree).commit
    assert len(set_up(worktree, tmp_path, base)) == 2
    assert not green(worktree)
    assert len(set_up(worktree, tmp_path, head)) == 2
    assert green(worktree)
    assert changed_paths(worktree, head) == ()


def test_npm_installs_what_a_worktree_needs(tmp_path: Path) -> None:
    package = {
        "name": "project",
        "version": "1.0.0",
        "scripts": {"test": "node -e \"require('tinywords')\""},
        "dependencies": {"tinywords": "file:tinywords"},
    }
    files = {
        "package.json": json.dumps(package),
        "tinywords/package.json": '{"name": "tinywords", "version": "1.0.0"}',
        "tinywords/index.js": "module.exports = 3;\n",
    }
    worktree = make_worktree(make_repository(tmp_path / "project", files))
    assert not green(worktree)
    assert set_up(worktree, tmp_path) == ["npm install --no-package-lock"]
    assert green(worktree)
    assert changed_paths(worktree, worktree.tip()) == ()
