"""What the author who sums up a tier is told of the checks. Covers: F9."""

from __future__ import annotations

import pytest

from sparing.briefing.background import results_text


@pytest.mark.parametrize(
    ("passed", "text", "said"),
    [
        ({"test": True, "lint": True}, "2 green", "- test: green\n- lint: green\n"),
        (
            {"test": True, "lint": False},
            "1 green, 1 red as before",
            "- test: green\n- lint: red\n- together: 1 green, 1 red as before\n",
        ),
        ({}, "none found", "- none were found in the repository\n"),
    ],
)
def test_every_check_has_its_line(passed: dict[str, bool], text: str, said: str) -> None:
    """F9: which check is green, not only how many."""
    assert results_text(passed, text) == said
