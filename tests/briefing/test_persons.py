"""A person's own words reach an author, whatever it is asked for. Covers: A6, B9."""

from __future__ import annotations

import pytest

from sparing.context.documents.comments import Comment, Remarks, feedback
from sparing.context.prompt.brief import ArtifactName as A
from sparing.context.prompt.brief import (
    Asked,
    Brief,
    Code,
    Document,
    Kind,
    Material,
    OpenFinding,
    Role,
)
from sparing.context.prompt.compose import compose
from sparing.context.prompt.turns import FEEDBACK, SAID
from sparing.way import Order, Way

KINDS = (Kind.WRITE, Kind.REVISE, Kind.REDO, Kind.TASK, Kind.FIX, Kind.CHECKS, Kind.STAGE)
FINDING = OpenFinding("F1", "blocker", "spec-reviewer", "", "", "no limit is named", "")


def text_of(kind: Kind, way: Way, order: Order, *materials: Material) -> str:
    brief = Brief(
        "key",
        Role("builder", "# Your role: builder\n"),
        Asked(kind, "plan", target="plan.md"),
        documents=(Document(A.SPEC, "# Spec\n"),),
        code=Code("", ()) if kind is Kind.FIX else None,
        findings=(FINDING,) if kind in (Kind.REVISE, Kind.FIX) else (),
        materials=materials,
        resumable=True,
    )
    return "\n".join(one.text for one in compose(brief, way, order).segments)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("way", [Way.COMPOSE, Way.RESUME])
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_between_turns_is_data_and_is_to_be_followed(
    kind: Kind, way: Way, order: Order
) -> None:
    said = text_of(kind, way, order, Material(SAID, "use Redis\n"))
    assert '<document key="key" name="said">\nuse Redis\n</document>' in said
    assert said.count("Follow it in this turn.") == 1
    assert "`feedback`" not in said or kind is Kind.REDO
    assert "Follow it in this turn." not in text_of(kind, way, order)


@pytest.mark.parametrize("way", [Way.COMPOSE, Way.RESUME])
@pytest.mark.parametrize("kind", [Kind.REDO, Kind.STAGE])
def test_comments_are_answered_one_by_one(kind: Kind, way: Way) -> None:
    remarks = Remarks("", (Comment(3, "1. Write the file.", "name it"),))
    given = Material(FEEDBACK, feedback("plan.md", remarks))
    said = text_of(kind, way, Order.NESTED, given)
    assert "C1, line 3 of plan.md:\n&gt; 1. Write" in said or "C1, line 3 of plan.md:\n> 1." in said
    assert "- `C1`: changed — what and where" in said
    plain = text_of(kind, way, Order.NESTED, Material(FEEDBACK, "shorter"))
    assert "`C1`" not in plain
