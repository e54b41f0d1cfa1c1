"""Facts first: what the program has seen for itself, and a model that believes everything.

The gullible model approves whatever it is shown. Red checks, a task whose files did not change,
and a secret still keep the feature from being handed over. Covers: C9, H5, F9
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.gather import gather, read_tasks
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Way
from sparing.finding import Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.implement.facts import Checked, sheet, unproven_tasks
from sparing.job import Job, JobKind, JobResult
from sparing.review.governor import SeenVerdict, SinceLastLook
from sparing.runtime.source import Source
from sparing.stages.moves import Happened, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.task import Task
from sparing.turn import StageStep, Turn
from sparing.workspace.checks.baseline import Baseline
from sparing.workspace.checks.run import CheckResult
from tests.briefing.sample import Sample, make_sample

GREEN = CheckResult("test", "make test", True, "Ran 3 tests, OK", "")
RED = CheckResult("test", "make test", False, "FAILED (failures=1)", "…", ("test_new (t.T)",))
LINT = CheckResult("lint", "make lint", False, "2 errors", "…")
RULES = StageRules(3, frozenset(), headless=True)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def source(sample: Sample) -> Source:
    return sample.source("implementation-reviewer", "implement", Turn.REVIEW)


def test_a_task_none_of_whose_files_has_changed_is_named(source: Source) -> None:
    tasks = list(read_tasks(source))
    assert unproven_tasks(source, tasks) == ()
    claims = [
        Task("3", "Three", "", 1, files=("tests/test_gate.py",)),
        Task("4", "Four", "", 1, files=("src",)),
        Task("5", "Five", "", 1, files=("gate.py",)),
        Task("6", "Six", "", 1, files=("src/*.py",)),
        Task("7", "Seven", "", 1),
    ]
    assert unproven_tasks(source, claims) == (
        "task 3 names tests/test_gate.py, and none of it has changed",
    )


def test_the_sheet_says_what_is_new_and_what_was_red_before() -> None:
    known = Baseline({"lint": ()})
    checked = Checked((RED, LINT), known)
    assert [one.name for one in checked.red] == ["test"]
    text = sheet(checked, ("task 3 names a.py, and none of it has changed",))
    assert "- test: red (FAILED (failures=1))" in text
    assert "- lint: red as before (2 errors)" in text
    assert "- task 3 names a.py, and none of it has changed" in text


def test_reviewers_of_the_code_are_given_the_sheet_fresh_and_resumed(sample: Sample) -> None:
    """Nobody is asked to derive it again."""
    source = sample.source("implementation-reviewer", "implement", Turn.REVIEW, iteration=2, seen=1)
    text = sheet(Checked((GREEN,), Baseline()), ())
    told = replace(source, job=replace(source.job, facts=sample.around.folder.keep(text)))
    for way in (Way.COMPOSE, Way.REFERENCE, Way.RESUME):
        prompt = "".join(one.text for one in compose(gather(told), way).segments)
        assert "- test: green (Ran 3 tests, OK)" in prompt, way


def test_reviewers_of_the_code_get_the_list_of_changed_files_once(sample: Sample) -> None:
    """B7: at the top of the diff, and not again on the sheet."""
    source = sample.source("implementation-reviewer", "implement", Turn.REVIEW)
    facts = sample.around.folder.keep(sheet(Checked((GREEN,), Baseline()), ()))
    told = replace(source, job=replace(source.job, facts=facts))
    said = {one.name: one.text for one in compose(gather(told), Way.COMPOSE).segments}
    assert "src/gate.py | +" in said["code"]
    assert "src/gate.py" not in said["facts"]


def played(check: JobResult, committed: JobResult) -> tuple[Do, Position, str]:
    """Implement and finish, with reviewers that approve everything."""
    place = Place(begin("feature", "implement", frozenset(ArtifactName)), "c0", StageStep.OPEN)
    happened = Happened((JobResult(commit="c0"),))
    for _ in range(40):
        found = next_move(place, happened, RULES, 1.0)
        if found.do is not Do.RUN or found.jobs[0].kind is JobKind.HANDOVER:
            return found.do, found.place.state.position, found.place.state.reason
        results = tuple(_done(job, check, committed) for job in found.jobs)
        seen = tuple(
            SeenVerdict(Verdict(job.role, approved=True))
            for job in found.jobs
            if job.turn is Turn.REVIEW
        )
        keys = {one.verdict.role: "code" for one in seen}
        place, happened = found.place, Happened(results, seen, SinceLastLook(inputs=keys))
    raise AssertionError("it never ended")


def _done(job: Job, check: JobResult, committed: JobResult) -> JobResult:
    if job.kind is JobKind.TASKS:
        return JobResult(tasks=(("1", "One"),))
    if job.kind is JobKind.CHECK:
        return check
    if job.turn is Turn.REVIEW:
        return JobResult(dispatch=job.role)
    return committed if job.kind is JobKind.DISPATCH else JobResult(commit="c")


GOOD, DONE = JobResult(passed=True), JobResult(commit="c")


def test_with_nothing_wrong_it_is_handed_over() -> None:
    """Else the tests below could not fail."""
    assert played(GOOD, DONE)[:2] == (Do.RUN, Position.HANDOVER)


@pytest.mark.parametrize(
    ("check", "committed", "why"),
    [
        (JobResult(passed=False, detail="checks are red: test"), DONE, "checks are red: test"),
        (replace(GOOD, unproven=("task 1 names a.py, unchanged",)), DONE, "claimed and not done"),
        (GOOD, JobResult(failure="a secret would be committed"), "a secret would be committed"),
    ],
)
def test_a_gullible_model_s_approval_is_not_enough(
    check: JobResult, committed: JobResult, why: str
) -> None:
    do, position, reason = played(check, committed)
    assert (do, position) == (Do.WAIT, Position.STUCK)
    assert why in reason


def test_red_checks_can_not_be_waved_through() -> None:
    """A6: a human may take what is claimed, but not what is red."""
    place = Place(begin("feature", "finish", frozenset(ArtifactName)), "c0", StageStep.CHECK)
    red = replace(place, state=replace(place.state, position=Position.STUCK, reason="red"))
    found = next_move(red, Happened(answer=Outcome(OutcomeKind.APPROVE)), RULES, 1.0)
    assert found.do is Do.REFUSE
    assert FEATURE.names[-1] == "finish"
