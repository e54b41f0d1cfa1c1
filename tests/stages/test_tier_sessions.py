"""The moves of stages that share one session. Covers: F1, F2, F3, F6, F7, C12.

Original faults that can't happen: (a) no budget check after an approval, (h) no way to refuse a
handoff, (i) a reviewer in the builder's session.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing import codec
from sparing.artifact import ArtifactName
from sparing.continuation import Continuation, SessionStep, WeighResult
from sparing.flow.advance import advance, begin
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import StageWork
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

ASKED = StageRules(cap=3, gates=frozenset(FLOWS["L3"].names), headless=False, continues=True)
ALONE = ASKED._replace(headless=True)
SEED = ASKED._replace(judges_inside=True)
FULL = WeighResult(
    SessionStep.HAND_OFF, "95 % of its window", forced=True, judged=True, handoff="program"
)
JUDGES = ("design_review", "code_review")


def at(stage: str, step: StageStep = StageStep.OPEN, flow: str = "L3") -> Place:
    return Place(begin(flow, stage, frozenset(ArtifactName)), "base", step)


def entered(stage: str, rules: StageRules = ASKED, flow: str = "L3") -> Next:
    return next_move(at(stage, flow=flow), Happened((JobResult(commit="c0"),)), rules, 100.0)


def weighed(found: Next, what: WeighResult, rules: StageRules = ASKED) -> Next:
    return next_move(found.place, Happened((JobResult(found=what),)), rules, 100.0)


def answered(found: Next, kind: OutcomeKind, rules: StageRules = ASKED) -> Next:
    stored = Place.load(found.place.dump())
    return next_move(stored, Happened(answer=Outcome(kind), feedback="f"), rules, 100.0)


def job(found: Next) -> Job:
    assert len(found.jobs) == 1
    return found.jobs[0]


BUILT = [
    (flow, stage.name)
    for flow in sorted(TIERS)
    for stage in FLOWS[flow].stages
    if stage.author == "builder" and stage.work is not StageWork.CHECK
]


def test_under_seed_a_rejected_stage_of_a_tier_begins_in_a_new_session() -> None:
    """F7, B1: as in the original, which clears the session and runs the stage with the feedback.
    Otherwise, and after a verdict, the session that knows it goes on."""
    for rules, anew in ((SEED, True), (ASKED, False)):
        state = replace(begin("L3", "plan", frozenset(ArtifactName)), position=Position.GATE)
        gate = Place(state, "base", StageStep.AUTHOR)
        again = next_move(gate, Happened(answer=Outcome(OutcomeKind.REJECT)), rules, 100.0)
        assert again.place.going.anew is anew
        kept = next_move(gate, Happened(answer=Outcome(OutcomeKind.APPROVE)), rules, 100.0)
        assert kept.place.going.anew is False
    document = replace(begin("feature", "specify", frozenset(ArtifactName)), position=Position.GATE)
    found = next_move(
        Place(document, "base", StageStep.AUTHOR), Happened(answer=Outcome(OutcomeKind.REJECT)),
        SEED, 100.0,
    )  # fmt: skip
    assert found.place.going.anew is False, "a document's author is the session that goes on"


@pytest.mark.parametrize(("flow", "stage"), BUILT)
@pytest.mark.parametrize("kind", [None, OutcomeKind.REJECT, OutcomeKind.RERUN])
def test_no_stage_is_entered_unweighed(flow: str, stage: str, kind: OutcomeKind | None) -> None:
    """F2, fault (a): at a start or restart, after a rejection, anew."""
    if kind is None:
        found = entered(stage, flow=flow)
    else:
        place = at(stage, StageStep.CLOSE, flow)
        gate = replace(place, state=replace(place.state, position=Position.GATE))
        found = answered(Next(Do.WAIT, gate), kind)
    assert (found.place.step, job(found).kind) == (StageStep.WEIGH, JobKind.WEIGH)
    assert (job(found).going.thread, job(found).going.anew) == (flow, kind is OutcomeKind.RERUN)


@pytest.mark.parametrize(
    ("flow", "stage"), [one for one in BUILT if FLOWS[one[0]].index(one[1]) > 0]
)
def test_an_approval_leads_to_no_unweighed_stage_either(flow: str, stage: str) -> None:
    """F2, fault (a): the very move the original never checked, plan → implement, among them."""
    before = FLOWS[flow].stages[FLOWS[flow].index(stage) - 1]
    place = at(before.name, StageStep.CLOSE, flow)
    gate = replace(place, state=replace(place.state, position=Position.GATE))
    found = answered(Next(Do.WAIT, gate), OutcomeKind.APPROVE)
    assert (found.place.state.stage, found.place.step) == (stage, StageStep.WEIGH)


def test_a_failed_verdict_leads_back_through_the_scales() -> None:
    """F2, F9: code_review → implement."""
    found = entered("code_review")
    refused = JobResult(dispatch="d", passed=False, commit="c1", role="judge")
    back = next_move(found.place, Happened((refused,)), ASKED, 100.0)
    assert (back.place.state.stage, back.place.step) == ("implement", StageStep.WEIGH)


@pytest.mark.parametrize("stage", JUDGES)
def test_who_judges_does_so_outside_of_the_builder_s_session(stage: str) -> None:
    """F6, fault (i): except under the seed's policy, and there it is weighed like the rest."""
    found = entered(stage)
    assert (found.place.step, job(found).role) == (StageStep.AUTHOR, "judge")
    assert job(found).going == Continuation()
    inside = entered(stage, SEED)
    assert (inside.place.step, job(inside).going.thread) == (StageStep.WEIGH, "L3")


