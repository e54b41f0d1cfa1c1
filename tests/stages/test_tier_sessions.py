"""The moves of stages that share one session. Covers: F1, F2, F3, F6, F7, C12.

Original faults that can't happen: (a) no budget check after an approval, (h) no way to refuse a
handoff, (i) a reviewer in the builder's session.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.continuation import Found, Go, Going
from sparing.flow.advance import advance, begin
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.state import Cause, Do, Kind, Outcome, Position
from sparing.job import Job, JobKind, Result, Turn
from sparing.stages.moves import Happened, Next, Rules
from sparing.stages.place import Place, Step
from sparing.stages.stage import next_move

ASKED = Rules(cap=3, gates=frozenset(FLOWS["L3"].names), headless=False, continues=True)
ALONE = ASKED._replace(headless=True)
SEED = ASKED._replace(judges_inside=True)
FULL = Found(Go.HAND_OFF, "95% of its window", forced=True, judged=True, handoff="program")
JUDGES = ("design_review", "code_review")


def at(stage: str, step: Step = Step.OPEN, flow: str = "L3") -> Place:
    return Place(begin(flow, stage, frozenset(ArtifactName)), "base", step)


def entered(stage: str, rules: Rules = ASKED, flow: str = "L3") -> Next:
    return next_move(at(stage, flow=flow), Happened((Result(commit="c0"),)), rules, 100.0)


def weighed(found: Next, what: Found, rules: Rules = ASKED) -> Next:
    return next_move(found.place, Happened((Result(found=what),)), rules, 100.0)


def answered(found: Next, kind: Kind, rules: Rules = ASKED) -> Next:
    stored = Place.load(found.place.dump())
    return next_move(stored, Happened(answer=Outcome(kind), feedback="f"), rules, 100.0)


def job(found: Next) -> Job:
    assert len(found.jobs) == 1
    return found.jobs[0]


BUILT = [
    (flow, stage.name)
    for flow in sorted(TIERS)
    for stage in FLOWS[flow].stages
    if stage.author == "builder" and stage.writes is not None
]


@pytest.mark.parametrize(("flow", "stage"), BUILT)
@pytest.mark.parametrize("kind", [None, Kind.REJECT, Kind.RERUN])
def test_no_stage_is_entered_unweighed(flow: str, stage: str, kind: Kind | None) -> None:
    """F2, fault (a): at a start or restart, after a rejection, anew."""
    if kind is None:
        found = entered(stage, flow=flow)
    else:
        place = at(stage, Step.CLOSE, flow)
        gate = replace(place, state=replace(place.state, position=Position.GATE))
        found = answered(Next(Do.WAIT, gate), kind)
    assert (found.place.step, job(found).kind) == (Step.WEIGH, JobKind.WEIGH)
    assert (job(found).going.thread, job(found).going.anew) == (flow, kind is Kind.RERUN)


@pytest.mark.parametrize(
    ("flow", "stage"), [one for one in BUILT if FLOWS[one[0]].index(one[1]) > 0]
)
def test_an_approval_leads_to_no_unweighed_stage_either(flow: str, stage: str) -> None:
    """F2, fault (a): the very move the original never checked, plan → implement, among them."""
    before = FLOWS[flow].stages[FLOWS[flow].index(stage) - 1]
    place = at(before.name, Step.CLOSE, flow)
    gate = replace(place, state=replace(place.state, position=Position.GATE))
    found = answered(Next(Do.WAIT, gate), Kind.APPROVE)
    assert (found.place.state.stage, found.place.step) == (stage, Step.WEIGH)


def test_a_failed_verdict_leads_back_through_the_scales() -> None:
    """F2, F9: code_review → implement."""
    found = entered("code_review")
    refused = Result(dispatch="d", passed=False, commit="c1", role="judge")
    back = next_move(found.place, Happened((refused,)), ASKED, 100.0)
    assert (back.place.state.stage, back.place.step) == ("implement", Step.WEIGH)


@pytest.mark.parametrize("stage", JUDGES)
def test_who_judges_does_so_outside_of_the_builder_s_session(stage: str) -> None:
    """F6, fault (i): except under the seed's policy, and there it is weighed like the rest."""
    found = entered(stage)
    assert (found.place.step, job(found).role) == (Step.AUTHOR, "judge")
    assert job(found).going == Going()
    inside = entered(stage, SEED)
    assert (inside.place.step, job(inside).going.thread) == (Step.WEIGH, "L3")


