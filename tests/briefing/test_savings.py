"""The eight savings of the tiers' prompts.

Covers: B6
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.artifact import ArtifactName as A
from sparing.context.documents.handoff import Handoff
from sparing.context.prompt.brief import Document
from sparing.context.prompt.shorten import (
    compact,
    once,
    only_output,
    summarised,
    unsigned,
    without_boilerplate,
    without_digested,
)
from sparing.context.prompt.turn_words import block_again
from sparing.dispatch_policy import Way
from sparing.prompts.render import names, words
from sparing.segment import estimate_tokens
from tests.briefing.cases import Prompt

BRAINSTORM = Document(A.BRAINSTORM, "three ideas")
REVIEWED = Document(A.DESIGN_REVIEW, "## Outcome\nPassed.\n\n## Approach\nthe second idea")
PLAN = Document(A.PLAN, "step one\n" * 50)
BUILT = Document(A.IMPLEMENTATION, "what was done\n" * 50)
TOLD = Handoff(summary="Built.", key_decisions=("one table",), files_modified=("a.py",))


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ('{"output": "# Plan\\n", "cost": 0.3, "sessionId": "x"}', "# Plan\n"),
        ("# Plan\n", "# Plan\n"),
        ('{"steps": 1}', '{"steps": 1}'),
        ("", "N/A"),
        (None, "N/A"),
        ('{"output": null, "cost": 1}', "N/A"),
    ],
)
def test_1_only_a_stage_s_output_is_passed_on(stored: str | None, said: str) -> None:
    assert only_output(stored) == said


def test_2_a_brainstorm_that_was_digested_is_not_sent_again() -> None:
    """Tier-aware: without a design review the plan still gets it."""
    assert without_digested([BRAINSTORM, REVIEWED]) == (REVIEWED,)
    assert without_digested([BRAINSTORM, PLAN]) == (BRAINSTORM, PLAN)
    absent = Document(A.DESIGN_REVIEW, None)
    assert without_digested([BRAINSTORM, absent]) == (BRAINSTORM, absent)


def test_2_a_report_without_a_design_has_taken_nothing_over() -> None:
    """B6, F4: else the plan would know neither the approach nor why it was taken."""
    bare = Document(
        A.DESIGN_REVIEW, "# Report\n\n## Outcome\nPassed. Fine.\n\n## Findings\nNone.\n"
    )
    assert without_digested([BRAINSTORM, bare]) == (BRAINSTORM, bare)


def test_2_in_the_prompts_of_the_tiers(rendered: dict[str, Prompt]) -> None:
    longest = rendered["builder-L3.plan-1-compose-nested"].text
    middle = rendered["builder-L2.plan-1-compose-nested"].text
    shortest = rendered["builder-L1.plan-1-compose-nested"].text
    found = [('name="brainstorm.md"' in text) for text in (longest, middle, shortest)]
    assert found == [False, True, False]


@pytest.mark.parametrize(
    ("stage", "shortened"),
    [("code_review", [A.PLAN, A.IMPLEMENTATION]), ("verify", [A.IMPLEMENTATION]), ("done", [])],
)
def test_3_and_4_judges_get_summaries_instead_of_outputs(stage: str, shortened: list[A]) -> None:
    handoffs = {A.PLAN: TOLD, A.IMPLEMENTATION: TOLD}
    found = summarised([PLAN, BUILT], stage, handoffs)
    assert [one.name for one in found if one.label] == shortened
    for one in found:
        if one.label:
            assert one.text == "Summary: Built.\nKey decisions: one table\nFiles modified: a.py\n"


def test_3_without_a_handoff_the_full_output_is_sent() -> None:
    assert summarised([PLAN, BUILT], "code_review", {A.PLAN: Handoff()}) == (PLAN, BUILT)


def test_3_an_output_that_is_shorter_than_its_summary_is_sent_in_full() -> None:
    """B6, E6: a summary that is longer saves nothing and says less."""
    short = Document(A.PLAN, "# Plan\nOne table.\n")
    assert summarised([short], "code_review", {A.PLAN: TOLD}) == (short,)


def test_3_in_the_prompt_of_a_judge(rendered: dict[str, Prompt]) -> None:
    text = rendered["judge-L3.code_review-1-compose-nested"].text
    assert 'name="plan.md"' in text
    assert "Write C1 with its tests." in text, "shorter than its summary"


def test_5_handoff_instructions_stand_once(rendered: dict[str, Prompt]) -> None:
    """Fresh prompts of a tier's builder have them, a session that goes on does not."""
    for prompt in rendered.values():
        builds = prompt.case.role == "builder" and prompt.way is not Way.RESUME
        assert prompt.text.count("### HANDOFF") == int(builds), prompt.name
    block = words("blocks", "handoff")
    assert once("Do it.\n", block).count("### HANDOFF") == 1
    assert once(once("Do it.\n", block), block) == once("Do it.\n", block)
    assert once("Mine:\n### HANDOFF\n- **Status**: …\n", block).count("### HANDOFF") == 1


