"""Workers that are suspended in the middle of a write, replaced, and woken. Covers: I5.

`bench.fleet --part stopped` does it at all points; here are the ones that push.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.fleet.stopped import POINTS, PUBLISH, Stopping, run_round


@pytest.mark.parametrize(
    "points",
    [("commit:begin", PUBLISH), pytest.param(POINTS, marks=pytest.mark.nightly)],
    ids=("two", "all"),
)
def test_no_write_of_a_worker_that_was_replaced(tmp_path: Path, points: tuple[str, ...]) -> None:
    """I5: woken when others have ended its work, it ends, says why, and has changed nothing."""
    fleet = Stopping(tmp_path, delay_seconds=1.0)
    try:
        rows = run_round(fleet, points, early=False)
    finally:
        fleet.end()
    assert [(row.point, row.faults) for row in rows] == [(point, []) for point in points]
