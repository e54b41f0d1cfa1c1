"""Artifacts by reference, and whether they were read.

Covers: B2, B4
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.artifact import ArtifactName
from sparing.briefing.gather import gather
from sparing.context.prompt.brief import Document
from sparing.context.prompt.inclusion import (
    FileRead,
    confirmed_reads,
    missed_reads,
    reference,
    required,
    unread_warning,
)
from sparing.dispatch_policy import Way
from sparing.turn import Turn
from tests.briefing.cases import Prompt
from tests.briefing.sample import Sample

NO_PRD = "- PRD: No PRD — feature created without brainstorm"


def test_the_block_orders_to_read_and_to_confirm(rendered: dict[str, Prompt]) -> None:
    """B2: absolute paths, "You MUST read", one confirmation: a line, or a field of the form."""
    author = rendered["implementer-implement-fix-reference-seed"].named("references")
    assert "`Files read: name (N lines), name (N lines)`" in author
    prompt = rendered["design-reviewer-design-1-reference-seed"]
    block = prompt.named("references")
    assert block.splitlines()[0] == "## Required Artifacts"
    assert "You MUST read" in block
    assert "in the field `files_read`" in block
    assert "begin your reply" not in prompt.text
    assert '"files_read":"…"' in prompt.named("schema")
    assert block.splitlines()[-2:] == [
        "- PRD: /worktree/docs/features/001-rate-limits/prd.md",
        "- Spec: /worktree/docs/features/001-rate-limits/spec.md",
    ]


def test_inline_and_by_reference_exclude_each_other(rendered: dict[str, Prompt]) -> None:
    """B2: mandatory ones inline by default; what is read is not also sent."""
    for prompt in rendered.values():
        if prompt.way is Way.COMPOSE:
            assert "references" not in [one.name for one in prompt.segments]


def test_a_feature_without_prd_says_so() -> None:
    """B4: in the words that are looked for."""
    nothing = Document(ArtifactName.PRD, None, "/w/prd.md")
    assert reference(nothing) == NO_PRD
    assert required([nothing]) == f"## Required Artifacts\n{NO_PRD}\n"
    assert reference(Document(ArtifactName.DESIGN, None)) == "- Design: N/A"


@pytest.mark.parametrize("way", [Way.COMPOSE, Way.REFERENCE])
def test_the_line_stands_in_the_prompt_too(sample: Sample, way: Way) -> None:
    """B4: in either way, where the document would be."""
    from sparing.context.prompt.compose import compose

    brief = gather(sample.source("spec-reviewer", "specify", Turn.REVIEW))
    without = replace(brief, documents=tuple(replace(one, text=None) for one in brief.documents))
    text = "".join(one.text for one in compose(without, way).segments)
    assert NO_PRD in text


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Files read: spec.md (12 lines), a.md (8 lines)", [("spec.md", 12), ("a.md", 8)]),
        ("**Files read:** `spec.md` (~1,200 lines)", [("spec.md", 1200)]),
        ("files read - prd.md, spec.md", [("prd.md", None), ("spec.md", None)]),
        ("Files Read:\n- /a/s.md (3 lines)\n- p.md\n\nSo.", [("/a/s.md", 3), ("p.md", None)]),
        ("Hello.\n> Files read: spec.md [7 lines].\n{}", [("spec.md", 7)]),
        ("Files read: none", []),
        ("File read: spec.md — 12 lines", [("spec.md", 12)]),
    ],
)  # fmt: skip
def test_the_confirmation_is_read_tolerantly(reply: str, found: list[tuple[str, int]]) -> None:
    """B2"""
    assert confirmed_reads(reply) == tuple(FileRead(*one) for one in found)


@pytest.mark.parametrize("reply", ["", "I have read the files.", '{"approved": true}'])
def test_no_line_is_no_confirmation(reply: str) -> None:
    assert confirmed_reads(reply) is None


@settings(deadline=None)
@given(st.text())
def test_no_reply_breaks_the_reader(reply: str) -> None:
    found = confirmed_reads(f"Files read: {reply}")
    assert found is not None


def test_tool_events_count_before_the_line() -> None:
    """B2: whoever was seen reading need not say so; the line is the fallback."""
    wanted = ["/w/prd.md", "/w/spec.md", "/w/design.md"]
    said = (FileRead("design.md", 10),)
    assert missed_reads(wanted, ["docs/features/1/spec.md"], said) == ("prd.md",)
    assert missed_reads(wanted, wanted, None) == ()
    assert missed_reads(wanted, [], None) == ("prd.md", "spec.md", "design.md")


def test_a_miss_is_one_line() -> None:
    """B2: the marker that the history and the report look for."""
    assert unread_warning("spec-reviewer") == (
        "LAZY-LOAD-WARNING: spec-reviewer did not confirm artifact reads"
    )
