"""A set-up can leave anything in its environment, which Sparing copies outside of the sandbox.

Covers: H9, I3
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.errors import SparingError
from sparing.workspace.checks.installed_packages import remove_tree
from tests.engine.setup_scene import Scene
from tests.provision.left_by_setup import DEEPEST, KEY, LEFT, MANY
from tests.repositories import write_files


def leave(folder: Path, way: str) -> Scene:
    """Set up, and set up again from the copy."""
    home = folder / "home"
    write_files(home, {".ssh/id": KEY})
    script = f"mkdir .venv\n{LEFT[way].format(home=home)}\n"
    files = {"requirements.txt": "x\n", ".gitignore": ".venv\n", "make.sh": script}
    scene = Scene(folder, files, "sh make.sh")
    scene.opened()
    scene.vanish()
    assert scene.opened()[-1][1].endswith("(copied from an earlier set-up)")
    return scene


def holding(folder: Path) -> Iterator[Path]:
    """Files with the key; links are not followed."""
    for here, _, names in os.walk(folder):
        for place in (Path(here, name) for name in names):
            if place.is_file() and not place.is_symlink() and KEY.encode() in place.read_bytes():
                yield place


@pytest.mark.parametrize("way", [one for one in LEFT if "too deep" not in one])
def test_nothing_outside_is_copied(tmp_path: Path, way: str) -> None:
    """H9, I3: nor does the copy hang or fail."""
    scene = leave(tmp_path, way)
    assert list(holding(scene.office.folder.path)) == []


def test_what_cannot_be_copied_is_said_in_two_lines(tmp_path: Path) -> None:
    """I3: the folder and the reason, and commands that show more."""
    with pytest.raises(SparingError) as failed:
        leave(tmp_path, "folders too deep to copy")
    assert failed.value.what.endswith("/.venv can't be copied: file name too long")
    assert failed.value.repair.endswith("show why; then: sparing resume")


@pytest.mark.parametrize("deep", [MANY, DEEPEST])
def test_a_tree_that_is_too_deep_can_be_removed(tmp_path: Path, deep: str) -> None:
    """I3: an agent may leave one, too."""
    folder = tmp_path / "a" / ".venv"
    folder.mkdir(parents=True)
    subprocess.run((sys.executable, "-c", deep), cwd=folder, check=True)
    remove_tree(folder)
    assert not folder.exists()
