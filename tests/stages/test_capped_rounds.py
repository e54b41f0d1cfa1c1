"""Review loops that end at the cap: what is remembered, and which gates wait.

Covers: A5, A7, C2, C9, C12
"""

from __future__ import annotations

from dataclasses import replace

from sparing.finding import Severity, Verdict
from sparing.flow.state import Do, OutcomeKind
from sparing.job import JobResult
from sparing.review.governor import SeenVerdict
from sparing.stages.auto_gate import by_rule
from sparing.stages.moves import Happened
from tests.stages.test_review_rounds import ALONE, LOSS, NITS, VAGUE, Run, implemented


def test_a_warning_that_is_open_at_the_cap_is_for_a_person_though_it_no_longer_counts() -> None:
    """C2, A7: the bar lets the loop end; no rule passes the gate, and the words say what was."""
    run = Run("specify", ALONE._replace(auto=True)).work()
    for n in range(2):
        run.look((NITS[n], LOSS) if n else (NITS[n],)).work()
    run.look((NITS[5],)).look(()).work()
    assert (run.found.do, run.found.by_rule) == (Do.WAIT, "")
    assert run.found.place.marks["specify"].cap_reached
    assert run.reason == (
        "not passed by rule: its review ended at the cap: spec-reviewer passed at iteration 3"
        " of 3 with findings open, phase-reviewer passed; 1 finding stays open"
    )


def test_a_refusal_without_findings_at_the_cap_holds_a_later_gate() -> None:
    """C2, A7: a stage without a gate goes on; the next gate does not pass over it."""
    rules = ALONE._replace(strict=True, auto=True, gates=frozenset({"design"}))
    run = Run("specify", rules).work()
    for n in range(3):
        role = run.job.role
        seen = SeenVerdict(Verdict(role, approved=False, summary="I am not convinced"))
        run.step(Happened((JobResult(dispatch="d", passed=False, role=role),), (seen,)))
        run = run.work() if n < 2 else run
    run.look(()).work()
    state, marks = run.found.place.state, run.found.place.marks
    assert (state.stage, state.concerns) == ("design", ("specify",))
    assert marks["specify"].cap_reached
    held = by_rule(run.found.place, rules.gates)
    why = "the review of specify ended at its cap, and specify has no gate of its own"
    assert (held.passes, why in held.words) == (False, True)


def test_a_regression_in_the_final_validation_at_the_cap_is_no_pass() -> None:
    """C9, C2: headless code with a warning left goes on, and its gate waits."""
    run = implemented(ALONE._replace(auto=True)).look((VAGUE,), (), (), inputs="one")
    run.work().work(JobResult(passed=True)).look((NITS[1],), inputs="two")
    run.work().work(JobResult(passed=True)).look((), inputs="three")
    assert [job.final for job in run.found.jobs] == [True, True]
    run.look((replace(LOSS, severity=Severity.WARNING),), (), inputs="three")
    assert run.found.place.marks["implement"].cap_reached


def test_a_stage_that_was_rejected_and_passes_was_not_capped() -> None:
    """C12, A5: its record says how the last attempt ended."""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    run.answer(OutcomeKind.REJECT)
    run.work().look(()).look(()).work()
    state, mark = run.found.place.state, run.found.place.marks["specify"]
    assert (mark.cap_reached, mark.notes, state.concerns) == (False, (), ())


def test_a_rerun_forgets_the_cap() -> None:
    """C12, A5"""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    assert run.found.place.marks["specify"].cap_reached
    run.answer(OutcomeKind.RERUN)
    assert not run.found.place.marks["specify"].cap_reached
