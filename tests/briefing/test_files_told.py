"""Who changes the code again in a new session is told its files. Covers: C10, F4."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Order, Way
from sparing.turn import Turn
from tests.briefing.sample import Sample


@pytest.mark.parametrize("turn", [Turn.REDO, Turn.REPAIR_CHECKS, Turn.ANSWER])
def test_who_changes_the_code_again_in_a_new_session_is_told_its_files(
    sample: Sample, turn: Turn
) -> None:
    """C10: after a person's rejection, red checks or an answer, as after a review; who revises a
    document is not."""
    brief = gather(sample.source("implementer", "implement", turn, feedback="fixes"))
    for order in (Order.NESTED, Order.SEED):
        (told,) = [one.text for one in compose(brief, Way.COMPOSE, order).segments
                   if one.name == "files"]  # fmt: skip
        assert "src/gate.py (+" in told
    spec = gather(sample.source("spec-author", "specify", turn, feedback="fixes"))
    assert "files" not in [one.name for one in compose(spec, Way.COMPOSE).segments]


@pytest.mark.parametrize(
    ("turn", "sent_back", "handoff", "told"),
    [
        (Turn.BUILD, False, "", False),
        (Turn.BUILD, True, "", True),
        (Turn.BUILD, True, "# Handoff\n", False),
        (Turn.REDO, False, "", True),
    ],
)
def test_a_tier_s_builder_that_changes_its_code_again_is_told_its_files(
    sample: Sample, turn: Turn, *, sent_back: bool, handoff: str, told: bool
) -> None:
    """C10: in a new session, unless the handoff lists them."""
    source = sample.source("builder", "implement", turn, flow="L3", feedback="fixes")
    going = replace(source.job.going, handoff=source.around.folder.keep(handoff) if handoff else "")
    open_ = ("code_review.1",) if sent_back else ()
    source = replace(source, job=replace(source.job, open=open_, going=going))
    for order in (Order.NESTED, Order.SEED):
        segments = compose(gather(source), Way.COMPOSE, order).segments
        assert (
            "src/gate.py (+" in "".join(one.text for one in segments if one.name == "files")
        ) is told
        assert "request" in [one.name for one in segments]
