"""Work that died is told in two lines, however many its error has.

Covers: K1
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.cli.run.failed_legs import raise_failures
from sparing.errors import StateError
from sparing.records.folder import RUN_AGAIN
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


def test_a_text_that_is_gone_names_what_redoes_the_stage() -> None:
    """I3: another run would only fail again."""
    error = f"a stored text is gone: 2ebdcd89d865\n{RUN_AGAIN}"
    with pytest.raises(StateError) as stopped:
        raise_failures([ROW], {ROW.leg_id: error})
    assert str(stopped.value).splitlines() == [
        "feature 001 stopped: a stored text is gone: 2ebdcd89d865",
        "to redo its stage: sparing pause 001; sparing run 001; sparing rerun 001; sparing run 001",
    ]


def test_a_feature_that_does_not_run_stops_nothing() -> None:
    raise_failures([replace(ROW, running=False)], {ROW.leg_id: "old"})
    raise_failures([ROW], {"another": "old"})
