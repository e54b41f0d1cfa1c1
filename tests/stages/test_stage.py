"""Which jobs come next within a stage. Covers: A1, A2, C1, C9, D6, F9."""

from __future__ import annotations

from sparing import codec
from sparing.artifact import ArtifactName
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE, FLOWS
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.review.governor import SeenVerdict
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import REPAIRS, next_move
from sparing.turn import StageStep, Turn

RULES = StageRules(cap=3, gates=frozenset(FEATURE.names), headless=False)
GOOD = Verdict("r", approved=True)
BAD = Verdict("r", approved=False, findings=(Finding(Severity.WARNING, "unclear"),))


def at(stage: str, step: StageStep = StageStep.OPEN, flow: str = "feature") -> Place:
    have = frozenset(ArtifactName)
    return Place(begin(flow, stage, have), "base", step)


def after(place: Place, *results: JobResult, verdicts: tuple[Verdict, ...] = ()) -> Next:
    seen = tuple(SeenVerdict(verdict) for verdict in verdicts)
    return next_move(place, Happened(results, seen), RULES, 100.0)


def names(found: Next) -> list[str]:
    return [job.name for job in found.jobs]


def asked(found: Next) -> Job:
    assert len(found.jobs) == 1
    return found.jobs[0]


def judged(found: Next, *verdicts: Verdict) -> Next:
    """The reviewers that were asked have answered, in order."""
    roles = [job.role for job in found.jobs]
    given = tuple(
        Verdict(role, v.approved, v.findings) for role, v in zip(roles, verdicts, strict=True)
    )
    results = [
        JobResult(dispatch=f"d-{v.role}", passed=v.approved and not v.findings) for v in given
    ]
    return after(found.place, *results, verdicts=given)


def test_a_document_stage_that_passes_at_once() -> None:
    """A1, C1: author, domain reviewer, phase reviewer, record, gate."""
    found = after(at("specify"), JobResult(commit="c0"))
    assert (asked(found).role, asked(found).turn) == ("spec-author", Turn.WRITE)
    found = after(found.place, JobResult(commit="c1", reply="note"))
    assert names(found) == ["spec-reviewer"]
    assert asked(found).head == "c1"
    found = judged(found, GOOD)
    assert names(found) == ["phase-reviewer"]
    found = judged(found, GOOD)
    assert asked(found).kind is JobKind.CLOSE
    found = after(found.place, JobResult(commit="c2"))
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.GATE)
    assert found.place.head == "c2"
    assert found.place.marks["specify"].completed == 100.0


def test_a_rejected_draft_goes_back_to_its_author_with_the_findings() -> None:
    """C1"""
    found = after(after(at("specify"), JobResult(commit="c0")).place, JobResult(commit="c1"))
    found = judged(found, BAD)
    job = asked(found)
    assert (job.role, job.turn, job.settles) == ("spec-author", Turn.REVISE, ("F1",))
    found = after(found.place, JobResult(commit="c2", reply="what changed"))
    job = asked(found)
    assert (job.role, job.iteration, job.note) == ("spec-reviewer", 2, "what changed")


def test_an_author_s_round_is_that_of_the_loop_that_asks() -> None:
    """C5: commits count the rounds of each reviewer's loop, however often the author worked."""
    found = after(after(at("specify"), JobResult(commit="c0")).place, JobResult(commit="c1"))
    found = judged(found, BAD)
    assert (asked(found).iteration, asked(found).look) == (2, 2)
    found = judged(after(found.place, JobResult(commit="c2", reply="changed")), GOOD)
    assert asked(found).role == "phase-reviewer"
    found = judged(found, BAD)
    assert (asked(found).role, asked(found).look) == ("spec-author", 2)
    assert asked(found).iteration == 3


