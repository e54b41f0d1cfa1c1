"""Review loops as the engine drives them: who is asked, who settles what, when it ends and why.

Covers: C1, C2, C7, C9, C10, C12, C17, A6
"""

from __future__ import annotations

from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.governor import SeenVerdict, SinceLastLook
from sparing.review.tracking import Ruling, RulingKind
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

RISING = StageRules(cap=3, gates=frozenset(FEATURE.names), headless=False)
STRICT = RISING._replace(strict=True)
ALONE = RISING._replace(headless=True)
VAGUE = Finding(Severity.WARNING, "AC-3 gives no number for the speed", location="AC-3")
LOSS = Finding(Severity.BLOCKER, "Step 4 deletes the table before the copy is checked")
WORDS = ("gleam", "hamper", "lattice", "quarrel", "saddle", "tumble", "velvet", "wander")
NITS = [
    Finding(Severity.WARNING, f"The {word} of paragraph {n} is ugly", location=f"Section {n}")
    for n, word in enumerate(WORDS)
]
CODE = FEATURE.stage("implement").reviewers[0]


class Run:
    """A stage that is driven look by look."""

    def __init__(self, stage: str, rules: StageRules = RISING) -> None:
        self.rules = rules
        place = Place(begin("feature", stage, frozenset(ArtifactName)), "c0", StageStep.OPEN)
        self.found = self._go(place, Happened((JobResult(commit="c0"),)))

    def _go(self, place: Place, happened: Happened) -> Next:
        self.found = next_move(place, happened, self.rules, 100.0)
        return self.found

    @property
    def job(self) -> Job:
        (job,) = self.found.jobs
        return job

    @property
    def roles(self) -> list[str]:
        return [job.role for job in self.found.jobs]

    @property
    def reason(self) -> str:
        return self.found.place.state.reason

    def work(self, result: JobResult | None = None, *answers: AuthorAnswer) -> Run:
        """Whoever was asked has done it."""
        self._go(
            self.found.place,
            Happened((result or JobResult(commit="c"),), said=SinceLastLook(answers)),
        )
        return self

    def look(self, *given: tuple[Finding, ...], inputs: str = "") -> Run:
        """Those who were asked found this; nothing is an approval."""
        seen = tuple(
            SeenVerdict(Verdict(job.role, not found, found))
            for job, found in zip(self.found.jobs, given, strict=True)
        )
        results = tuple(JobResult(dispatch=f"d-{one.verdict.role}") for one in seen)
        review = self.found.place.review
        keys = dict.fromkeys(review.loop.roles, inputs) if inputs and review else {}
        self._go(self.found.place, Happened(results, seen, SinceLastLook(inputs=keys)))
        return self

    def step(self, happened: Happened) -> Run:
        self._go(self.found.place, happened)
        return self

    def answer(self, kind: OutcomeKind, *rulings: Ruling) -> Run:
        self._go(self.found.place, Happened(said=SinceLastLook((), rulings), answer=Outcome(kind)))
        return self

    @property
    def stuck(self) -> bool:
        return (self.found.do, self.found.place.state.position) == (Do.WAIT, Position.STUCK)


def implemented(rules: StageRules = RISING) -> Run:
    """Tasks are done, checks are green, the reviewers are asked."""
    run = Run("implement", rules).work(JobResult(tasks=(("1", "One"),)))
    return run.work().work().work(JobResult(passed=True, facts="facts"))


def test_a_reviewer_that_nitpicks_for_ever_is_ended_by_the_governor() -> None:
    """C2: within the cap, and it says why."""
    run, looks = Run("specify").work(), 0
    while run.roles == ["spec-reviewer"]:
        looks += 1
        run.look((NITS[2 * looks], NITS[2 * looks + 1]))
        if run.roles == ["spec-author"]:
            run.work()
    assert looks <= RISING.cap
    assert run.roles == ["phase-reviewer"]
    assert run.found.ruled is not None
    assert run.found.ruled.reasons == (
        "spec-reviewer passes: no finding counts against it",
        "F5 is a note now: at this iteration a warning needs a line as evidence",
        "F6 is a note now: at this iteration a warning needs a line as evidence",
        "next: phase-reviewer",
    )


def test_the_rule_of_the_original_says_who_passes_and_who_does_not() -> None:
    """C2: a warning fails there whatever else counts."""
    run = Run("specify", STRICT).work().look((VAGUE,))
    assert run.found.ruled is not None
    assert run.found.ruled.reasons[0] == "spec-reviewer does not pass: 1 warning counts"
    run.work().look(())
    assert run.found.ruled is not None
    assert run.found.ruled.reasons[0] == "spec-reviewer passes: no finding counts against it"


def test_a_reviewer_that_says_the_same_for_ever_is_shown_to_a_human() -> None:
    """C2: nothing moves, so another revision would not help."""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    assert run.stuck
    assert run.reason == (
        "stopped before the cap: the last revision settled no finding that counts (F1)"
    )


def test_headless_goes_on_with_concerns_if_only_warnings_remain() -> None:
    """C2: and the concerns stand in the stage's record."""
    run = Run("specify", ALONE).work().look((VAGUE,)).work().look((VAGUE,))
    assert run.roles == ["phase-reviewer"]
    run.look(()).work()
    state = run.found.place.state
    assert (state.position, state.concerns) == (Position.GATE, ("specify",))
    assert run.found.place.marks["specify"].cap_reached
    assert run.reason == (
        "its review ended without a pass: spec-reviewer failed at iteration 2 of 3,"
        " phase-reviewer passed; 1 finding stays open"
    )
    assert run.found.place.marks["specify"].notes == (
        "F1 warning: AC-3 gives no number for the speed",
    )


