"""What a session that goes on is told, and what one is told whose session is gone.

Covers: C4, C5, C7, C8, C10, C17, F1
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.change import FileChange
from sparing.context.documents.fix_summary import answers, fix_words
from sparing.context.prompt.compose import compose
from sparing.continuation import Continuation
from sparing.dispatch_policy import Order, Way
from sparing.failure import Failure
from sparing.money import Amount
from sparing.records import ledger
from sparing.turn import Turn
from tests.briefing.cases import Prompt
from tests.briefing.sample import DATA, Sample, make_sample
from tests.records.attempts import attempt, result


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_a_second_look_gets_delta_fix_summary_and_iteration(
    rendered: dict[str, Prompt], order: Order
) -> None:
    """C4: exact lines under their heading, the author's words, what to judge."""
    prompt = rendered[f"spec-reviewer-specify-2-resume-{order}"]
    assert [one.name for one in prompt.segments] == ["delta", "findings", "fix-summary", "turn"]
    delta = prompt.named("delta")
    assert "-- AC-1: a client that asks too often is refused.\n" in delta
    assert "+- AC-1: a client that asks more than 5 times a second is refused with `429`." in delta
    assert "## Acceptance Criteria" in delta
    assert "`F1`: changed — the limit is a number now." in prompt.named("fix-summary")
    assert "The round was small." not in prompt.text
    assert f"iteration 2 of {5 if order is Order.SEED else 3}" in prompt.named("turn")
    assert "are in your context" in prompt.text


def test_code_is_told_by_stat_and_hunks(rendered: dict[str, Prompt]) -> None:
    """C5"""
    delta = rendered["security-reviewer-implement-2-resume-nested"].named("delta")
    assert "1 file changed, +1 -1" in delta
    assert "+    return COUNTS[user] <= LIMIT\n" in delta


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_final_validation_names_the_last_look(rendered: dict[str, Prompt], order: Order) -> None:
    """C9: everything since that look, all fix summaries, a full regression check."""
    prompt = rendered[f"security-reviewer-implement-final-resume-{order}"]
    assert "iteration 1" in prompt.text
    assert "final validation" in prompt.named("turn")
    assert "LIMIT" in prompt.named("delta")
    assert "The limit is stated" in prompt.named("fix-summary")


def test_after_a_lost_session_earlier_findings_are_told(rendered: dict[str, Prompt]) -> None:
    """C8: everything fresh, and that the prior session is unavailable."""
    prompt = rendered["spec-reviewer-specify-2-reference-seed"]
    said = prompt.named("turn")
    assert said.splitlines() == [
        "## Iteration Context",
        "This is iteration 2 of 5.",
        "(Fresh dispatch — prior review session unavailable.)",
        "Previous issues to re-evaluate:",
    ]
    assert prompt.segments[-1].name == "findings"
    ids = re.findall(r"`(F\d)` (blocker|warning)", prompt.named("findings"))
    assert ids == [("F1", "blocker"), ("F2", "warning")]


def test_a_fresh_second_look_knows_its_findings_too(rendered: dict[str, Prompt]) -> None:
    """C8: also in the nested order, where nothing was lost."""
    prompt = rendered["spec-reviewer-specify-2-compose-nested"]
    assert "unavailable" not in prompt.text
    assert "Nothing says how often" in prompt.named("findings")
    lost = replace(prompt.brief, asked=replace(prompt.brief.asked, lost=True))
    turn = compose(lost, Way.COMPOSE).segments[-1].text
    assert "prior review session unavailable" in turn


def test_no_delta_and_no_answer_is_no_reason_to_resume(sample: Sample) -> None:
    """C7: a look at the same commit."""
    same = sample.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=2)
    silent = replace(same, job=replace(same.job, note=""))
    assert not gather(silent).resumable
    assert gather(silent).delta == ""


def test_answers_alone_are_told_by_resume(sample: Sample) -> None:
    """C7, C17"""
    same = sample.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=2)
    brief = gather(same)
    assert brief.resumable
    said = compose(brief, Way.RESUME).segments
    assert [one.name for one in said] == ["findings", "fix-summary", "turn"]
    assert "have not changed" in said[-1].text


