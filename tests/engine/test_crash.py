"""kill -9 at crash points, each time going on: the same commits as if nothing had happened.

Covers: I1, H3
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.killed import OFTEN, TIER, killed_and_continued, undisturbed

pytestmark = pytest.mark.long


def test_a_tier_killed_again_and_again_ends_with_the_same_commits(tmp_path: Path) -> None:
    """I1, H3: whatever the moments, same tree and commit ids."""
    assert killed_and_continued(tmp_path, OFTEN, *TIER) == undisturbed(tmp_path, *TIER)