def test_verify_asks_no_agent_at_all() -> None:
    """F6, F9"""
    for rules in (ASKED, SEED):
        assert job(entered("verify", rules)).kind is JobKind.CHECK


def test_nothing_is_shared_where_nothing_continues() -> None:
    """F6: the naive policy, and the flow that has no builder."""
    fresh = entered("plan", ASKED._replace(continues=False))
    assert (fresh.place.step, job(fresh).going) == (Step.AUTHOR, Going())
    assert job(entered("specify", flow="feature")).going == Going()


def test_what_was_weighed_is_what_happens() -> None:
    """F1: the author goes on; or begins, with the handoff that the program wrote."""
    found = entered("implement")
    on = weighed(found, Found(Go.CONTINUE, handoff="program"))
    assert (on.place.step, job(on).turn, job(on).going.go) == (
        Step.AUTHOR, Turn.BUILD, Go.CONTINUE,
    )  # fmt: skip
    off = weighed(found, Found(Go.HAND_OFF, handoff="program"))
    assert (off.place.step, job(off).going.go, job(off).going.handoff) == (
        Step.AUTHOR, Go.HAND_OFF, "program",
    )  # fmt: skip


def test_the_old_session_is_asked_first_if_that_is_worth_it() -> None:
    """F4: then what it said is handed over, and the stage's own turn is not forgotten."""
    found = weighed(entered("implement"), replace(FULL, forced=False))
    asked = job(found)
    assert (found.place.step, asked.turn, asked.role) == (Step.HAND_OFF, Turn.HAND_OVER, "builder")
    assert asked.going.go is Go.NONE, "it is asked in its own session"
    after = next_move(found.place, Happened((Result(reply="rich"),)), ASKED, 100.0)
    assert (job(after).turn, job(after).going.handoff) == (Turn.BUILD, "rich")
    without = next_move(found.place, Happened((Result(),)), ASKED, 100.0)
    assert job(without).going.handoff == "program"


def test_what_follows_the_first_turn_is_said_in_the_new_session() -> None:
    """F1: red checks after a handoff go to the session that wrote the code."""
    author = weighed(entered("implement"), Found(Go.HAND_OFF, handoff="program"))
    check = next_move(author.place, Happened((Result(commit="c1"),)), ASKED, 100.0)
    red = Result(passed=False, reply="output", detail="checks are red")
    repair = next_move(check.place, Happened((red,)), ASKED, 100.0)
    assert (job(repair).turn, job(repair).going.go) == (Turn.REPAIR_CHECKS, Go.NONE)
    assert job(repair).going.thread == "L3"


def test_a_person_is_asked_with_the_figures() -> None:
    """F3: a gate of its own kind, which both answers lead on from."""
    found = weighed(entered("implement"), FULL)
    state = found.place.state
    assert (found.do, state.position, state.cause) == (Do.WAIT, Position.STUCK, Cause.HANDOFF)
    assert (state.reason, state.acceptable) == ("95% of its window", True)
    for kind in (Kind.APPROVE, Kind.REJECT):
        move = advance(state, Outcome(kind))
        assert (move.do, move.state.stage, move.state.rejects) == (Do.RUN, "implement", ())


