"""Work that died is told in two lines, however many its error has.

Covers: K1
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.cli.run.failed_legs import raise_failures
from sparing.errors import StateError
from tests.records.rows import feature_row

ROW = replace(feature_row(), running=True)


def test_an_error_with_a_fix_of_its_own_is_still_two_lines() -> None:
    error = "the disk is full\nmake room\n(Background on this error at: https://sqlalche.me/e/20/x)"
    with pytest.raises(StateError) as stopped:
        raise_failures([ROW], {ROW.leg_id: error})
    assert str(stopped.value).splitlines() == [
        "feature 001 stopped: the disk is full; make room",
        "what was done is kept; to continue: sparing run 001",
    ]


def test_a_feature_that_does_not_run_stops_nothing() -> None:
    raise_failures([replace(ROW, running=False)], {ROW.leg_id: "old"})
    raise_failures([ROW], {"another": "old"})
