"""kill -9 at crash points of the whole flow, each time going on: the same commits.

Covers: I1, H3
"""

from __future__ import annotations

from pathlib import Path

from tests.engine.killed import (
    KILLS,
    TIER,
    WHOLE,
    assert_it_can_be_looked_at,
    killed_and_continued,
    undisturbed,
)


def test_a_feature_killed_again_and_again_ends_with_the_same_commits(tmp_path: Path) -> None:
    """I1, H3: whatever the moments, same tree and commit ids."""
    assert killed_and_continued(tmp_path, KILLS[WHOLE]) == undisturbed(tmp_path)
    assert_it_can_be_looked_at(tmp_path / "whole" / "wordtally")


def test_a_tier_killed_at_each_of_its_steps_ends_with_the_same_commits(tmp_path: Path) -> None:
    """I1, H3"""
    assert killed_and_continued(tmp_path, KILLS[TIER], *TIER) == undisturbed(tmp_path, *TIER)
