"""Levels of a verdict, in the long form and in the short one. Covers: C14."""

from __future__ import annotations

import json

from sparing.review.verdict import LevelResult, Verdict, read_verdict


def test_a_level_may_be_no_more_than_passed_or_not() -> None:
    long = {"passed": False, "issues_count": 2}
    levels = {"tasks": True, "spec": False, "design": long, "prd": {"passed": True}}
    found = read_verdict("r", json.dumps({"approved": True, "findings": [], "levels": levels}))
    assert isinstance(found, Verdict)
    assert set(found.levels) == {
        LevelResult("tasks", True, 0),
        LevelResult("spec", False, 0),
        LevelResult("design", False, 2),
        LevelResult("prd", True, 0),
    }
