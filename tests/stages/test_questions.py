"""What an author's handoff block leads to, and what an answer does.

Covers: A6, F5
"""

from __future__ import annotations

import pytest

from sparing.briefing.handoff_block import handoff_data
from sparing.context.documents.handoff import Handoff, HandoffStatus, parse_handoff
from sparing.context.prompt.answered_questions import answers_alone, answers_text
from sparing.engine.orders import ORDERS, PAUSE
from sparing.flow.advance import advance
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind, Position
from sparing.job import JobKind, JobResult
from sparing.stages.moves import Next
from sparing.stages.place import Place
from sparing.turn import StageStep, Turn
from tests.stages.tiers import DONE, after, asked, at, closed, entered, said, stuck

ASKS = Handoff(summary="Not sure.", open_questions=("Which port?", "Keep the flag?"))
STAGES = [("L1", "plan"), ("L2", "brainstorm"), ("L1", "implement"), ("L1", "done")]


def answered(flow: str, stage: str, handoff: Handoff, *, changed: bool = True) -> Next:
    """The author's first turn of a stage, with this block."""
    result = JobResult(commit="c1", reply="reply", changed=changed)
    return after(entered(flow, stage).place, result, handoff=handoff)


def test_a_question_is_cut_to_what_a_person_reads() -> None:
    """F5: 600 characters of each, and twenty of them."""
    many = tuple(f"{number} {'?' * 700}" for number in range(21))
    found = answered("L1", "plan", Handoff(summary="Not sure.", open_questions=many))
    assert [len(one) for one in found.place.talk.questions] == [600] * 20


@pytest.mark.parametrize(("flow", "stage"), STAGES)
def test_open_questions_pause_with_all_of_them(flow: str, stage: str) -> None:
    """F5: the stage does not pass its gate, and nothing is counted against it."""
    found = answered(flow, stage, ASKS)
    assert stuck(found) == "it asks 2 questions, first: Which port?"
    assert found.place.state.cause is Cause.QUESTIONS
    assert found.place.talk.questions == ("Which port?", "Keep the flag?")
    assert found.place.state.rejects == ()


def test_a_block_that_needs_a_person_without_a_question() -> None:
    """F5: needs_intervention pauses with the author's own words."""
    block = Handoff(HandoffStatus.NEEDS_INTERVENTION, "The test server is down.")
    found = answered("L1", "plan", block)
    assert stuck(found) == "it asks: The test server is down."
    assert found.place.talk.questions == ("The test server is down.",)


def test_blocked_stops_the_feature_with_the_words_of_the_author() -> None:
    """F5, and a turn that changed nothing is no failure of its own."""
    block = Handoff(
        HandoffStatus.BLOCKED, "No key for the API.", warnings=("the old key is revoked",)
    )
    found = answered("L1", "implement", block, changed=False)
    assert stuck(found) == "blocked: No key for the API.; the old key is revoked"
    assert found.place.state.cause is Cause.BLOCKED


def test_a_completed_block_goes_on() -> None:
    assert asked(answered("L1", "plan", DONE)).kind is JobKind.CLOSE
    assert asked(answered("L1", "implement", DONE)).kind is JobKind.CHECK


def test_an_answer_goes_to_the_author_and_the_stage_goes_on() -> None:
    """F5, A6: one more turn of the same stage, with the answer; then as ever."""
    found = said(answered("L1", "plan", ASKS).place, OutcomeKind.ANSWER, "8080, yes")
    job = asked(found)
    assert (job.role, job.stage, job.turn, job.iteration) == ("builder", "plan", Turn.ANSWER, 2)
    assert job.feedback == "hash of 8080, yes"
    assert found.place.talk.questions == ()
    found = after(found.place, JobResult(commit="c2", reply="r2"), handoff=DONE)
    assert closed(found).place.state.position is Position.GATE


