"""What the author who sums up a tier is told of the checks. Covers: F9."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.background import results_text
from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Way
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn import Turn
from tests.briefing.sample import make_sample


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


@pytest.mark.parametrize("turn", [Turn.WRITE, Turn.REDO])
def test_who_sums_up_anew_is_told_of_them_too(tmp_path: Path, turn: Turn) -> None:
    """F9, B7: after a rejection as well, in a session that has not seen them."""
    sample = make_sample(tmp_path)
    source = sample.source("builder", "done", turn, flow="L1", seen=1)
    with sample.around.database.write() as tx:
        key = source.row.feature.key
        features.create(tx, replace(source.row, feature=replace(source.row.feature, number=9)))
        events.add(tx, Event("1.checks", key, 0.0, "checks", "implement", data={"test": True}))
    brief = gather(source)
    fresh = {one.name: one.text for one in compose(brief, Way.COMPOSE).segments}
    assert "- test: green\n" in fresh["check-results"]
    assert "The document `check-results`" in fresh["turn"]
    again = [one.name for one in compose(brief, Way.RESUME).segments]
    assert ("check-results" in again) == (turn is Turn.WRITE)
