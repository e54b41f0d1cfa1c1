"""Two reviewers in one turn lead where the same verdicts in two turns lead. Covers: E10, C1."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE, FLOWS
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.panel import PanelMode
from sparing.review.governor import GovernorRuling, ReviewState, SeenVerdict
from sparing.review.loop import Loop
from sparing.review.panel_rule import PanelRule
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

APART = StageRules(cap=3, gates=frozenset(FEATURE.names), headless=False)
MERGED = APART._replace(panel=PanelRule(PanelMode.MERGED))
ROLES = ("spec-reviewer", "phase-reviewer")
WARNING = Finding(Severity.WARNING, "AC-3 gives no number", location="AC-3")
BLOCKER = Finding(Severity.BLOCKER, "the goal is lost on the way", location="Goals")
NOTHING: tuple[Finding, ...] = ()
Said = dict[tuple[str, int], tuple[Finding, ...]]
"""What a reviewer finds at its n-th look."""


class Story:
    """A stage driven to its end, with findings that are given by role and iteration."""

    def __init__(self, rules: StageRules, said: Said) -> None:
        self.rules, self.said = rules, said
        self.turns: list[tuple[str, int]] = []
        self.rulings: list[GovernorRuling] = []
        place = Place(begin("feature", "specify", frozenset(ArtifactName)), "c0", StageStep.OPEN)
        self.found = self._go(place, Happened((JobResult(commit="c0"),)))
        for _ in range(20):
            if not self.found.jobs or self.found.place.step is StageStep.CLOSE:
                break
            self._step()

    def _go(self, place: Place, happened: Happened) -> Next:
        found = next_move(place, happened, self.rules, 100.0)
        self.rulings += [one for one in (found.before, found.ruled) if one is not None]
        return found

    def _step(self) -> None:
        (job,) = self.found.jobs
        self.turns.append((job.who, job.iteration))
        if job.turn is not Turn.REVIEW:
            self.found = self._go(self.found.place, Happened((JobResult(commit="c"),)))
            return
        first = self._seen(job.role, job.iteration)
        second = None
        if len(job.asked) == 2 and not first.verdict.findings:
            second = self._seen(job.asked[1], 1)
        told = Happened((JobResult(dispatch="d"),), (first,), second=second)
        self.found = self._go(self.found.place, told)

    def _seen(self, role: str, iteration: int) -> SeenVerdict:
        found = self.said.get((role, iteration), NOTHING)
        return SeenVerdict(Verdict(role, not found, found))

    @property
    def review(self) -> ReviewState:
        assert self.found.place.review is not None
        return self.found.place.review


def test_both_pass_in_one_turn() -> None:
    """E10: one look, two verdicts, two rulings, the stage is done."""
    story = Story(MERGED, {})
    assert story.turns == [("spec-author", 1), ("spec-reviewer+phase-reviewer", 1)]
    assert [one.passed for one in story.review.loop.outcomes] == [True, True]
    assert story.found.place.step is StageStep.CLOSE
    assert len(story.rulings) == 2


def test_after_the_specialist_passed_only_the_second_is_asked() -> None:
    """E10, C1: each has its own counter."""
    story = Story(MERGED, {("spec-reviewer", 1): (WARNING,), ("phase-reviewer", 1): (BLOCKER,)})
    assert story.turns == [
        ("spec-author", 1),
        ("spec-reviewer+phase-reviewer", 1),
        ("spec-author", 2),
        ("spec-reviewer+phase-reviewer", 2),
        ("spec-author", 3),
        ("phase-reviewer", 2),
    ]
    assert story.review.loop.outcomes[0].iteration == 2
    assert story.review.loop.outcomes[1].iteration == 2


FOUND = (NOTHING, (WARNING,), (BLOCKER,))


@pytest.mark.parametrize("headless", [False, True])
@pytest.mark.parametrize(
    "found",
    list(itertools.product(FOUND, FOUND, (NOTHING, (BLOCKER,)), FOUND, (NOTHING, (WARNING,)))),
)
def test_a_panel_ends_as_the_same_verdicts_in_two_turns(
    found: tuple[tuple[Finding, ...], ...], headless: bool
) -> None:
    """E10, C1, C18: outcomes, findings, counters and reasons are those of separate turns."""
    looks = [(ROLES[0], 1), (ROLES[0], 2), (ROLES[0], 3), (ROLES[1], 1), (ROLES[1], 2)]
    said = dict(zip(looks, found, strict=True))
    apart = Story(APART._replace(headless=headless), said)
    merged = Story(MERGED._replace(headless=headless), said)
    assert _same(merged.review) == _same(apart.review)
    assert merged.found.place.state == apart.found.place.state
    assert [one.reasons for one in merged.rulings] == [one.reasons for one in apart.rulings]
    assert merged.found.place.marks == apart.found.place.marks


def _same(state: ReviewState) -> ReviewState:
    return replace(state, loop=replace(state.loop, merged=False))


def test_only_documents_with_a_phase_reviewer_have_panels() -> None:
    """E10: code reviewers stay apart, and so do the reviewers of the PRD, who are always fresh."""
    merged: list[str] = []
    for stage in FEATURE.stages:
        place = Place(begin("feature", stage.name, frozenset(ArtifactName)), "c0", StageStep.OPEN)
        review = next_move(place, Happened((JobResult(commit="c0"),)), MERGED, 1.0).place.review
        merged += [stage.name] if review is not None and review.loop.merged else []
    assert merged == ["specify", "design", "create-plan", "create-tasks"]
    code = [s for flow in FLOWS.values() for s in flow.stages if s.work is StageWork.IMPLEMENT]
    assert [s.reviewers for s in code] == [
        (("implementation-reviewer", "code-quality-reviewer", "security-reviewer"),)
    ]


def test_a_loop_from_before_panels_is_read() -> None:
    """I4: a parked review goes on with its reviewers apart."""
    kept = Loop((("a",), ("b",)), 3).dump()
    del kept["merged"]
    assert Loop.load(kept).panel == ()
