"""Two verdicts in one reply, and when two reviewers may look in one turn. Covers: E10, C14."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Verdict
from sparing.panel import ENOUGH_LOOKS, PanelMode, short_name
from sparing.review.panel import PANEL_SCHEMA, PanelReading, Reviewer, read_panel
from sparing.review.panel_rule import (
    LookApart,
    PanelRule,
    is_sampled,
    quiet_looks,
)
from sparing.review.verdict import SCHEMA, read_verdict

SPEC, PHASE = Reviewer("spec-reviewer", ("scope",)), Reviewer("phase-reviewer")
BLOCKER = {"severity": "blocker", "text": "AC-2 contradicts AC-1", "category": "scope"}


def half(who: Reviewer, *findings: dict[str, str], **more: object) -> dict[str, Any]:
    found = {"approved": not findings, "findings": list(findings), "summary": "read"}
    return {"reviewer": who.name, **found, **more}


def reply(*halves: object) -> str:
    return json.dumps({"verdicts": halves})


def roles(reading: PanelReading) -> list[tuple[str, bool]]:
    return [(one.role, one.approved) for one in reading.verdicts]


def test_each_half_is_read_as_it_would_be_alone() -> None:
    """E10: the same words are the same judgement, alone or not."""
    both = read_panel(reply(half(SPEC), half(PHASE, BLOCKER)), (SPEC, PHASE))
    alone = half(PHASE, BLOCKER)
    del alone["reviewer"]
    assert both.complaint == ""
    assert both.verdicts[1] == read_verdict(PHASE.name, json.dumps(alone), PHASE.categories)
    assert both.verdicts[1].findings[0].category == ""


def test_behind_a_first_verdict_that_fails_nothing_is_looked_at() -> None:
    """E10: a specialist's FAIL discards the phase verdict, whatever form that has."""
    for other in ((), (half(PHASE),), ({"reviewer": PHASE.name, "approved": "maybe"},)):
        reading = read_panel(reply(half(SPEC, BLOCKER), *other), (SPEC, PHASE))
        assert (roles(reading), reading.complaint) == ([(SPEC.name, False)], "")


def test_an_approval_with_a_warning_discards_the_second_verdict_too() -> None:
    """E10, C2: passing is approved with neither blocker nor warning."""
    said = half(SPEC, {"severity": "warning", "text": "no limit"}, approved=True)
    assert len(read_panel(reply(said, half(PHASE)), (SPEC, PHASE)).verdicts) == 1


def test_the_complaint_names_the_half_that_is_wrong_and_keeps_the_other() -> None:
    """C14: one precise repair turn, about the half that can't be read."""
    broken = half(PHASE)
    del broken["approved"]
    reading = read_panel(reply(half(SPEC), broken), (SPEC, PHASE))
    assert roles(reading) == [(SPEC.name, True)]
    assert reading.complaint.startswith("the verdict of phase-reviewer: ")
    assert "approved" in reading.complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (reply(half(SPEC)), "phase-reviewer is missing; spec-reviewer approves, so it is asked"),
        (reply(half(PHASE)), "the verdict of spec-reviewer is missing"),
        (reply(half(SPEC), half(SPEC)), "spec-reviewer has two verdicts"),
        (reply({"approved": True, "findings": []}), "has no 'reviewer'"),
        (json.dumps({"approved": True, "findings": []}), "a verdict of each reviewer"),
        (json.dumps({"verdicts": "good"}), "'verdicts' is no list"),
        ("Both approve.", "no JSON object"),
        (reply(half(SPEC), half(PHASE)) + reply(half(SPEC)), "2 verdict objects"),
        (reply(half(SPEC), half(PHASE)) + " I do not approve.", "verdict of spec-reviewer: "),
    ],
)
def test_what_can_not_be_two_verdicts_is_said_back(text: str, complaint: str) -> None:
    """C14: never read as an approval."""
    reading = read_panel(text, (SPEC, PHASE))
    assert complaint in reading.complaint


def test_whoever_is_asked_alone_may_answer_as_it_does_alone() -> None:
    """E10: the panel's form with one entry, or the verdict by itself."""
    plain = json.dumps({"approved": True, "findings": []})
    assert roles(read_panel(plain, (PHASE,))) == [(PHASE.name, True)]
    assert roles(read_panel(reply(half(PHASE)), (PHASE,))) == [(PHASE.name, True)]


@given(st.text(max_size=200) | st.lists(st.integers() | st.text() | st.none()).map(json.dumps))
def test_no_reply_breaks_the_reader(text: str) -> None:
    """C14: a reply is foreign text."""
    for said in (text, json.dumps({"verdicts": text}), reply(text)):
        reading = read_panel(said, (SPEC, PHASE))
        assert all(isinstance(one, Verdict) for one in reading.verdicts)
        assert reading.complaint


def test_one_form_for_all_panels_is_the_verdict_with_a_name() -> None:
    """E10: all panels share a cached prefix; it grows with the verdict's own form."""
    item = PANEL_SCHEMA["properties"]["verdicts"]["items"]
    assert {**SCHEMA["properties"], "reviewer": {"type": "string"}} == item["properties"]
    assert "phase" not in json.dumps(PANEL_SCHEMA)


def looks(*found: bool) -> list[LookApart]:
    return [LookApart(float(at), one) for at, one in enumerate(found)]


def test_auto_merges_after_thirty_looks_without_a_find() -> None:
    """E10: one accepted blocker of its own sets the count back."""
    assert quiet_looks(looks(*[False] * 30)) == 30
    assert quiet_looks(looks(*[False] * 30, True)) == 0
    assert quiet_looks(looks(True, *[False] * 29)) == 29
    assert quiet_looks(reversed(looks(True, False, False))) == 2


def names(count: int) -> list[tuple[str, str]]:
    stages = ("specify", "design", "create-plan", "create-tasks")
    return [(f"key-{n:03}", stage) for n in range(count) for stage in stages]


def test_auto_keeps_one_loop_in_four_apart() -> None:
    """E10: drawn from the feature's and the stage's name, so a repetition draws the same."""
    drawn = [is_sampled(*name) for name in names(200)]
    assert drawn == [is_sampled(*name) for name in names(200)]
    assert 0.2 < sum(drawn) / len(drawn) < 0.3


def test_the_rule_of_each_mode() -> None:
    """E10: separate never, merged always, auto by what is known."""
    free = next(name for name in names(20) if not is_sampled(*name))
    sampled = next(name for name in names(20) if is_sampled(*name))
    for mode, quiet, name, merges in (
        (PanelMode.SEPARATE, 99, free, False),
        (PanelMode.MERGED, 0, sampled, True),
        (PanelMode.AUTO, ENOUGH_LOOKS - 1, free, False),
        (PanelMode.AUTO, ENOUGH_LOOKS, free, True),
        (PanelMode.AUTO, ENOUGH_LOOKS, sampled, False),
    ):
        assert PanelRule(mode, quiet, name[0]).merges(name[1]) is merges


def test_a_short_name_for_narrow_columns() -> None:
    assert short_name("spec-reviewer+phase-reviewer") == "spec+phase-reviewer"
    assert short_name("spec-author") == "spec-author"
