"""The eight savings of the tiers, read out of rendered prompts; and what users say stays as said.

Covers: B6, F5, F9
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName as A
from sparing.briefing.gather import gather
from sparing.briefing.program_handoff import summaries
from sparing.context.prompt.brief import Brief, Document, Material, QuotedFinding
from sparing.context.prompt.compose import compose, whole_documents
from sparing.context.prompt.turn_words import ANSWERS, FEEDBACK
from sparing.dispatch_policy import Order, Way
from sparing.job import JobKind
from sparing.runtime.source import Source
from sparing.turn import Turn
from tests.briefing.cases import Prompt
from tests.briefing.sample import Sample
from tests.stages.tiers import asked, entered

BUILT = "The counter and the gate."
"""Stands in the stage's output, and not in its handoff."""
LONG = f"{BUILT}\n" * 20
"""An output that is longer than its summary."""
SUMMARY = "Summary: The counter and the gate are built."
HOSTILE = r"costs $& $1 \1 \g<0> {{ title }} {title} %s {% raw %} ${HOME} `$(id)`"


def text_of(brief: Brief, way: Way = Way.COMPOSE) -> str:
    return "".join(one.text for one in compose(brief, way, Order.NESTED).segments)


def told(source: Source, *documents: Document) -> str:
    """The prompt of a job that is given these documents."""
    return text_of(replace(gather(source), documents=summaries(source, documents)))


def tiers(rendered: dict[str, Prompt]) -> list[Prompt]:
    found = [one for one in rendered.values() if one.case.flow in ("L1", "L2", "L3")]
    assert len(found) > 8
    return found


def words_of(prompt: Prompt) -> str:
    """Without what is data."""
    return re.sub(r"<document .*?</document>", "", prompt.text, flags=re.DOTALL)


def test_1_only_a_stage_s_output_is_injected(sample: Sample) -> None:
    """B6 (1): no cost, no session; what is absent is N/A."""
    stored = '{"output": "# Plan\\nThe steps.\\n", "cost": 0.31, "sessionId": "s-1"}'
    source = sample.source("builder", "implement", Turn.BUILD, flow="L3")
    said = told(source, Document(A.PLAN, stored), Document(A.DESIGN_REVIEW, None))
    assert 'name="plan.md">\n# Plan\nThe steps.\n</document>' in said
    assert "sessionId" not in said
    assert "0.31" not in said
    assert "- Design review: N/A\n" in said


def test_2_a_digested_brainstorm_is_left_out(rendered: dict[str, Prompt], sample: Sample) -> None:
    """B6 (2): tier-aware; without a design review the plan still gets it."""
    has = {
        tier: 'name="brainstorm.md"' in rendered[f"builder-{tier}.plan-1-compose-nested"].text
        for tier in ("L1", "L2", "L3")
    }
    assert has == {"L1": False, "L2": True, "L3": False}
    brief = gather(sample.source("builder", "plan", Turn.BUILD, flow="L3"))
    assert [one.name for one in brief.full] == [A.BRAINSTORM, A.DESIGN_REVIEW]
    assert [one.name for one in whole_documents(brief)] == [A.DESIGN_REVIEW], "told plainly, too"


def test_3_a_code_review_gets_summaries(rendered: dict[str, Prompt], sample: Sample) -> None:
    """B6 (3): and the whole output where there is no handoff."""
    source = sample.source("judge", "code_review", Turn.JUDGE, flow="L3")
    said = told(source, Document(A.IMPLEMENTATION, LONG))
    assert SUMMARY in said
    assert BUILT not in said
    short = rendered["judge-L3.code_review-1-compose-nested"].text
    assert BUILT in short, "the sample's report is shorter than its summary"
    assert SUMMARY not in short
    silent = replace(source.row, feature=replace(source.row.feature, key="sample-999"))
    assert BUILT in told(replace(source, row=silent), Document(A.IMPLEMENTATION, BUILT))


def test_4_verify_sends_nothing_and_would_send_a_summary(sample: Sample) -> None:
    """B6 (4), F9: the program runs the checks itself, so the cheapest prompt is none."""
    job = asked(entered("L3", "verify"))
    assert (job.kind, job.role) == (JobKind.CHECK, "")
    source = sample.source("builder", "verify", Turn.BUILD, flow="L3")
    said = told(source, Document(A.IMPLEMENTATION, LONG))
    assert SUMMARY in said
    assert BUILT not in said


def test_5_handoff_instructions_stand_once(rendered: dict[str, Prompt]) -> None:
    """B6 (5): a builder's fresh prompt has them, a session that goes on only a reminder."""
    for prompt in tiers(rendered):
        fresh = prompt.case.role == "builder" and prompt.way is not Way.RESUME
        assert prompt.text.count("### HANDOFF") == int(fresh), prompt.name


