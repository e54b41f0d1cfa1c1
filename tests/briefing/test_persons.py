"""A person's own words reach an author, whatever it is asked for. Covers: A6, B9."""

from __future__ import annotations

import pytest

from sparing.context.documents.comments import Comment, Remarks, feedback
from sparing.context.prompt.brief import ArtifactName as A
from sparing.context.prompt.brief import (
    Brief,
    Code,
    Document,
    Material,
    PromptRole,
    QuotedFinding,
    TurnSubject,
)
from sparing.context.prompt.compose import compose
from sparing.context.prompt.turn_words import FEEDBACK, SAID
from sparing.dispatch_policy import Order, Way
from sparing.turn_kind import TurnKind

KINDS = (
    TurnKind.WRITE,
    TurnKind.REVISE,
    TurnKind.REDO,
    TurnKind.TASK,
    TurnKind.FIX,
    TurnKind.CHECKS,
    TurnKind.STAGE,
)
FINDING = QuotedFinding("F1", "blocker", "spec-reviewer", "", "", "no limit is named", "")


def text_of(kind: TurnKind, way: Way, order: Order, *materials: Material) -> str:
    brief = Brief(
        "key",
        PromptRole("builder", "# Your role: builder\n"),
        TurnSubject(kind, "plan", target="plan.md"),
        documents=(Document(A.SPEC, "# Spec\n"),),
        code=Code("", ()) if kind is TurnKind.FIX else None,
        findings=(FINDING,) if kind in (TurnKind.REVISE, TurnKind.FIX) else (),
        materials=materials,
        resumable=True,
    )
    return "\n".join(one.text for one in compose(brief, way, order).segments)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("way", [Way.COMPOSE, Way.RESUME])
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_between_turns_is_data_and_is_to_be_followed(
    kind: TurnKind, way: Way, order: Order
) -> None:
    said = text_of(kind, way, order, Material(SAID, "use Redis\n"))
    assert '<document key="key" name="said">\nuse Redis\n</document>' in said
    assert said.count("Follow it in this turn.") == 1
    assert "`feedback`" not in said or kind is TurnKind.REDO
    assert "Follow it in this turn." not in text_of(kind, way, order)


@pytest.mark.parametrize("way", [Way.COMPOSE, Way.RESUME])
@pytest.mark.parametrize("kind", [TurnKind.REDO, TurnKind.STAGE])
def test_comments_are_answered_one_by_one(kind: TurnKind, way: Way) -> None:
    remarks = Remarks("", (Comment(3, "1. Write the file.", "name it"),))
    given = Material(FEEDBACK, feedback("plan.md", remarks))
    said = text_of(kind, way, Order.NESTED, given)
    assert "C1, line 3 of plan.md:\n&gt; 1. Write" in said or "C1, line 3 of plan.md:\n> 1." in said
    assert "- `C1`: changed — what and where" in said
    plain = text_of(kind, way, Order.NESTED, Material(FEEDBACK, "shorter"))
    assert "`C1`" not in plain
