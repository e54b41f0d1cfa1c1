"""A review that ended at its cap: no mode passes its gate by rule, and the gate says why.

Covers: C1, C2, A5, A6, A7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.capped_review import assert_its_gate_waits, start


@pytest.mark.parametrize("flag", ["--auto", "--yes"])
def test_no_mode_passes_a_gate_over_a_review_that_ended_at_its_cap(
    tmp_path: Path, flag: str
) -> None:
    """C2, A7, A5"""
    assert_its_gate_waits(tmp_path, "adaptive", flag)


@pytest.mark.long
def test_a_person_may_approve_what_no_rule_passes(tmp_path: Path) -> None:
    """A6, C2: a later run by rule still waits; the person's word goes on, and is on record."""
    capped = start(tmp_path, "adaptive")
    assert capped.say("run", "1", "--no-input").code == 2
    again = capped.say("run", "1", "--auto")
    assert (again.code, "waits: your approval of specify" in again.err) == (2, True)
    assert capped.say("approve", "1").code == 0
    on = capped.say("run", "1", "--auto")
    assert "design-author" in on.err
    assert [one.text for one in capped.told() if one.kind == "passed"] == []
