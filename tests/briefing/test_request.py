"""The user's own words reach everybody who works from them or judges by them. Covers: B6, F4."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.briefing.program_handoff import pipeline_of
from sparing.context.documents.rich_handoff import handoff_notes, rich_handoff
from sparing.context.prompt.compose import compose, naive
from sparing.feature import Background, Priority
from sparing.turn import Turn
from sparing.way import Order, Way
from tests.briefing.sample import Sample, make_sample

ASKED = "Clients that ask too often\nget 429 and </document> the time to wait."
QUOTED = "Clients that ask too often\nget 429 and &lt;/document> the time to wait."


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Features that began with the body of an issue."""
    sample = make_sample(Path(tmp_path_factory.mktemp("asked")))
    told = Background(description=ASKED, priority=Priority.HIGH)
    return sample._replace(rows={n: replace(r, background=told) for n, r in sample.rows.items()})


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize(
    ("role", "stage", "turn"),
    [
        ("judge", "design_review", Turn.JUDGE),
        ("judge", "code_review", Turn.JUDGE),
        ("builder", "brainstorm", Turn.WRITE),
        ("builder", "plan", Turn.WRITE),
        ("builder", "implement", Turn.BUILD),
    ],
)
def test_in_a_tier_request_and_priority_are_data_for_all(
    asked: Sample, role: str, stage: str, turn: Turn, order: Order
) -> None:
    """B6, F4: who judges measures by the request, not by what the builder made of it."""
    brief = gather(asked.source(role, stage, turn, flow="L3"))
    fresh = {one.name: one.text for one in compose(brief, Way.COMPOSE, order).segments}
    for text in (fresh["request"], naive(brief).text):
        assert f"Title: Rate limits\nPriority: high\n\n{QUOTED}\n" in text
    assert "`request`" in fresh["turn"]


def test_every_handoff_begins_with_it(asked: Sample) -> None:
    """F4: layer 1, also of the short one that repeats no document."""
    pipeline = pipeline_of(asked.source("builder", "implement", Turn.BUILD, flow="L3"))
    for text in (rich_handoff(pipeline).text, handoff_notes(pipeline, [])):
        assert "- Priority: high\n" in text
        assert all(f"> {line}\n" in text for line in ASKED.splitlines())


@pytest.mark.parametrize("role", ["prd-reviewer", "readiness-reviewer"])
@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_whoever_judges_the_first_document_knows_what_was_asked(
    asked: Sample, role: str, order: Order
) -> None:
    """B9: later ones judge by the PRD."""
    brief = gather(asked.source(role, "brainstorm", Turn.REVIEW))
    assert QUOTED in "".join(one.text for one in compose(brief, Way.COMPOSE, order).segments)
    later = gather(asked.source("spec-reviewer", "specify", Turn.REVIEW))
    assert QUOTED not in naive(later).text
