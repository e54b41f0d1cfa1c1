"""The bench on review histories, with a history of our own. Covers: C2, C13."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import finding_pairs, histories

HISTORY = """\
# Review history

## Design Review - Iteration 1 - 2031-02-03

**Reviewer:** design-reviewer
**Decision:** Needs Revision

**Issues:**
- [blocker] [completeness] No component owns the retry queue (at: C2)
- [warning] [consistency] C4 names the store twice (at: C4)

**Changes Made:**
- [blocker] C2 owns it

## Design Review - Iteration 2 - 2031-02-03

**Issues:**
- [warning] [consistency] The store is still named twice in C4 (at: C4)

## Design Review - Iteration 3 - 2031-02-03

**Issues:**
- [warning] [consistency] C4 names the store twice (at: C4)

## Design Review - Iteration 4 - 2031-02-03

**Issues:**
- [note] Nothing more
"""


def test_it_reports_reading_identity_and_endings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C13, C2"""
    feature = tmp_path / "features" / "001-queue"
    feature.mkdir(parents=True)
    (feature / ".review-history.md").write_text(HISTORY, "utf-8")
    (tmp_path / "features" / "002-none").mkdir()
    assert histories.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["reading"] == {"severity_lines": 6, "read": 6, "share": 1.0, "findings": 5}
    assert summary["identity"]["hold-out"]["usable"] == 0
    assert summary["governor"]["total"] == {
        "loops": 1,
        "iterations": 4,
        "saved": 1,
        "blockers_dropped": 0,
        "blockers_raised_after_an_accept": 0,
        "accepted": 1,
        "to a human": 0,
        "still open": 0,
    }
    assert json.loads((tmp_path / "out" / "histories.json").read_text("utf-8")) == summary


def test_a_pair_whose_lines_have_changed_is_left_out() -> None:
    """C2: labels are only used for the lines that were read when they were given."""
    rows = json.loads(finding_pairs.PAIRS.read_text("utf-8"))["pairs"]
    feature = next(row[1] for row in rows if row[0] == "train")
    found = finding_pairs.identity({feature: HISTORY * 50}, ["train"])
    assert (found["train"]["pairs"], found["train"]["usable"]) == (60, 0)


def test_pairs_of_one_place_are_cut_in_two_by_hash() -> None:
    """C2: at least 60, each about two matters; the half is no matter of choice."""
    rows = finding_pairs.one_place()
    assert len(rows) >= 60
    assert all(one.location == other.location != "" for one, other in rows)
    parts = [finding_pairs.half(one.text, other.text) for one, other in rows]
    assert min(parts.count(part) for part in set(parts)) >= 25
    assert set(parts) == {finding_pairs.DEVELOPMENT, finding_pairs.HELD_OUT}