def test_only_a_stage_with_a_successor_is_asked_what_that_needs(
    rendered: dict[str, Prompt],
) -> None:
    """F3, B6: the last stage of a tier has no successor, nor when it is asked again."""
    asked = {
        prompt.case.stage: "Next Stage Needs" in prompt.text
        for prompt in rendered.values()
        if prompt.case.role == "builder" and "### HANDOFF" in prompt.text
    }
    assert asked.pop("done") is False
    assert asked
    assert all(asked.values())
    assert "Next Stage Needs" not in block_again(last=True)
    assert "Next Stage Needs" in block_again()


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), max_size=5))
def test_6_json_has_no_white_space(value: dict[str, int | str]) -> None:
    assert json.loads(compact(value)) == value
    assert len(compact(value)) <= len(json.dumps(value, indent=2, ensure_ascii=False))


def test_6_in_the_seed_s_schema(rendered: dict[str, Prompt]) -> None:
    schema = rendered["spec-reviewer-specify-1-reference-seed"].named("schema")
    form = re.search(r"The object's form: (.+)", schema)
    assert form is not None
    assert '": ' not in form[1]
    assert (
        json.loads(form[1].replace("true|false", "true"))["findings"][0]["severity"]
        == "blocker|warning|suggestion"
    )


@pytest.mark.parametrize(
    "line",
    [
        "At the end, sign your work with the time.",
        "Signed by: {{timestamp}}",
        "*Signed at 10:00 by the agent*",
        "Write the current date on top.",
    ],
)
def test_7_nothing_is_signed(line: str) -> None:
    assert unsigned(f"# Your role\n{line}\nRead.\n") == "# Your role\nRead.\n"


def test_8_nothing_says_what_is_evident() -> None:
    text = "# Your role\nRead.\n## Skill Requirement\nUse the skill below.\n\n## Report\nShort.\n"
    assert without_boilerplate(text) == "# Your role\nRead.\n## Report\nShort.\n"


@pytest.mark.parametrize("kind", ["roles", "stages", "skills", "blocks", "turns"])
def test_7_and_8_our_own_words_have_nothing_to_lose(kind: str) -> None:
    for name in names(kind):
        text = words(kind, name)
        assert without_boilerplate(unsigned(text)) == text


def test_together_they_shorten_a_tier_s_prompts() -> None:
    """The seed expects 25 to 40 %; of a judge's documents more than that is saved."""
    before = sum(estimate_tokens(one.text or "") for one in (BRAINSTORM, REVIEWED, PLAN, BUILT))
    kept = without_digested([BRAINSTORM, REVIEWED, PLAN, BUILT])
    after = summarised(kept, "code_review", {A.PLAN: TOLD, A.IMPLEMENTATION: TOLD})
    assert sum(estimate_tokens(one.text or "") for one in after) < 0.6 * before