def test_6_json_is_compact(rendered: dict[str, Prompt]) -> None:
    """B6 (6): no object in our words is spread over lines."""
    for prompt in tiers(rendered):
        assert not re.search(r'[{\[]\s*\n\s*"', words_of(prompt)), prompt.name


def test_7_nothing_is_signed_and_no_prompt_has_a_time(rendered: dict[str, Prompt]) -> None:
    """B6 (7)"""
    signed = re.compile(
        r"\bsigned (by|on|at)|\bsign your|timestamp|\b20\d\d-\d\d|\b\d\d:\d\d\b|current (date|time)"
    )
    for prompt in tiers(rendered):
        assert not signed.search(words_of(prompt).lower()), prompt.name


def test_8_no_boilerplate_announces_the_skill(rendered: dict[str, Prompt]) -> None:
    """B6 (8): the guide stands there; nothing says that it does."""
    for prompt in tiers(rendered):
        said = words_of(prompt)
        assert "Skill Requirement" not in said
        assert "Skill Instructions" not in said
        guides = len(re.findall(r"^# Skill: ", said, re.MULTILINE))
        assert guides == 1, prompt.name


@pytest.mark.parametrize("way", [Way.COMPOSE, Way.RESUME])
@pytest.mark.parametrize(
    ("turn", "name"), [(Turn.REDO, FEEDBACK), (Turn.ANSWER, ANSWERS), (Turn.BUILD, FEEDBACK)]
)
def test_fault_e_what_users_say_is_never_expanded(
    sample: Sample, turn: Turn, name: str, way: Way
) -> None:
    """Fault (e) of the original: there `$&` and placeholders in user text were filled in."""
    source = sample.source("builder", "plan", turn, flow="L3", iteration=2, seen=1)
    row = replace(source.row, feature=replace(source.row.feature, title=HOSTILE))
    brief = replace(gather(replace(source, row=row)), materials=(Material(name, f"{HOSTILE}\n"),))
    said = text_of(brief, way)
    assert f'name="{name}">\n{HOSTILE}\n</document>' in said
    if way is Way.COMPOSE and turn is not Turn.REDO:
        assert f"Feature: {HOSTILE}\n" in said


def test_an_answer_is_told_in_few_words_to_whoever_asked(sample: Sample) -> None:
    """F5: into the session nothing goes but the answer; a fresh one gets the stage as well."""
    source = sample.source("builder", "plan", Turn.ANSWER, flow="L3", seen=1)
    said = "Question: Which port?\nAnswer: 8080\n"
    brief = replace(gather(source), materials=(Material(ANSWERS, said),))
    assert brief.resumable
    short, whole = text_of(brief, Way.RESUME), text_of(brief)
    for text in (short, whole):
        assert f'name="answers">\n{said}</document>' in text
        assert text.count("do not ask any of it again") == 1
    assert "# This turn: plan, questions answered\n" in short
    assert "End with the HANDOFF block as before, for the whole stage and" in short
    assert len(short) < 800
    assert "# Skill: " in whole
    assert whole.count("### HANDOFF") == 1


@pytest.mark.parametrize("turn", [Turn.REDO, Turn.REPAIR_CHECKS, Turn.WRITE])
@pytest.mark.parametrize("back", [True, False])
def test_a_later_block_of_a_stage_speaks_of_all_of_it(
    sample: Sample, turn: Turn, *, back: bool
) -> None:
    """F5: the last block is what later stages are given of this one; where a rejection, red checks
    or a judge sent it back, an author would else report the repair alone."""
    brief = gather(sample.source("builder", "plan", turn, flow="L3", seen=1))
    if turn is Turn.WRITE:
        brief = replace(brief, asked=replace(brief.asked, back=back))
    whole = back or turn is not Turn.WRITE
    assert text_of(brief, Way.RESUME).endswith(
        "as before, for the whole stage and not for this change alone.\n" if whole else "before.\n"
    )


@pytest.mark.parametrize(
    ("turn", "settles", "whole"),
    [(Turn.BUILD, False, False), (Turn.BUILD, True, True), (Turn.REDO, False, True)],
)
def test_a_new_session_that_does_a_stage_again_ends_with_a_block_on_all_of_it(
    sample: Sample, turn: Turn, *, settles: bool, whole: bool
) -> None:
    """F5: as the session that made the first attempt would."""
    brief = gather(sample.source("builder", "implement", turn, flow="L3"))
    if settles:
        found = QuotedFinding("F1", "blocker", "judge", "", "gate.py", "It is open.", "Close it.")
        brief = replace(brief, findings=(found,))
    for order in (Order.NESTED, Order.SEED):
        said = compose(brief, Way.COMPOSE, order).segments[-1].text
        assert ("The block speaks for the whole stage and not for" in said) is whole