def test_who_agrees_gets_a_handoff_weighed_anew() -> None:
    """F3, fault (a): hours may have passed; the answer is not asked for again."""
    again = answered(weighed(entered("implement"), FULL), Kind.APPROVE)
    assert again.place.step is Step.WEIGH
    assert weighed(again, FULL).place.step is Step.HAND_OFF
    cold = weighed(again, replace(FULL, judged=False, handoff="later"))
    assert (cold.place.step, job(cold).going.handoff) == (Step.AUTHOR, "later")


def test_who_refuses_goes_on_if_it_fits_at_all() -> None:
    """F3, fault (h)"""
    again = answered(weighed(entered("implement"), FULL), Kind.REJECT)
    on = weighed(again, FULL)
    assert (on.place.step, job(on).going.go, job(on).feedback) == (Step.AUTHOR, Go.CONTINUE, "")


def test_who_refuses_what_can_t_be_is_told_why() -> None:
    """F3, fault (h): and is asked again, so that nothing is stuck."""
    again = answered(weighed(entered("implement"), FULL), Kind.REJECT)
    why = weighed(again, replace(FULL, at_all=False))
    assert (why.do, why.place.state.cause) == (Do.WAIT, Cause.HANDOFF)
    assert "would break off within the stage: 95% of its window" in why.place.state.reason
    agreed = answered(why, Kind.APPROVE)
    assert weighed(agreed, replace(FULL, at_all=False)).place.step is Step.HAND_OFF


def test_alone_it_hands_off() -> None:
    """F3: nobody can be asked."""
    assert weighed(entered("implement"), FULL, ALONE).place.step is Step.HAND_OFF


def test_a_priced_handoff_asks_nobody() -> None:
    """F6: it is a choice like any other way to send a prompt."""
    found = weighed(entered("implement"), Found(Go.HAND_OFF, "cheaper", handoff="program"))
    assert (found.do, found.place.step) == (Do.RUN, Step.AUTHOR)


def test_other_answers_lead_where_they_always_lead() -> None:
    """F3: back, and abandon."""
    waits = weighed(entered("implement"), FULL)
    back = next_move(waits.place, Happened(answer=Outcome(Kind.BACK, "plan")), ASKED, 100.0)
    assert (back.place.state.stage, back.place.step) == ("plan", Step.WEIGH)
    paused = answered(waits, Kind.CONTINUE)
    assert paused.place.step is Step.WEIGH


def test_a_pause_before_the_first_turn_leads_back_to_the_scales() -> None:
    """F2: what was warm may be cold; a person's word on the session still counts."""
    again = answered(weighed(entered("implement"), FULL), Kind.REJECT)
    on = weighed(again, FULL)
    pause = Outcome(Kind.FAILED, reason="paused by you", cause=Cause.PAUSED)
    held = replace(on.place, state=advance(on.place.state, pause).state)
    resumed = answered(Next(Do.WAIT, held), Kind.CONTINUE)
    assert (resumed.place.step, job(resumed).turn) == (Step.WEIGH, Turn.BUILD)
    assert weighed(resumed, FULL).place.step is Step.AUTHOR
    check = next_move(on.place, Happened((Result(commit="c1"),)), ASKED, 100.0)
    later = replace(check.place, state=advance(check.place.state, pause).state)
    assert answered(Next(Do.WAIT, later), Kind.CONTINUE).place.step is Step.CHECK


def test_places_jobs_and_results_survive_their_json() -> None:
    """I4: also rows from before sessions were shared."""
    found = weighed(entered("implement"), FULL)
    assert Place.load(found.place.dump()) == found.place
    asked = job(answered(found, Kind.APPROVE))
    assert Job.load(asked.dump()) == asked
    result = Result(found=FULL)
    assert Result.load(result.dump()) == result
    old = {name: value for name, value in found.place.dump().items() if name != "going"}
    assert Place.load(old).going == Going()
    older = {name: value for name, value in asked.dump().items() if name != "going"}
    assert Job.load(older).going == Going()
