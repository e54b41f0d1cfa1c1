"""What an agent's commit says it is for. Covers: C5, H3."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.dispatch.agent_purpose import agent_purpose
from sparing.turn import Turn
from tests.briefing.sample import Sample, make_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(Path(tmp_path_factory.mktemp("purpose")))


@pytest.mark.parametrize(
    ("role", "stage", "words"),
    [
        ("spec-author", "specify", "revise spec.md after review"),
        ("implementer", "implement", "address the review"),
    ],
)
def test_rounds_are_counted_by_the_loop_that_asks(
    sample: Sample, role: str, stage: str, words: str
) -> None:
    """C5: the phase-reviewer's first round is its first, after however many of the specialist."""
    source = sample.source(role, stage, Turn.REVISE, iteration=4, settles=True)
    later = replace(source, job=replace(source.job, look=2))
    assert (agent_purpose(later).words, agent_purpose(later).note) == (words, "round 2")
    assert agent_purpose(source).note == "round 4"


@pytest.mark.parametrize(
    ("stage", "turn", "words"),
    [
        ("brainstorm", Turn.WRITE, "revise brainstorm.md after review"),
        ("implement", Turn.BUILD, "address the review"),
    ],
)
def test_what_a_tier_s_judge_sent_back_is_not_written_anew(
    sample: Sample, stage: str, turn: Turn, words: str
) -> None:
    """C5: two commits of one subject would look like one made twice."""
    source = sample.source("builder", stage, turn, flow="L3")
    assert agent_purpose(source).words != words
    again = replace(source, job=replace(source.job, open=("judge's",)))
    assert agent_purpose(again).words == words