def test_implement_goes_task_by_task_then_checks_then_three_reviewers() -> None:
    """C9"""
    found = after(at("implement"), JobResult(commit="c0"))
    assert asked(found).kind is JobKind.TASKS
    found = after(found.place, JobResult(tasks=(("1.1", "One"), ("1.2", "Two"))))
    assert (asked(found).task, asked(found).turn) == ("1.1", Turn.IMPLEMENT)
    found = after(found.place, JobResult(commit="c1"))
    assert (asked(found).kind, asked(found).head) == (JobKind.PROVE, "c1")
    found = after(found.place, JobResult(commit="c2"))
    assert (asked(found).task, asked(found).head) == ("1.2", "c2")
    found = after(after(found.place, JobResult(commit="c3")).place, JobResult(commit="c4"))
    assert asked(found).kind is JobKind.CHECK
    found = after(found.place, JobResult(passed=True))
    assert names(found) == list(FEATURE.stage("implement").reviewers[0])
    found = judged(found, GOOD, BAD, GOOD)
    assert asked(found).turn is Turn.REVISE
    found = after(found.place, JobResult(commit="c3"))
    assert asked(found).kind is JobKind.CHECK
    found = after(found.place, JobResult(passed=True))
    assert names(found) == ["code-quality-reviewer"]


def test_red_checks_are_repaired_a_few_times_and_then_shown() -> None:
    """D6"""
    found = after(after(at("finish"), JobResult(commit="c0")).place, JobResult())
    red = JobResult(passed=False, reply="output", detail="checks are red: test")
    for _ in range(REPAIRS):
        found = after(found.place, red)
        job = asked(found)
        assert (job.turn, job.feedback) == (Turn.REPAIR_CHECKS, "output")
        found = after(found.place, JobResult(commit="c"))
        assert asked(found).kind is JobKind.CHECK
    found = after(found.place, red)
    assert (found.place.state.position, found.place.state.reason) == (
        Position.STUCK,
        "checks are red: test",
    )


def test_red_checks_of_a_tier_send_it_back_to_implement() -> None:
    """F9: verify is the program's own check run."""
    place = at("verify", flow="L2")
    found = after(
        after(place, JobResult(commit="c0")).place, JobResult(passed=False, reply="output")
    )
    job = asked(found)
    assert (found.place.state.stage, job.turn, job.feedback) == ("implement", Turn.BUILD, "output")


def test_a_judge_that_is_not_satisfied_sends_it_back() -> None:
    """F9"""
    found = after(at("code_review", flow="L3"), JobResult(commit="c0"))
    assert (asked(found).role, asked(found).turn) == ("judge", Turn.JUDGE)
    found = after(found.place, JobResult(dispatch="d", passed=False, commit="c1"))
    assert found.place.state.stage == "implement"


def test_a_failed_agent_is_shown_with_its_words() -> None:
    found = after(at("specify", StageStep.AUTHOR), JobResult(failure="quota", detail="until 18:00"))
    assert (found.do, found.place.state.reason) == (Do.WAIT, "quota: until 18:00")


def test_a_crash_is_shown_by_its_last_words() -> None:
    """K1: no traceback in front of a user."""
    crash = "Traceback (most recent call last):\n  File x\nValueError: no such file\n"
    found = after(at("specify", StageStep.AUTHOR), JobResult(failure="crashed", detail=crash))
    assert found.place.state.reason == "crashed: ValueError: no such file"


def test_gates_that_nobody_wants_are_passed() -> None:
    """A7"""
    place = at("specify", StageStep.CLOSE)
    rules = RULES._replace(gates=frozenset())
    found = next_move(place, Happened((JobResult(commit="c1"),)), rules, 1.0)
    assert (found.do, found.place.state.stage) == (Do.RUN, "design")


def test_a_rejection_runs_the_stage_again_with_the_words() -> None:
    """A6"""
    gate = after(at("specify", StageStep.CLOSE), JobResult(commit="c1")).place
    answer = Happened(answer=Outcome(OutcomeKind.REJECT), feedback="hash")
    found = next_move(gate, answer, RULES, 1.0)
    job = asked(found)
    assert (job.role, job.turn, job.feedback) == ("spec-author", Turn.REDO, "hash")


def test_places_and_jobs_survive_their_json() -> None:
    for flow in FLOWS:
        for stage in FLOWS[flow].names:
            found = after(at(stage, flow=flow), JobResult(commit="c0"))
            assert Place.load(found.place.dump()) == found.place
            assert [codec.load(Job, codec.dump(job)) for job in found.jobs] == list(found.jobs)