@pytest.mark.parametrize("again", ["Which port?", "- which PORT", "  Which   port ? "])
def test_what_was_answered_is_never_asked_again(again: str) -> None:
    """F5: not in this stage and not in a later one, however it is written."""
    on = said(answered("L1", "plan", ASKS).place, OutcomeKind.ANSWER, "8080")
    repeats = Handoff(summary="Planned.", open_questions=(again,))
    found = after(on.place, JobResult(commit="c2"), handoff=repeats)
    assert asked(found).kind is JobKind.CLOSE
    building = said(closed(found).place, OutcomeKind.APPROVE)
    built = after(building.place, JobResult(commit="c3"), handoff=repeats)
    assert asked(built).kind is JobKind.CHECK


def test_only_what_is_new_is_asked() -> None:
    on = said(answered("L1", "plan", ASKS).place, OutcomeKind.ANSWER, "8080")
    more = Handoff(open_questions=("Keep the flag?", "Which host?"))
    found = after(on.place, JobResult(commit="c2"), handoff=more)
    assert stuck(found) == "it asks: Which host?"


def test_whoever_asks_only_what_it_knows_and_does_nothing_has_not_done_its_stage() -> None:
    on = said(answered("L1", "plan", ASKS).place, OutcomeKind.ANSWER, "8080")
    gate = closed(after(on.place, JobResult(commit="c2"), handoff=DONE))
    building = said(gate.place, OutcomeKind.APPROVE)
    found = after(building.place, JobResult(commit="c2", changed=False), handoff=ASKS)
    assert stuck(found) == "builder left no change"


def test_a_rejection_of_what_asks_runs_the_stage_again() -> None:
    """A6: the person need not answer."""
    found = said(answered("L1", "plan", ASKS).place, OutcomeKind.REJECT, "decide it yourself")
    assert (asked(found).turn, found.place.talk.questions) == (Turn.REDO, ())
    assert found.place.state.rejects == (("plan", 1),)


@pytest.mark.parametrize("kind", [OutcomeKind.CONTINUE, OutcomeKind.APPROVE])
def test_questions_are_not_waved_away(kind: OutcomeKind) -> None:
    place = answered("L1", "plan", ASKS).place
    assert advance(place.state, Outcome(kind)).do is Do.REFUSE


def test_an_answer_needs_a_question() -> None:
    gate = closed(answered("L1", "plan", DONE)).place
    assert advance(gate.state, Outcome(OutcomeKind.ANSWER)).do is Do.REFUSE
    failed = after(entered("L1", "plan").place, JobResult(failure="quota", detail="later"))
    assert advance(failed.place.state, Outcome(OutcomeKind.ANSWER)).do is Do.REFUSE


def test_blocked_is_answered_or_tried_again() -> None:
    place = answered("L1", "implement", Handoff(HandoffStatus.BLOCKED, "no key")).place
    assert asked(said(place, OutcomeKind.ANSWER, "the key is in .env")).turn is Turn.ANSWER
    assert asked(said(place, OutcomeKind.CONTINUE)).turn is Turn.BUILD


def test_fault_f_the_last_block_counts_and_no_line_of_it_is_lost() -> None:
    """F5, fault (f) of the original: there the first block won, and values had one line."""
    quoted = "### HANDOFF\n- **Status**: blocked\n- **Summary**: quoted\n\nI go on.\n"
    own = (
        "### HANDOFF\n- **Status**: completed\n- **Open Questions**:\n  - Which port,\n"
        "    and on which host?\n  - Keep the flag?\n"
    )
    found = answered("L1", "plan", parse_handoff(quoted + own))
    assert found.place.state.cause is Cause.QUESTIONS
    assert found.place.talk.questions == ("Which port, and on which host?", "Keep the flag?")


def test_fault_h_a_pause_is_not_overwritten() -> None:
    """Fault (h) of the original: nothing that the work brings leaves a paused feature."""
    place = entered("L1", "implement").place
    paused = advance(place.state, ORDERS[PAUSE]).state
    assert paused.cause is Cause.PAUSED
    for kind in (
        OutcomeKind.FAILED,
        OutcomeKind.PASSED,
        OutcomeKind.REFUSED,
        OutcomeKind.CAPPED_BLOCKERS,
    ):
        late = Outcome(kind, reason="blocked: late", cause=Cause.BLOCKED)
        move = advance(paused, late)
        assert (move.do, move.state) == (Do.REFUSE, paused)
    assert advance(paused, Outcome(OutcomeKind.CONTINUE)).state.position is Position.TODO