def test_always_fresh_roles_are_never_resumable(sample: Sample) -> None:
    """C11"""
    source = sample.source("prd-reviewer", "brainstorm", Turn.REVIEW, iteration=2, seen=1)
    assert not gather(source).resumable


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
def test_a_later_fix_gets_new_findings_and_what_to_read_again(
    rendered: dict[str, Prompt], order: Order
) -> None:
    """C10"""
    prompt = rendered[f"implementer-implement-fix2-resume-{order}"]
    assert [one.name for one in prompt.segments] == ["findings", "changed-files", "files", "turn"]
    assert "src/gate.py (+1 -1)" in prompt.named("changed-files")
    assert "## Fix summary" in prompt.named("turn")


def test_an_author_is_given_every_finding_and_says_what_became_of_it(
    rendered: dict[str, Prompt],
) -> None:
    """C17: resumed with the findings alone, fresh with the document as it stands."""
    resumed = rendered["spec-author-specify-2-resume-nested"]
    fresh = rendered["spec-author-specify-2-compose-nested"]
    assert [one.name for one in resumed.segments] == ["findings", "turn"]
    assert "spec" in [one.name for one in fresh.trunk]
    for prompt in (resumed, fresh):
        assert "*answered, with reason*" in prompt.named("turn")
        assert "A diagram would help" not in prompt.text


def test_how_to_answer_is_said_in_full_once_a_session(rendered: dict[str, Prompt]) -> None:
    """C17"""
    brief = rendered["spec-author-specify-2-resume-nested"].brief
    later = replace(brief, asked=replace(brief.asked, seen=2, iteration=3))
    first, second = (compose(one, Way.RESUME).segments[-1].text for one in (brief, later))
    assert len(second) < len(first) / 3
    assert "`## Fix summary`" in second


def test_a_session_that_only_answered_is_told_in_full_how_to_settle(tmp_path: Path) -> None:
    """C17: a session asked for something else since its first turn has not been told how findings
    are answered. C5: the iteration is the loop's, as its reviewer and the commit count it."""
    sample = make_sample(tmp_path)
    source = sample.source("spec-author", "specify", Turn.REVISE, iteration=3, seen=2, settles=True)
    source = replace(source, job=replace(source.job, look=2))
    said = compose(gather(source), Way.RESUME).segments[-1].text
    assert said.startswith("# This turn: specify, iteration 2\n")
    assert "*answered, with reason*: nothing changes because" in said
    assert source.session is not None
    told = attempt(
        "settled", feature=source.row.feature.key, stage="specify", role="spec-author",
        template=Turn.REVISE.value,
    )  # fmt: skip
    with sample.around.database.write() as tx:
        number = ledger.begin(tx, told, Amount(0, 0))
        ledger.finish(tx, told.dispatch, number, result(session=source.session.id))
    assert "As before: each finding is" in compose(gather(source), Way.RESUME).segments[-1].text


def test_a_stage_transition_brings_stage_and_skill_and_nothing_else(
    rendered: dict[str, Prompt],
) -> None:
    """F1"""
    prompt = rendered["builder-L3.implement-transition-resume-nested"]
    assert [one.name for one in prompt.segments] == ["turn", "stage", "skill", "handoff"]
    assert prompt.text.startswith("# Stage transition: you now enter the `implement` stage\n")


@pytest.mark.parametrize("order", [Order.NESTED, Order.SEED])
@pytest.mark.parametrize("role", ["builder", "judge"])
def test_a_stage_that_is_entered_again_is_not_explained_again(
    rendered: dict[str, Prompt], role: str, order: Order
) -> None:
    """B7, F1: what it wants and how is in the session; a judge is reminded of the form."""
    brief = rendered["builder-L3.implement-transition-resume-nested"].brief
    if role == "judge":
        brief = rendered["judge-L3.code_review-1-compose-nested"].brief
    again = replace(brief, asked=replace(brief.asked, back=True))
    first, second = (compose(one, Way.RESUME, order).segments for one in (brief, again))
    names = {one.name for one in first} - {one.name for one in second}
    assert names == {"stage", "skill", *({"role", "schema"} if role == "judge" else ())}
    said = next(one.text for one in second if one.name == "turn")
    assert f"you now enter the `{brief.asked.stage}` stage again\n" in said
    assert ("Reply with the JSON object as before" in said) == (role == "judge")
    assert ("HANDOFF" in second[-1].text) == (role == "builder")


