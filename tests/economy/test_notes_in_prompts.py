"""What a fresh session is told of its role's last look, and how code under review stays cached.

Covers: E1, C18.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.context.prompt.brief import Brief, Code, Document, PromptRole, TurnSubject
from sparing.context.prompt.compose import compose, naive
from sparing.dispatch_policy import Order, Way
from sparing.economy.cost_model import TYPICAL, TurnWork
from sparing.economy.ledger_notes import notes_pay
from sparing.turn_kind import TurnKind

BRIEF = Brief(
    "k",
    PromptRole("spec-reviewer", "# Your role: spec-reviewer\n"),
    TurnSubject(TurnKind.REVIEW, "specify", subject="spec.md", iteration=2, cap=3, seen=1),
    documents=(Document(ArtifactName.PRD, "goals\n"),),
    subject=Document(ArtifactName.SPEC, "R1\nR2 new\n"),
    delta="+R2 new\n",
    fix_summary="R2 is new.",
    notes="Round 1.\nR2 is missing.\n",
)
CHANGE = Code("+one\n", (FileChange("a.py", 1, 0),), since=("-one\n+two\n", "+three\n"))


def _names(brief: Brief, way: Way = Way.COMPOSE, order: Order = Order.NESTED) -> list[str]:
    return [segment.name for segment in compose(brief, way, order).segments]


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_who_looks_again_without_a_session_gets_notes_and_the_change(order: Order) -> None:
    """E1: the earlier verdict and the diff instead of looking around once more."""
    names = _names(BRIEF, order=order)
    assert names.index("notes") + 1 == names.index("last-changes")
    assert names.index("notes") + 1 == names.index("last-changes")
    # What the author says is given to whoever looks again, with notes and without.
    assert ("fix-summary" in names) == (order is Order.NESTED)
    without = _names(replace(BRIEF, notes=""), order=order)
    assert not {"notes", "last-changes"} & set(without)
    assert "notes" not in _names(BRIEF, Way.RESUME, order)


def test_the_turn_says_what_the_notes_are_for() -> None:
    turn = compose(BRIEF, Way.COMPOSE).segments[-1].text
    assert "`notes`" in turn
    assert "`notes`" not in compose(replace(BRIEF, notes=""), Way.COMPOSE).segments[-1].text


def test_code_under_review_only_grows() -> None:
    """E1: what a round added stands behind what was there, so that a cached trunk goes on."""
    code = replace(BRIEF, subject=None, code=CHANGE)
    earlier = replace(code, code=replace(CHANGE, since=CHANGE.since[:1]))
    trunks: list[list[str]] = []
    for brief in (earlier, code):
        composed = compose(brief, Way.COMPOSE)
        trunks.append([one.text for one in composed.segments[: composed.trunk]])
    assert trunks[1][: len(trunks[0])] == trunks[0]
    assert len(trunks[1]) == len(trunks[0]) + 1
    assert "last-changes" not in _names(code)
    assert "changes-after-1.diff" in compose(code, Way.COMPOSE).segments[-1].text


def test_the_baseline_knows_the_later_changes_too() -> None:
    """C18: whatever is compared has been told the same."""
    text = naive(replace(BRIEF, subject=None, code=CHANGE)).text
    assert "+one" in text
    assert "+three" in text


def test_a_map_stands_with_the_rules() -> None:
    names = _names(replace(BRIEF, map="store.py: Store\n"))
    assert names[0] == "map"


def test_notes_are_given_where_they_spare_something() -> None:
    """E1, C16: not to who looks at everything in one call anyway."""
    long, short = TurnWork(8, 15_000, 2_000), TurnWork(5, 8_000, 1_700)
    assert notes_pay(TYPICAL, 20_000, 1_500, short, long)
    once = TurnWork(1, 0, 400)
    assert not notes_pay(TYPICAL, 20_000, 1_500, once, once)
