"""A task beside others has a worktree and a branch of its own, which name the feature and the lane.

Covers: H1, H2
"""

from __future__ import annotations

from pathlib import Path

from sparing.workspace.git.parallel_worktrees import lane_branch, lane_name, lanes_of
from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.worktree import ensure_worktree
from tests.repositories import git, make_repository


def test_lanes_of_a_feature_are_found_by_their_branches(tmp_path: Path) -> None:
    """H2: those of other features are not among them, whose name may begin alike."""
    checkout = make_repository(tmp_path / "repository", {"README.md": "# Sample\n"})
    repo, head = find_repository(checkout), git(checkout, "rev-parse", "HEAD")
    for feature, lane in (("001-words", "t1"), ("001-words", "t2"), ("001-words-more", "t3")):
        path = tmp_path / lane_name(feature, lane)
        made = ensure_worktree(repo, path, lane_branch(feature, lane), head)
        assert git(made.path, "symbolic-ref", "HEAD") == f"refs/heads/sparing/{feature}/{lane}"
    assert lanes_of(repo, "001-words") == ("t1", "t2")
    assert lanes_of(repo, "001-words-more") == ("t3",)
    assert lanes_of(repo, "001") == ()
