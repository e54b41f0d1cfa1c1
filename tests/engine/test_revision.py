"""What is recorded of running workflows is stored data: a change of it has a number.

Covers: I4, I7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.engine.revision import REVISION, VERSION
from tests.engine.recorded_steps import listed, recorded

RAISE = (
    "the engine records other steps or other JSON than revision {}: raise REVISION in"
    " engine/revision.py, then run python -m tests.engine.recorded_steps"
)


@pytest.mark.files
def test_the_smallest_tier_records_what_its_revision_does(tmp_path: Path) -> None:
    """I4: names, JSON and order of steps; the other flows are in `test_long_revision`."""
    assert recorded(tmp_path, "L1") == listed()["L1"], RAISE.format(REVISION)


def test_the_listing_is_that_of_the_revision_in_force() -> None:
    """I7: and the engine's library sees the number, so it recovers only what it understands."""
    assert listed()["revision"] == REVISION
    assert f"sparing-r{REVISION}" == VERSION