def test_headless_stops_at_a_blocker() -> None:
    """C2"""
    run = Run("specify", ALONE).work()
    for _ in range(3):
        run.look((LOSS,))
        if run.stuck:
            break
        run.work()
    assert run.stuck


def test_under_the_strict_bar_a_document_goes_on_at_the_cap_and_code_asks() -> None:
    """C2: the original's rule; cap n runs n iterations."""
    run = Run("specify", STRICT).work()
    for _ in range(2):
        run.look((VAGUE,)).work()
    run.look((VAGUE,))
    assert run.roles == ["phase-reviewer"]
    assert run.job.ended == (("spec-reviewer", False, 3),)
    assert run.found.place.marks["specify"].cap_reached
    code = implemented(STRICT._replace(headless=True))
    code.look((VAGUE,), (), ())
    for _ in range(2):
        assert not code.stuck
        code.work().work(JobResult(passed=True)).look((VAGUE,))
    assert code.stuck


def test_a_human_s_approval_at_an_escalation_goes_on_with_the_next_reviewer() -> None:
    """C1, A6: not past it; at the last one the gate does not ask a second time."""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    assert run.stuck
    run.answer(OutcomeKind.APPROVE)
    assert run.roles == ["phase-reviewer"]
    run.look((VAGUE,)).work().look((VAGUE,))
    assert run.stuck
    run.answer(OutcomeKind.APPROVE)
    assert run.job.kind is JobKind.CLOSE
    run.work()
    state = run.found.place.state
    assert (state.stage, state.concerns) == ("design", ("specify",))


def test_what_a_human_upholds_is_settled_and_what_is_dismissed_never_counts_again() -> None:
    """C2: rulings are kept for later iterations."""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    run.answer(OutcomeKind.APPROVE, Ruling("F1", RulingKind.UPHELD))
    assert (run.job.turn, run.job.settles) == (Turn.REVISE, ("F1",))
    other = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    other.answer(OutcomeKind.APPROVE, Ruling("F1", RulingKind.DISMISSED))
    assert other.roles == ["phase-reviewer"]


def test_a_rerun_resets_the_counters_and_keeps_what_was_ruled() -> None:
    """C12"""
    run = Run("specify").work().look((VAGUE,)).work().look((VAGUE,))
    run.answer(OutcomeKind.REJECT, Ruling("F1", RulingKind.DISMISSED))
    review = run.found.place.review
    assert review is not None
    assert (review.loop.iteration, review.loop.passed) == (1, ())
    assert [one.open for one in review.tracked] == [False]


def test_an_answer_without_a_change_is_no_idle_turn() -> None:
    """C17, C7: the reviewer is asked again, with the answer; silence is counted."""
    unchanged = JobResult(commit="c", changed=False)
    reason = AuthorAnswer("F1", AnswerKind.ANSWERED, "the PRD wants it so")
    run = Run("specify").work().look((LOSS,)).work(unchanged, reason)
    assert run.roles == ["spec-reviewer"]
    assert run.found.place.idle == 0
    review = run.found.place.review
    assert review is not None
    assert review.tracked[0].answer == reason
    run.look((LOSS,)).work(unchanged)
    assert run.found.place.idle == 1


def test_only_those_who_failed_are_asked_again_then_the_others_validate() -> None:
    """C9: final validation where inputs have changed, not counted; a regression goes back."""
    run = implemented()
    assert run.roles == list(CODE)
    assert {job.facts for job in run.found.jobs} == {"facts"}
    run.look((LOSS,), (), (), inputs="one")
    assert (run.job.turn, run.job.iteration) == (Turn.REVISE, 1)
    run.work().work(JobResult(passed=True))
    assert [(job.role, job.iteration, job.final) for job in run.found.jobs] == [(CODE[0], 2, False)]
    run.look((), inputs="two")
    assert [(job.role, job.final) for job in run.found.jobs] == [(CODE[1], True), (CODE[2], True)]
    run.look((LOSS,), (), inputs="two")
    assert (run.job.turn, run.job.iteration) == (Turn.REVISE, 2)


def test_nobody_validates_what_has_not_changed() -> None:
    """C7"""
    run = implemented().look((), (), (), inputs="one")
    assert run.job.kind is JobKind.CLOSE


def test_a_claimed_task_without_a_change_is_not_believed() -> None:
    """Approved by everybody, it stops in front of a human who may accept it as it is."""
    run = Run("implement").work(JobResult(tasks=(("1", "One"),))).work().work()
    claim = "task 1 names a.py, and none of it has changed"
    run.work(JobResult(passed=True, unproven=(claim,))).look((), (), (), inputs="one")
    assert run.stuck
    assert claim in run.reason
    run.answer(OutcomeKind.APPROVE)
    assert run.job.kind is JobKind.CLOSE


def test_a_place_from_before_findings_were_followed_can_be_loaded() -> None:
    """I4"""
    place = Run("specify").work().found.place
    assert place.loop is not None
    groups = [list(group) for group in place.loop.groups]
    old = {**place.dump(), "review": None, "loop": [groups, 3, 0, 2, []]}
    assert Place.load(old).loop == replace(place.loop, iteration=2)
