"""The rich handoff: three layers, 2,000 to 5,000 tokens, checked.

Covers: F4
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.context.documents.handoff import Handoff, HandoffStatus
from sparing.context.documents.rich_handoff import (
    MOST_TOKENS,
    Pipeline,
    StageOutput,
    handoff_notes,
    parse_layers,
    rich_handoff,
)
from sparing.prompts.render import words
from sparing.segment import estimate_tokens

TREE = "- src/\n" + "".join(f"  - module_{n}.py\n" for n in range(100))
REPLY = f"""
Handing over.

# Codebase Map
## Explored tree
{TREE}
## Key files
src/gate.py — decides — 40 lines — allowed, reset
{"src/other.py — something else entirely — 100 lines — many functions" * 40}
## Patterns
Errors are values.
## Imports of Changed Files
src/gate.py: time

# Working State
## Next Stage
Begin with the tests.
## Open Questions
none
## Changed Files
src/gate.py: half done
## Warnings
The clock jumps.
"""
PLAN = StageOutput("plan", "the plan " * 200, Handoff(summary="Two steps.", warnings=("old API",)))
BUILD = StageOutput(
    "implement",
    "what was built " * 200,
    Handoff(summary="Built.", open_questions=("Who resets?",), next_stage_needs=("read gate.py",)),
)
BUILT = "implement"
PIPELINE = Pipeline(
    "Rate limits", "L3", "high", "Slow down noisy clients.", (PLAN, BUILD), ("Name the limit.",),
    "code_review", ("src/gate.py",),
)  # fmt: skip


def section(text: str, heading: str) -> str:
    found = re.search(rf"^### {heading}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


@pytest.mark.parametrize("outcome", ["passed", "not passed"])
def test_the_chain_says_how_a_judge_ended(outcome: str) -> None:
    """F4, F9: a review that sent the work back was not "completed"."""
    judged = StageOutput("design_review", "# Report of the judge", Handoff(), outcome)
    pipeline = replace(PIPELINE, stages=(judged, PLAN))
    for text in (rich_handoff(pipeline).text, handoff_notes(pipeline, [])):
        assert section(text, "Handoff Chain").splitlines() == [
            f"- design_review ({outcome})",
            "- plan (completed): Two steps.",
        ]


def test_the_chain_has_every_stage_whose_document_is_not_given_and_where_that_is() -> None:
    """F4, E6: such a stage would seem not to have happened; the others can be seen."""
    first = StageOutput("brainstorm", "Two ideas.", Handoff(), path="docs/x/brainstorm.md")
    pipeline = replace(PIPELINE, stages=(first, PLAN))
    notes = section(handoff_notes(pipeline, ["plan"]), "Handoff Chain").splitlines()
    assert notes == [
        "- brainstorm (completed), docs/x/brainstorm.md",
    ]


def test_what_was_decided_elsewhere_is_told_and_files_are_listed_once() -> None:
    """F4: a session that is not given the brainstorm knows what it decided; verification.md has
    the changed files already."""
    idea = StageOutput("brainstorm", "Two ideas.", Handoff(key_decisions=("sort by count",)))
    checked = StageOutput("verify", "## Changed files\n- src/gate.py", Handoff(), "passed")
    pipeline = replace(PIPELINE, stages=(idea, PLAN, checked))
    assert section(handoff_notes(pipeline, ["plan"]), "Key Decisions") == (
        "- brainstorm: sort by count"
    )
    assert section(handoff_notes(pipeline, ["brainstorm", "plan"]), "Key Decisions") == ""
    assert section(handoff_notes(pipeline, ["plan"]), "Changed Files") == "- src/gate.py"
    assert section(handoff_notes(pipeline, ["plan", "verify"]), "Changed Files") == ""


def test_a_prompt_with_the_documents_has_no_notes_that_say_nothing() -> None:
    """E6, F4: whoever is given the documents in full is not told again that all went well and
    which files changed; what went wrong, was decided or was asked for is told."""
    idea = StageOutput("brainstorm", "Two ideas.", Handoff(summary="Two."), path="docs/x/b.md")
    plan = StageOutput("plan", "text", Handoff(summary="Done."))
    built = StageOutput(BUILT, "Wrote src/a.py.", Handoff(summary="Done."))
    changed = ("src/a.py (+3 -1)",)
    whole = Pipeline("Rate limits", "L2", stages=(idea, plan, built), changed_files=changed)
    assert handoff_notes(whole, ["plan", BUILT]) == ""
    assert section(handoff_notes(whole, ["plan"]), "Changed Files") == "- src/a.py (+3 -1)"
    unnamed = replace(whole, changed_files=(*changed, "src/b.py (+1 -0)"))
    assert section(handoff_notes(unnamed, ["plan", BUILT]), "Changed Files") == "- src/b.py (+1 -0)"
    stuck = idea._replace(handoff=Handoff(HandoffStatus.BLOCKED))
    judged = StageOutput("design_review", "# Report", Handoff(), "not passed")
    for other in (stuck, judged):
        told = handoff_notes(replace(whole, stages=(other, plan, built)), ["plan", BUILT])
        assert f"- {other.stage} (" in section(told, "Handoff Chain")
    asked = replace(whole, feedback=("plan: smaller",))
    assert section(handoff_notes(asked, ["plan", BUILT]), "Feedback") == "- plan: smaller"


def test_notes_say_nothing_that_the_turn_or_a_document_says() -> None:
    """E6, F4: no title, no tier, no heading of their own; a stage whose decisions are told has
    taken place, and what its document says is in that document."""
    idea = StageOutput(
        "brainstorm", "Two ideas.", Handoff(summary="Two.", key_decisions=("sort by count",)),
        path="docs/x/brainstorm.md",
    )  # fmt: skip
    plan = StageOutput("plan", "text", Handoff(next_stage_needs=("begin with ties",)))
    whole = Pipeline("Rate limits", "L2", "medium", stages=(idea, plan))
    assert handoff_notes(whole, ["plan"]) == (
        "- Priority: medium\n### Key Decisions\n- brainstorm: sort by count\n"
        "### Next Stage\n- begin with ties\n"
    )
    undecided = idea._replace(handoff=Handoff(summary="Two."))
    chain = section(
        handoff_notes(replace(whole, stages=(undecided, plan)), ["plan"]), "Handoff Chain"
    )
    assert chain == "- brainstorm (completed), docs/x/brainstorm.md"
    stuck = idea._replace(handoff=replace(idea.handoff, status=HandoffStatus.BLOCKED))
    told = handoff_notes(replace(whole, stages=(stuck, plan)), ["plan"])
    assert "- brainstorm (blocked)" in section(told, "Handoff Chain")


def test_three_layers_in_one_document() -> None:
    text, problems = rich_handoff(PIPELINE, REPLY)
    assert problems == ()
    assert re.findall(r"^## (.+)$", text, re.M) == [
        "Pipeline State",
        "Codebase Map",
        "Working State",
    ]
    assert re.findall(r"^### (.+)$", text, re.M) == [
        "Request", "Output of plan", "Output of implement", "Handoff Chain", "Feedback",
        "Explored Tree", "Key Files", "Patterns", "Imports of Changed Files", "Next Stage",
        "Open Questions", "Changed Files", "Warnings",
    ]  # fmt: skip


def test_a_layer_of_which_nothing_is_known_has_no_heading() -> None:
    """F4: a session that read nothing and changed nothing leaves no empty map."""
    nothing = rich_handoff(PIPELINE).text
    assert re.findall(r"^## (.+)$", nothing, re.M) == ["Pipeline State", "Working State"]
    assert "\n\n\n" not in nothing
    some = rich_handoff(PIPELINE, "## Patterns\nErrors are values.\n").text
    assert "\n\n## Codebase Map\n\n### Patterns\nErrors are values.\n\n" in some


def test_what_the_program_knows_it_fills_in_itself() -> None:
    text = rich_handoff(PIPELINE, REPLY).text
    assert "- Feature: Rate limits\n- Tier: L3\n- Priority: high\n" in text
    assert section(text, "Request") == "> Slow down noisy clients."
    assert section(text, "Handoff Chain").splitlines() == [
        "- plan (completed): Two steps.",
        "- implement (completed): Built.",
    ]
    assert section(text, "Feedback") == "- Name the limit."
    assert section(text, "Next Stage") == "- code_review\n- read gate.py\nBegin with the tests."
    assert section(text, "Open Questions") == "- Who resets?"
    assert section(text, "Changed Files") == "- src/gate.py\nsrc/gate.py: half done"
    assert section(text, "Warnings") == "- old API\nThe clock jumps."


def test_outputs_alone_are_passed_on() -> None:
    """Neither cost nor session nor anything else that was stored."""
    text = rich_handoff(PIPELINE, REPLY).text
    assert section(text, "Output of plan") == ("the plan " * 200).strip()


def test_too_long_it_is_shortened_in_order() -> None:
    """Outputs become summaries, then the tree goes, then documents are only named."""
    long = replace(PIPELINE, stages=(PLAN._replace(text="x" * 12_000), BUILD))
    first = rich_handoff(long, REPLY)
    assert section(first.text, "Output of plan") == "Summary: Two steps."
    assert section(first.text, "Explored Tree")
    no_handoff = StageOutput("plan", "x" * 16_000, Handoff())
    second = rich_handoff(replace(PIPELINE, stages=(no_handoff, BUILD)), REPLY)
    assert section(second.text, "Explored Tree") == ""
    huge = rich_handoff(replace(PIPELINE, stages=(no_handoff._replace(text="x" * 90_000),)), REPLY)
    assert section(huge.text, "Output of plan") == "See the document of plan."
    for found in (first, second, huge):
        assert estimate_tokens(found.text) <= MOST_TOKENS


def test_what_is_missing_is_named() -> None:
    problems = rich_handoff(Pipeline("x", "L3"), "## Patterns\nErrors are values.\n").problems
    assert problems == (
        "the section 'Warnings' is missing",
        "it has 31 tokens, fewer than 2000",
    )
    short = rich_handoff(Pipeline("x", "L3"), "## Patterns\nnone\n## Warnings\nnone\n")
    assert short.problems == (), "little to say is no fault"


def test_without_a_word_of_the_agent_it_is_still_a_handoff() -> None:
    """F4: the program alone tells the files that were opened, what they define and import."""
    seen = {"tree": "- src/", "key_files": "- src/gate.py — 40 lines — allowed", "imports": "- x"}
    text = rich_handoff(replace(PIPELINE, seen=seen)).text
    assert section(text, "Key Files") == "- src/gate.py — 40 lines — allowed"
    assert (section(text, "Explored Tree"), section(text, "Patterns")) == ("- src/", "")
    both = rich_handoff(replace(PIPELINE, seen=seen), "## Key Files\nsrc/gate.py — decides\n").text
    assert section(both, "Key Files").splitlines() == [
        "- src/gate.py — 40 lines — allowed",
        "src/gate.py — decides",
    ]


def test_too_much_of_the_agent_s_own_is_named() -> None:
    problems = rich_handoff(PIPELINE, REPLY + "\n" + "More words. " * 3000).problems
    assert len(problems) == 1
    assert "more than 5000" in problems[0]


@pytest.mark.parametrize("level", ["#", "##", "####"])
def test_headings_of_any_level_and_case(level: str) -> None:
    found = parse_layers(f"{level} KEY FILES:\na.py — x\n{level} warnings\nMind the gap.\n")
    assert found == {"key_files": "a.py — x", "warnings": "Mind the gap."}


def test_the_agent_is_asked_for_exactly_these_sections() -> None:
    asked = re.findall(r"^### (.+)$", words("blocks", "rich_handoff"), re.MULTILINE)
    reply = "\n".join(f"### {heading}\nsomething\n" for heading in asked)
    assert len(parse_layers(reply)) == len(asked) == 6


@settings(deadline=None)
@given(st.text(alphabet="#\n `~abKeyFils", max_size=400))
def test_no_reply_breaks_it(reply: str) -> None:
    assert rich_handoff(PIPELINE, reply).text.startswith("# Handoff\n")


def test_it_is_held_to_its_limit_whatever_it_lists() -> None:
    """F4: 600 changed files, a map as long; the request and what is asked stay whole."""
    files = tuple(f"src/package_{n}/module_{n}.py (+{600 - n} -0)" for n in range(600))
    seen = {
        "key_files": "\n".join(f"- {name}: a, b, c" for name in files),
        "imports": "\n".join(f"- {name}: json, re" for name in files),
    }
    asked = tuple(f"Question {n}: which of the two limits is meant?" for n in range(20))
    wanted = "\n".join(f"Sentence {n} of the request, as its author wrote it." for n in range(60))
    handoff = replace(BUILD.handoff, open_questions=asked)
    long = BUILD._replace(text="word " * 9_000, handoff=handoff)
    found = rich_handoff(
        replace(PIPELINE, stages=(PLAN, long), changed_files=files, seen=seen, description=wanted)
    )
    assert estimate_tokens(found.text) <= MOST_TOKENS
    assert "src/package_0/module_0.py (+600 -0)" in section(found.text, "Changed Files")
    assert re.search(r"- and 5\d\d more", section(found.text, "Changed Files"))
    assert all(one in found.text for one in asked)
    assert all(f"> {line}" in found.text for line in wanted.splitlines())


def test_a_stage_that_is_done_again_is_not_told_what_it_said_of_the_next_one() -> None:
    """F4, F5: "begin with a failing test" is for who implements, not for who plans once more."""
    idea = StageOutput("brainstorm", "Two ideas.", Handoff(next_stage_needs=("name the files",)))
    plan = StageOutput("plan", "text", Handoff(next_stage_needs=("begin with a failing test",)))
    told = replace(PIPELINE, stages=(idea, plan))
    for stage, need in (("plan", "name the files"), (BUILT, "begin with a failing test")):
        ahead = replace(told, next_stage=stage)
        assert section(rich_handoff(ahead).text, "Next Stage") == f"- {stage}\n- {need}"
        assert section(handoff_notes(ahead, []), "Next Stage") == f"- {need}"
    first = replace(told, next_stage="brainstorm")
    assert section(rich_handoff(first).text, "Next Stage") == "- brainstorm"