def test_verify_asks_no_agent_at_all() -> None:
    """F6, F9"""
    for rules in (ASKED, SEED):
        assert job(entered("verify", rules)).kind is JobKind.CHECK


def test_nothing_is_shared_where_nothing_continues() -> None:
    """F6: the naive policy, and the flow that has no builder."""
    fresh = entered("plan", ASKED._replace(continues=False))
    assert (fresh.place.step, job(fresh).going) == (StageStep.AUTHOR, Continuation())
    assert job(entered("specify", flow="feature")).going == Continuation()


def test_what_was_weighed_is_what_happens() -> None:
    """F1: the author goes on; or begins, with the handoff that the program wrote."""
    found = entered("implement")
    on = weighed(found, WeighResult(SessionStep.CONTINUE, handoff="program"))
    assert (on.place.step, job(on).turn, job(on).going.go) == (
        StageStep.AUTHOR, Turn.BUILD, SessionStep.CONTINUE,
    )  # fmt: skip
    off = weighed(found, WeighResult(SessionStep.HAND_OFF, handoff="program"))
    assert (off.place.step, job(off).going.go, job(off).going.handoff) == (
        StageStep.AUTHOR, SessionStep.HAND_OFF, "program",
    )  # fmt: skip


def test_the_old_session_is_asked_first_if_that_is_worth_it() -> None:
    """F4: then what it said is handed over, and the stage's own turn is not forgotten."""
    found = weighed(entered("implement"), replace(FULL, forced=False))
    asked = job(found)
    assert (found.place.step, asked.turn, asked.role) == (
        StageStep.HAND_OFF,
        Turn.HAND_OVER,
        "builder",
    )
    assert asked.going.go is SessionStep.NONE, "it is asked in its own session"
    after = next_move(found.place, Happened((JobResult(reply="rich"),)), ASKED, 100.0)
    assert (job(after).turn, job(after).going.handoff) == (Turn.BUILD, "rich")
    without = next_move(found.place, Happened((JobResult(),)), ASKED, 100.0)
    assert job(without).going.handoff == "program"


def test_what_follows_the_first_turn_is_said_in_the_new_session() -> None:
    """F1: red checks after a handoff go to the session that wrote the code."""
    author = weighed(entered("implement"), WeighResult(SessionStep.HAND_OFF, handoff="program"))
    check = next_move(author.place, Happened((JobResult(commit="c1"),)), ASKED, 100.0)
    red = JobResult(passed=False, reply="output", detail="checks are red")
    repair = next_move(check.place, Happened((red,)), ASKED, 100.0)
    assert (job(repair).turn, job(repair).going.go) == (Turn.REPAIR_CHECKS, SessionStep.NONE)
    assert job(repair).going.thread == "L3"


def test_a_person_is_asked_with_the_figures() -> None:
    """F3: a gate of its own kind, which both answers lead on from."""
    found = weighed(entered("implement"), FULL)
    state = found.place.state
    assert (found.do, state.position, state.cause) == (Do.WAIT, Position.STUCK, Cause.HANDOFF)
    assert (state.reason, state.acceptable) == ("95 % of its window", True)
    for kind in (OutcomeKind.APPROVE, OutcomeKind.REJECT):
        move = advance(state, Outcome(kind))
        assert (move.do, move.state.stage, move.state.rejects) == (Do.RUN, "implement", ())