def test_a_session_is_told_only_of_what_is_there(rendered: dict[str, Prompt]) -> None:
    """F1, B7: documents that others wrote, files that others changed, each where there are any."""
    brief = rendered["builder-L3.done-transition-resume-nested"].brief
    news = (rendered["spec-reviewer-specify-1-compose-nested"].brief.subject,)
    files = (FileChange("a.py", 1, 0),)
    for told, changed in ((news, ()), ((), files), (news, files)):
        shown = replace(brief, news=tuple(one for one in told if one), changed=changed)
        segments = {one.name: one.text for one in compose(shown, Way.RESUME).segments}
        assert ("`changed-files`" in segments["turn"]) == bool(changed)
        assert ("The documents above are new" in segments["turn"]) == bool(told)
        assert any('name="changed-files"' in text for text in segments.values()) == bool(changed)


def test_who_was_in_a_stage_is_known_by_its_session(tmp_path: Path) -> None:
    """B7: of this session, this stage and this role, and with a reply."""
    sample = make_sample(tmp_path)
    source = sample.source("builder", "implement", Turn.BUILD, flow="L3", seen=1)
    key, session = source.row.feature.key, source.session
    assert session is not None
    assert not gather(source).asked.back
    with sample.around.database.write() as tx:
        for name, stage in (("one", "plan"), ("two", "code_review")):
            told = attempt(name, feature=key, stage=stage, role="builder")
            number = ledger.begin(tx, told, Amount(0, 0))
            ledger.finish(tx, told.dispatch, number, result(session=session.id))
    assert not gather(source).asked.back
    plan = sample.source("builder", "plan", Turn.WRITE, flow="L3", seen=1)
    assert gather(plan).asked.back
    assert not gather(replace(plan, session=replace(session, id="another"))).asked.back


def test_who_has_only_failed_in_a_session_does_not_know_its_role_from_it(tmp_path: Path) -> None:
    """F1, B7: the judge opened it, and the builder's first turn ended without a reply."""
    sample = make_sample(tmp_path)
    source = sample.source("builder", "plan", Turn.WRITE, flow="L3", seen=1)
    source = replace(source, job=replace(source.job, going=Continuation(thread="L3")))
    key, session = source.row.feature.key, source.session
    assert session is not None
    assert not gather(source).asked.stranger, "nothing is known of who worked in it"
    ends = (("judge", "", True), ("builder", Failure.OVERLOADED, True), ("builder", "", False))
    for name, (role, failure, stranger) in enumerate(ends):
        with sample.around.database.write() as tx:
            told = attempt(str(name), feature=key, stage="plan", role=role)
            number = ledger.begin(tx, told, Amount(0, 0))
            ended = result(session=session.id, failure=failure)
            ledger.finish(tx, told.dispatch, number, ended)
        assert gather(source).asked.stranger == stranger


def test_of_a_reply_the_reviewer_gets_findings_and_summary() -> None:
    """C17"""
    reply = DATA["replies"]["fixes"]
    assert fix_words(reply).startswith("## Findings\n")
    assert fix_words(reply).endswith("nothing else changed.")
    assert answers(fix_words(reply)) == ("F2",)
    assert fix_words("  no headings at all \n") == "no headings at all"
    assert fix_words("x\n### fix summary\ny") == "### fix summary\ny"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- `F1`: answered — because", ("F1",)),
        ("* **F12**: *Answered*, with reason", ("F12",)),
        ("- F1 - answered: x", ("F1",)),
        ("- `F1`: changed — and answered", ()),
        ("answered", ()),
    ],
)
def test_answers_are_recognised(line: str, found: tuple[str, ...]) -> None:
    """C17"""
    assert answers(line) == found


@pytest.mark.parametrize(("way", "told"), [(Way.COMPOSE, 1), (Way.RESUME, 0)])
def test_what_research_found_is_told_to_the_second_part_too(
    sample: Sample, way: Way, told: int
) -> None:
    """B3, A1: a fresh author of the interface would know nothing of it; a session has read it."""
    source = sample.source(
        "design-author", "design", Turn.PART, part="interface", research="codebase-explorer"
    )
    text = "".join(one.text for one in compose(gather(source), way).segments)
    assert text.count('name="research-codebase-explorer"') == told
    assert text.count("The `research-…` documents hold") == told
