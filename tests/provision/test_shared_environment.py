"""Two features with equal ingredients: the environment of their worktrees is built once.

Covers: K2, E4
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.small import SCRIPT
from tests.repositories import commit_files, make_repository
from tests.terminal import sparing

pytestmark = pytest.mark.long

FILES = {
    "README.md": "# Sample\n",
    ".gitignore": "made/\n",
    "packages.txt": "one\n",
    "Makefile": "setup:\n\tmkdir -p made\n\tcat packages.txt $(RANDOM_ID) > made/it\n"
    "test:\n\ttest -f made/it\nRANDOM_ID = /proc/sys/kernel/random/uuid\n",
}


class Place:
    def __init__(self, folder: Path) -> None:
        self.repository = make_repository(folder / "mine", FILES)
        self.state = folder / "state"
        (folder / "script.toml").write_text(SCRIPT)
        self.environ = {
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
            "SPARING_STATE__FOLDER": str(self.state),
            "SPARING_WORKSPACE__SETUP": "make setup",
            "COLUMNS": "200",
        }

    def agree(self) -> None:
        assert sparing(self.repository, "init", "--yes", environ=self.environ).code == 0

    def feature(self, title: str) -> tuple[str, str]:
        """Up to its first gate: what was told, and what the set-up made."""
        begun = sparing(self.repository, "start", title, "--flow", "L1", environ=self.environ)
        assert begun.code == 0, begun.err
        said = sparing(self.repository, "run", environ=self.environ)
        assert said.code == 2, said.err
        (made,) = self.state.glob(f"*/worktrees/*-{title.lower()}/made/it")
        return said.err, made.read_text()


def test_equal_ingredients_are_built_once_and_others_anew(tmp_path: Path) -> None:
    """K2, E4: a copy of the first one's, until a file that the set-up read has changed."""
    place = Place(tmp_path)
    place.agree()
    first, made = place.feature("One")
    second, same = place.feature("Two")
    assert "make setup" in first
    assert "copied" not in first
    assert "make setup (copied from an earlier set-up)" in second
    assert same == made
    commit_files(place.repository, {"packages.txt": "two\n"}, "Another package")
    place.agree()
    third, other = place.feature("Three")
    assert "copied" not in third
    assert other.startswith("two\n")
