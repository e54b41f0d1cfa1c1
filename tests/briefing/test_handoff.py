"""The handoff block: written strictly, read tolerantly.

Covers: F5
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.briefing.handoff_block import handoff_of
from sparing.context.documents.handoff import (
    Handoff,
    HandoffStatus,
    parse_handoff,
    spoken,
    summary_of,
)
from sparing.job import JobResult
from sparing.prompts.render import words
from sparing.records.folder import StateFolder
from sparing.turn import StageStep
from tests.stages.tiers import at, entered

FULL = Handoff(
    HandoffStatus.BLOCKED,
    "The counter is built.",
    ("one table, for speed", "no cache"),
    ("Who may reset it?",),
    ("src/a.py", "src/b.py"),
    ("read src/a.py first",),
    ("the clock jumps",),
)
WORD = st.text("abcdefghij -.", min_size=3).map(lambda text: "w" + " ".join(text.split()))
SEVERAL = st.lists(WORD, max_size=3).map(tuple)
PATHS = st.lists(st.from_regex(r"[a-z]{1,6}/[a-z]{1,6}\.py", fullmatch=True), max_size=3).map(tuple)


def render_handoff(handoff: Handoff) -> str:
    """The block as it is asked for; `none` where there is nothing."""
    rows = (
        ("Status", handoff.status.value),
        ("Summary", handoff.summary),
        ("Key Decisions", "; ".join(handoff.key_decisions)),
        ("Open Questions", "; ".join(handoff.open_questions)),
        ("Files Modified", "; ".join(handoff.files_modified)),
        ("Next Stage Needs", "; ".join(handoff.next_stage_needs)),
        ("Warnings", "; ".join(handoff.warnings)),
    )
    return "### HANDOFF\n" + "".join(f"- **{name}**: {value or 'none'}\n" for name, value in rows)


def test_what_is_written_has_its_form() -> None:
    assert render_handoff(FULL) == (
        "### HANDOFF\n"
        "- **Status**: blocked\n"
        "- **Summary**: The counter is built.\n"
        "- **Key Decisions**: one table, for speed; no cache\n"
        "- **Open Questions**: Who may reset it?\n"
        "- **Files Modified**: src/a.py; src/b.py\n"
        "- **Next Stage Needs**: read src/a.py first\n"
        "- **Warnings**: the clock jumps\n"
    )
    assert render_handoff(Handoff()).count(": none\n") == 6


@settings(deadline=None)
@given(
    st.builds(
        Handoff, st.sampled_from(HandoffStatus), WORD, SEVERAL, SEVERAL, PATHS, SEVERAL, SEVERAL
    )
)
def test_what_is_written_is_read_back(handoff: Handoff) -> None:
    assert parse_handoff(f"Done.\n\n{render_handoff(handoff)}") == handoff


def test_the_shortest_block_is_a_block() -> None:
    """F5: a status alone says how the stage ended."""
    assert parse_handoff("All done.\n### HANDOFF\n- **Status**: completed\n") == Handoff()
    assert not Handoff().pauses


def test_the_last_block_counts() -> None:
    """A reply may quote the one it was given."""
    earlier = render_handoff(Handoff(summary="the stage before"))
    later = render_handoff(Handoff(HandoffStatus.BLOCKED, "this stage"))
    assert parse_handoff(earlier + "\nI went on.\n\n" + later).summary == "this stage"


def test_an_echo_of_the_instructions_is_no_block() -> None:
    block = render_handoff(FULL)
    assert parse_handoff(block + "\nAs asked:\n" + words("blocks", "handoff")) == FULL
    assert parse_handoff(words("blocks", "handoff")) == Handoff(missing=True)


@pytest.mark.parametrize(
    "text",
    [
        "## Handoff\n**Status:** Blocked\n**Summary:** one\n  two\n**Warnings:** None\n",
        "**HANDOFF**\nStatus: BLOCKED\nSummary: one two\nWarnings: n/a\n",
        "```\n### HANDOFF\n* **Status**: `blocked`\n* __Summary__: one two\n```\n",
        "> ### HANDOFF\n> - **Status**: blocked.\n> - **Summary**: one two\n",
        "### HANDOFF for plan\r\n- **Status** : blocked\r\n- **Summary**: one two\r\n",
    ],
)
def test_other_forms_are_understood(text: str) -> None:
    found = parse_handoff("Before.\n" + text)
    assert (found.status, found.summary, found.warnings) == (HandoffStatus.BLOCKED, "one two", ())


def test_values_over_several_lines_are_kept() -> None:
    found = parse_handoff(
        "### HANDOFF\n- **Status**: completed\n- **Key Decisions**:\n  - one table,\n"
        "    for speed\n  - no cache\n- **Files Modified**: `a.py`, `b.py`\n"
        "- **Open Questions**:\n  1. Who?\n  2. When?\n\n## Afterwards\n- **Status**: blocked\n"
    )
    assert found.key_decisions == ("one table, for speed", "no cache")
    assert found.files_modified == ("a.py", "b.py")
    assert found.open_questions == ("Who?", "When?")
    assert found.status is HandoffStatus.COMPLETED


@pytest.mark.parametrize("word", ["none", "None.", "N/A", "n/a", "-", "—", "nothing", ""])
def test_nothing_has_many_words(word: str) -> None:
    found = parse_handoff(f"### HANDOFF\n- Status: done\n- Open Questions: {word}\n- Warnings: x\n")
    assert found.open_questions == ()
    assert not found.pauses


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("completed", HandoffStatus.COMPLETED),
        ("Complete ✅", HandoffStatus.COMPLETED),
        ("done", HandoffStatus.COMPLETED),
        ("BLOCKED (no key)", HandoffStatus.BLOCKED),
        ("needs intervention", HandoffStatus.NEEDS_INTERVENTION),
        ("needs-human-intervention", HandoffStatus.NEEDS_INTERVENTION),
        ("partially completed", HandoffStatus.NEEDS_INTERVENTION),
        ("not done", HandoffStatus.NEEDS_INTERVENTION),
        ("wobbly", HandoffStatus.NEEDS_INTERVENTION),
        ("", HandoffStatus.COMPLETED),
    ],
)
def test_three_states_and_a_person_for_the_rest(word: str, status: HandoffStatus) -> None:
    assert parse_handoff(f"### HANDOFF\n- **Status**: {word}\n- Summary: x\n").status is status


@pytest.mark.parametrize(
    ("handoff", "pauses"),
    [
        (Handoff(), False),
        (Handoff(warnings=("x",)), False),
        (Handoff(open_questions=("x?",)), True),
        (Handoff(HandoffStatus.BLOCKED), True),
        (Handoff(HandoffStatus.NEEDS_INTERVENTION), True),
    ],
)
def test_what_pauses(handoff: Handoff, pauses: bool) -> None:
    assert handoff.pauses == pauses


def test_a_summary_has_what_stands_for_the_output() -> None:
    """B6: summary, decisions, files."""
    assert summary_of(FULL) == (
        "Summary: The counter is built.\nKey decisions: one table, for speed; no cache\n"
        "Files modified: src/a.py; src/b.py\n"
    )
    assert summary_of(Handoff()) == ""


@settings(deadline=None)
@given(st.text(alphabet="#*-: \nHANDOFstatusblocked`>;", max_size=300))
def test_no_reply_breaks_the_reader(text: str) -> None:
    assert parse_handoff(text).status in HandoffStatus
    assert parse_handoff(f"### HANDOFF\n- Status: {text}").status in HandoffStatus


@pytest.mark.parametrize(
    "reply",
    [
        'Done.\n```json\n{"handoff": {"status": "needs_intervention", "summary": "No key.",'
        ' "open_questions": ["Which key? (default: none)"], "warnings": []}}\n```',
        '{"Status": "needs_intervention", "Summary": "No key.",'
        ' "openQuestions": ["Which key? (default: none)"]}',
        "<handoff>\n<status>needs_intervention</status><summary>No key.</summary>"
        "<open_questions><item>Which key? (default: none)</item></open_questions>\n</handoff>",
        "Text.\n```yaml\nhandoff:\n  status: needs_intervention\n  summary: No key.\n"
        "  open_questions:\n    - Which key? (default: none)\n  warnings: none\n```\nBye.",
        "Text.\n\n- **Status**: needs_intervention\n- **Summary**: No key.\n"
        "- **Open Questions**: Which key? (default: none)\n",
    ],
    ids=["JSON", "bare JSON", "XML", "YAML", "no heading"],
)
def test_a_block_in_another_form_is_read(reply: str) -> None:
    """F5: never taken for completed."""
    found = parse_handoff(reply)
    assert (found.status, found.summary) == (HandoffStatus.NEEDS_INTERVENTION, "No key.")
    assert found.open_questions == ("Which key? (default: none)",)
    assert found.unreadable == ""


@pytest.mark.parametrize(
    "reply",
    [
        "### HANDOFF\nI think we are blocked.",
        "<handoff>blocked</handoff>",
        "Status: blocked",
    ],
)
def test_a_block_that_can_not_be_read_says_so(reply: str) -> None:
    """F5"""
    assert parse_handoff(reply).unreadable


@pytest.mark.parametrize("reply", ["Planned, at length.", "It returns status: 404.", ""])
def test_a_reply_without_a_trace_of_a_block_lacks_it(reply: str) -> None:
    """F5: nothing says that its stage is completed."""
    assert parse_handoff(reply) == Handoff(missing=True)


@pytest.mark.parametrize(
    ("step", "block_due", "missing"),
    [
        (StageStep.AUTHOR, True, True),
        (StageStep.AUTHOR, False, False),
        (StageStep.REPAIR, True, False),
    ],
    ids=["asked by this version", "asked by an earlier version", "repaired checks"],
)
def test_a_block_is_missing_only_where_it_is_due(
    tmp_path: Path, step: StageStep, block_due: bool, missing: bool
) -> None:
    """F5, I4: what an earlier version has recorded is taken as it is, and whoever repairs checks
    need not end the stage again."""
    folder = StateFolder(tmp_path)
    place = at("L1", "implement", step)
    place = replace(place, talk=replace(place.talk, block_due=block_due))
    result = JobResult(commit="c1", reply=folder.keep("Built, at length."))
    assert handoff_of(folder, place, (result,)) == Handoff(missing=missing)


def test_whoever_is_asked_now_owes_a_block() -> None:
    """F5: the mark that tells this version's turns from those of an earlier one."""
    assert not at("L1", "plan").talk.block_due
    assert entered("L1", "plan").place.talk.block_due
    assert not entered("feature", "specify").place.talk.block_due


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("It is right\nas it is.", "It is right as it is."),
        ("I keep it.\n\n### HANDOFF\n- **Status**: completed", "I keep it."),
        ("I keep it.\n### HANDOFF\n- **Status**: completed\n- **Summary**: The clock is monotonic.",
         "I keep it. The clock is monotonic."),
        ("### HANDOFF\n- **Status**: completed\n- **Summary**: I keep it.", "I keep it."),
        ("### HANDOFF\n- **Status**: completed", ""),
    ],
)  # fmt: skip
def test_a_person_reads_what_an_author_says_and_not_its_form(reply: str, read: str) -> None:
    """F5: on the screen about an author that changed nothing after a rejection."""
    assert spoken(reply) == read
