"""The first hour with Claude Code and the model double behind it. Covers: K1, K2, G2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.first_hour import BRANCH, PROJECTS, settings, walk
from tests.repositories import git


@pytest.mark.parametrize("name", PROJECTS)
def test_from_start_to_a_finished_branch(tmp_path: Path, name: str) -> None:
    """K2: the same screens, the same answers, the same file in the end."""
    walked = walk(name, tmp_path, settings(tmp_path, "claude-double"))
    assert walked.code == 0, walked.screen
    assert "1 red as before" in walked.screen
    assert git(walked.repository, "show", f"{BRANCH}:greeting.txt") == "Hello, Ada."
    assert git(walked.repository, "status", "--porcelain") == ""