def test_fault_h_failures_do_not_run_into_the_breaker() -> None:
    """Fault (h) of the original: only a person's no and a verdict are counted."""
    found = entered("L1", "implement")
    for _ in range(5):
        stopped = after(found.place, JobResult(failure="crashed", detail="x"))
        assert stopped.place.state.rejects == ()
        found = said(stopped.place, OutcomeKind.CONTINUE)
        assert asked(found).turn is Turn.BUILD


def test_a_place_with_questions_survives_its_json() -> None:
    place = answered("L1", "plan", ASKS).place
    assert Place.load(place.dump()) == place
    old = at("L1", "plan", StageStep.AUTHOR).dump()
    del old["talk"]
    assert Place.load(old).talk.questions == ()


def test_a_block_is_stored_field_by_field() -> None:
    """F5"""
    data = handoff_data(ASKS)
    assert (data["status"], data["summary"]) == ("completed", "Not sure.")
    assert list(data["open_questions"]) == ["Which port?", "Keep the flag?"]
    assert set(data) == {
        "status", "summary", "key_decisions", "open_questions", "files_modified",
        "next_stage_needs", "warnings",
    }  # fmt: skip


def test_answers_stand_beside_their_questions() -> None:
    assert answers_text([("Which\nport?", "8080")]) == "Question: Which port?\nAnswer: 8080\n"
    same = answers_text([("A?", "decide"), ("B?", "decide"), ("C?", "no")])
    assert same == "Question: A?\nQuestion: B?\nAnswer: decide\n\nQuestion: C?\nAnswer: no\n"


def test_a_list_of_events_has_room_for_the_answers_alone() -> None:
    """A6, K1: two long questions would leave none for the second answer."""
    told = answers_text([("A?", "decide"), ("B?", "decide"), ("C?", "no,\nnever")])
    assert answers_alone(told) == "decide; no, never"
    assert answers_alone("the first: Question: why?") == "the first: Question: why?"


@pytest.mark.parametrize(
    ("handoff", "question"),
    [
        (Handoff(unreadable="status: blo"), "Its handoff block can't be read."),
        (Handoff(missing=True), "It left no handoff block, and none when asked for it."),
    ],
    ids=["unreadable", "missing"],
)
@pytest.mark.parametrize(("flow", "stage"), STAGES)
def test_a_block_that_is_not_there_is_asked_for_once_then_a_person_is_asked(
    flow: str, stage: str, handoff: Handoff, question: str
) -> None:
    """F5: never taken for completed."""
    again = answered(flow, stage, handoff)
    assert (asked(again).kind, asked(again).turn) == (JobKind.DISPATCH, Turn.ANSWER)
    assert asked(again).stage == stage
    later = after(again.place, JobResult(commit="c1", reply="reply"), handoff=handoff)
    assert stuck(later).startswith(f"it asks: {question}")
    assert later.place.state.cause is Cause.QUESTIONS


def test_a_block_that_comes_when_asked_for_completes_its_stage() -> None:
    """F5: without a change, as it was told."""
    again = answered("L1", "plan", Handoff(missing=True))
    result = JobResult(commit="c1", reply="reply", changed=False)
    assert asked(after(again.place, result, handoff=DONE)).kind is JobKind.CLOSE


def test_what_a_person_said_of_a_missing_block_is_not_asked_again() -> None:
    """F5: an agent that never writes blocks can still be used."""
    missing = Handoff(missing=True)
    again = answered("L1", "plan", missing)
    stopped = after(again.place, JobResult(commit="c1", reply="reply"), handoff=missing)
    on = said(stopped.place, OutcomeKind.ANSWER, "yes")
    assert asked(on).turn is Turn.ANSWER
    found = after(on.place, JobResult(commit="c2", reply="reply"), handoff=missing)
    gate = closed(found)
    built = after(
        said(gate.place, OutcomeKind.APPROVE).place, JobResult(commit="c3"), handoff=missing
    )
    assert asked(built).turn is Turn.ANSWER, "the next stage is asked for its own"
