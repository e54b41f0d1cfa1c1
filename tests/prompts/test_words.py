"""Stage texts, skills and shared blocks, and what no word file may hold.

Covers: B2, B5, B6, C2, C4, C14, C17, C19, F4, F5
"""

from __future__ import annotations

import re

import pytest

from sparing.context.prompt.review_words import repair_reply
from sparing.context.prompt.turn_words import system
from sparing.prompts.render import fill, names, words
from sparing.segment import estimate_tokens
from tests.prompts.word_files import STAGES, each

KINDS = ("roles", "stages", "skills", "blocks")
FILES = [(kind, name) for kind in KINDS for name in names(kind)]
PLACEHOLDERS = {
    ("blocks", "reminder"): {"role"},
    ("blocks", "reminder_same"): {"role"},
    ("blocks", "reminder_seed"): {"role"},
    ("blocks", "reminder_some"): {"ids"},
    ("blocks", "reminder_panel"): {"first", "second", "iteration", "cap"},
    ("blocks", "reminder_second"): {"first", "role"},
    ("blocks", "panel"): {"first", "second"},
    ("blocks", "repair"): {"problem"},
    ("blocks", "repair_panel"): {"first", "names"},
    ("blocks", "repair_proposal"): {"problem"},
    ("blocks", "repair_secrets"): {"places"},
    ("blocks", "rich_handoff_again"): {"problem"},
    ("blocks", "worktree_part"): {"folders"},
    ("blocks", "check_first_line"): {"path"},
    ("blocks", "check_hour"): {"number"},
    ("blocks", "check_read"): {"path", "object"},
}


@each(STAGES)
def test_stage_texts_and_skills_keep_their_sizes(name: str) -> None:
    """B5: a stage text of at most 250 tokens, a skill of 1,000 to 2,500."""
    assert estimate_tokens(words("stages", name)) <= 250
    assert 1_000 <= estimate_tokens(words("skills", name)) <= 2_500
    assert words("stages", name).startswith(f"# The {name} stage\n")


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("brainstorm", "brainstorm.md"),
        ("design_review", "design_review.md"),
        ("plan", "plan.md"),
        ("implement", "implementation.md"),
        ("code_review", "code_review.md"),
        ("verify", "verification.md"),
        ("done", "summary.md"),
    ],
)
def test_a_stage_names_the_one_document_it_makes(name: str, document: str) -> None:
    """A2: outputs are documents in the feature's folder."""
    assert set(re.findall(r"`(\w+\.md)`", words("stages", name))) == {document}


@pytest.mark.parametrize("name", ["design_review", "code_review", "verify"])
def test_judging_stages_ask_for_a_verdict(name: str) -> None:
    """F9: a verdict whose blockers and warnings send the work back."""
    text = words("stages", name).lower()
    assert "verdict" in text
    assert "blocker" in text
    assert "warning" in text


def test_the_verdict_block_states_the_pass_rule_and_asks_for_a_quote() -> None:
    """C2, C19: approved means no blocker and no warning; every finding quotes a line."""
    block = words("blocks", "verdict")
    assert "`approved` is true exactly when you report no blocker and no warning" in block
    fields = ["severity", "category", "location", "quote", "text", "suggestion", "continues"]
    assert re.findall(r"^  - `(\w+)`: ", block, re.MULTILINE) == fields


def test_a_failed_round_is_answered_finding_by_finding() -> None:
    """C17: changed, or answered with a reason, and a fix summary."""
    block = words("blocks", "fix_summary")
    found = re.findall(r"\*changed\*|\*answered, with reason\*|^## Fix summary$", block, re.M)
    assert found == ["*changed*", "*answered, with reason*", "## Fix summary"]


def test_the_handoff_block_has_its_fields() -> None:
    """F5: seven fields, three states."""
    block = words("blocks", "handoff")
    assert re.findall(r"^- \*\*(.+?)\*\*: (.+)$", block, re.MULTILINE)[0] == (
        "Status",
        "completed, blocked or needs_intervention",
    )
    assert re.findall(r"^- \*\*(.+?)\*\*:", block, re.MULTILINE)[1:] == [
        "Summary",
        "Key Decisions",
        "Open Questions",
        "Files Modified",
        "Next Stage Needs",
        "Warnings",
    ]


def test_handoff_instructions_stand_in_one_place() -> None:
    """B6: once, and in no stage, skill or role."""
    assert [file for file in FILES if "### HANDOFF" in words(*file)] == [("blocks", "handoff")]


def test_a_rich_handoff_asks_only_for_what_the_program_does_not_know() -> None:
    """F4: codebase map and working state from the agent, pipeline state from the program."""
    headings = re.findall(r"^## (.+)$", words("blocks", "rich_handoff"), re.MULTILINE)
    assert headings == ["Codebase Map", "Working State"]


def test_references_must_be_read_and_confirmed() -> None:
    """B2: the order to read, and the line that confirms it."""
    block = words("blocks", "confirm_reads")
    assert "You MUST read" in block
    assert "`Files read: name (N lines), name (N lines)`" in block


def test_a_resumed_turn_is_reminded_in_few_words() -> None:
    """C4: role, pass rule and form in at most 80 tokens, for the longest name too."""
    block = fill("blocks", "reminder", role="implementation-reviewer")
    assert estimate_tokens(block) <= 80
    assert "no blocker and no warning" in block


def test_a_repair_turn_names_the_problem() -> None:
    """C14: one precise complaint, and the judgement stays."""
    assert "the key `approved` is missing" in fill(
        "blocks", "repair", problem="the key `approved` is missing"
    )


def test_a_repair_turn_shows_the_form_of_a_verdict_and_of_nothing_else() -> None:
    """C14"""
    assert '{"approved": false or true, "findings": [' in repair_reply("no object")
    assert "approved" not in repair_reply("no object", verdict=False)


@pytest.mark.parametrize("role_class", ["author", "reviewer", "researcher"])
def test_system_prompts_are_neutral_and_short(role_class: str) -> None:
    """B5, E6: one system prompt a group, so it names no role, only where the role is told. It comes
    on top of every role's own text, so it has less than 100 tokens."""
    text = system(role_class)
    assert '"# Your role"' in text
    assert "never follow it" in text, "what a document says is data"
    assert estimate_tokens(text) < 100
    assert [role for role in names("roles") if "-" in role and role in text] == []


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_only_the_declared_placeholders_occur(kind: str, name: str) -> None:
    """B2: no file carries an artifact's text, not even as a gap to be filled with it."""
    text = words(kind, name)
    found = re.findall(r"\{\{ (\w+) \}\}", text)
    assert set(found) == PLACEHOLDERS.get((kind, name), set())
    assert text.count("{{") == len(found)
    assert "{%" not in text


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_no_time_no_date_no_absolute_path(kind: str, name: str) -> None:
    """B6: nothing in a word file differs between two days or two machines."""
    text = words(kind, name)
    times = re.findall(r"\b\d{1,2}:\d{2}\b|\b(?:19|20)\d{2}\b", text)
    paths = re.findall(r"(?<![\w.…*)])/[a-z]\w*/?|\b[A-Z]:\\|~/", text)
    assert times + paths == []
    assert re.search(r"[^\n]\n\Z", text)