def test_who_agrees_gets_a_handoff_weighed_anew() -> None:
    """F3, fault (a): hours may have passed; the answer is not asked for again."""
    again = answered(weighed(entered("implement"), FULL), OutcomeKind.APPROVE)
    assert again.place.step is StageStep.WEIGH
    assert weighed(again, FULL).place.step is StageStep.HAND_OFF
    cold = weighed(again, replace(FULL, judged=False, handoff="later"))
    assert (cold.place.step, job(cold).going.handoff) == (StageStep.AUTHOR, "later")


def test_who_refuses_goes_on_if_it_fits_at_all() -> None:
    """F3, fault (h)"""
    again = answered(weighed(entered("implement"), FULL), OutcomeKind.REJECT)
    on = weighed(again, FULL)
    assert (on.place.step, job(on).going.go, job(on).feedback) == (
        StageStep.AUTHOR,
        SessionStep.CONTINUE,
        "",
    )


def test_who_refuses_what_can_t_be_is_told_why() -> None:
    """F3, fault (h): and is asked again, so that nothing is stuck."""
    again = answered(weighed(entered("implement"), FULL), OutcomeKind.REJECT)
    why = weighed(again, replace(FULL, at_all=False))
    assert (why.do, why.place.state.cause) == (Do.WAIT, Cause.HANDOFF)
    assert "there is no room for the stage: 95 % of its window" in why.place.state.reason
    agreed = answered(why, OutcomeKind.APPROVE)
    assert weighed(agreed, replace(FULL, at_all=False)).place.step is StageStep.HAND_OFF


def test_alone_it_hands_off() -> None:
    """F3: nobody can be asked."""
    assert weighed(entered("implement"), FULL, ALONE).place.step is StageStep.HAND_OFF


def test_a_priced_handoff_asks_nobody() -> None:
    """F6: it is a choice like any other way to send a prompt."""
    found = weighed(
        entered("implement"), WeighResult(SessionStep.HAND_OFF, "cheaper", handoff="program")
    )
    assert (found.do, found.place.step) == (Do.RUN, StageStep.AUTHOR)


def test_other_answers_lead_where_they_always_lead() -> None:
    """F3: back, and abandon."""
    waits = weighed(entered("implement"), FULL)
    back = next_move(waits.place, Happened(answer=Outcome(OutcomeKind.BACK, "plan")), ASKED, 100.0)
    assert (back.place.state.stage, back.place.step) == ("plan", StageStep.WEIGH)
    paused = answered(waits, OutcomeKind.CONTINUE)
    assert paused.place.step is StageStep.WEIGH


def test_a_pause_before_the_first_turn_leads_back_to_the_scales() -> None:
    """F2: what was warm may be cold; a person's word on the session still counts."""
    again = answered(weighed(entered("implement"), FULL), OutcomeKind.REJECT)
    on = weighed(again, FULL)
    pause = Outcome(OutcomeKind.FAILED, reason="paused by you", cause=Cause.PAUSED)
    held = replace(on.place, state=advance(on.place.state, pause).state)
    resumed = answered(Next(Do.WAIT, held), OutcomeKind.CONTINUE)
    assert (resumed.place.step, job(resumed).turn) == (StageStep.WEIGH, Turn.BUILD)
    assert weighed(resumed, FULL).place.step is StageStep.AUTHOR
    check = next_move(on.place, Happened((JobResult(commit="c1"),)), ASKED, 100.0)
    later = replace(check.place, state=advance(check.place.state, pause).state)
    assert answered(Next(Do.WAIT, later), OutcomeKind.CONTINUE).place.step is StageStep.CHECK


def test_places_jobs_and_results_survive_their_json() -> None:
    """I4: also rows from before sessions were shared."""
    found = weighed(entered("implement"), FULL)
    assert Place.load(found.place.dump()) == found.place
    asked = job(answered(found, OutcomeKind.APPROVE))
    assert codec.load(Job, codec.dump(asked)) == asked
    result = JobResult(found=FULL)
    assert codec.load(JobResult, codec.dump(result)) == result
    old = {name: value for name, value in found.place.dump().items() if name != "going"}
    assert Place.load(old).going == Continuation()
    older = {name: value for name, value in codec.dump(asked).items() if name != "going"}
    assert codec.load(Job, older).going == Continuation()
