"""The convergence governor: when a review loop ends, and why.

The bar rises by iteration. A blocker always counts, unless a person dismissed it. A warning that is
only repeated becomes a note once the author has dealt with it; from the third iteration on a
warning counts only if it quotes a line as evidence. When there is no more progress, or the cap is
reached, the open rest goes to a person with both sides' arguments. All of it is a function of its
arguments, and every answer comes with its reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparing.codec import Stored
from sparing.finding import Severity, Verdict
from sparing.review import governor_reasons
from sparing.review.answers import AuthorAnswer
from sparing.review.loop import Loop, LoopDecision, LoopStep, go_on, regressed, settle
from sparing.review.merge import Merged, merge
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import (
    FindingStatus,
    Ruling,
    RulingKind,
    Tracked,
    dropped,
    follow,
    owned,
    told,
)

DEFAULT_CAP = 3
SHOWN = 3
"""From this iteration on a warning counts only if it quotes a line as evidence."""


@dataclass(frozen=True, slots=True)
class SeenVerdict:
    """A verdict, and for each of its findings whether the quote was found."""

    verdict: Verdict
    quotes: tuple[QuoteCheck, ...] = ()

    @property
    def refuses(self) -> bool:
        """True if not approved without any finding that could be the reason."""
        found = self.verdict.findings
        mild = all(finding.severity is Severity.SUGGESTION for finding in found)
        return not self.verdict.approved and mild


@dataclass(frozen=True, slots=True)
class ReviewState(Stored):
    loop: Loop
    tracked: tuple[Tracked, ...] = ()
    stuck: int = 0
    """How many reviews in a row settled nothing."""
    weight: tuple[int, int] | None = None
    """Number of blockers and warnings that counted at the last review by this group."""


@dataclass(frozen=True, slots=True)
class GovernorRuling:
    decision: LoopDecision
    state: ReviewState
    reasons: tuple[str, ...]
    open: tuple[Tracked, ...] = ()
    """What counts, and what was lowered or contested: with the author's answers beside it."""
    blocked: bool = False
    """True if a blocker counts, or a reviewer refuses without a reason."""


@dataclass(frozen=True, slots=True)
class SinceLastLook:
    """Answers and rulings since the last review."""

    answers: Sequence[AuthorAnswer] = ()
    rulings: Sequence[Ruling] = ()
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    """For each role, a key of what it would review now."""


def govern(
    state: ReviewState, seen: Sequence[SeenVerdict], said: SinceLastLook, *, headless: bool = False
) -> GovernorRuling:
    """What follows from the verdicts of the reviewers that `state.loop` asked."""
    looked = [one.verdict.role for one in seen]
    known = told(state.tracked, said.answers, said.rulings)
    seen = [replace(one, verdict=owned(one.verdict, known)) for one in seen]
    raised = merge([one.verdict for one in seen])
    followed = follow(known, raised, _verified(raised, seen), looked)
    tracked = tuple(_weighed(one, state.loop.iteration, looked) for one in followed)
    failed = _failed(tracked, seen)
    weight = _weight(tracked, looked)
    stuck = 0 if _moved(state, tracked, looked) else state.stuck + 1
    now = replace(state, tracked=tracked, stuck=stuck, weight=weight)
    blocked = weight[0] > 0 or any(one.refuses and not one.verdict.findings for one in seen)
    passed = [role for role in looked if role not in failed]
    step = regressed(state.loop, settle(state.loop, looked, passed, said.inputs))
    plateau = _plateau(state, now, blocked=blocked) if failed else ""
    reasons = governor_reasons.of_look(tracked, looked, failed)
    return _ruled(now, step, reasons, _End(plateau, blocked, headless))


@dataclass(frozen=True, slots=True)
class _End:
    plateau: str
    blocked: bool
    headless: bool


def _ruled(now: ReviewState, step: LoopStep, reasons: tuple[str, ...], end: _End) -> GovernorRuling:
    open_rest = tuple(
        one
        for one in now.tracked
        if one.open and (one.counts or one.finding.severity is not Severity.SUGGESTION)
    )
    at_cap = step.decision is LoopDecision.ESCALATE
    if not at_cap and not end.plateau:
        after = _at(now, step.loop)
        why = governor_reasons.of_step(step.decision, step.loop, open_rest)
        return GovernorRuling(step.decision, after, (*reasons, why), open_rest, end.blocked)
    why = governor_reasons.stopped(now.loop, end.plateau, at_cap=at_cap)
    held = replace(now.loop, passed=step.loop.passed, looks=step.loop.looks)
    if end.headless and not end.blocked:
        on = go_on(held)
        return GovernorRuling(
            on.decision, _at(now, on.loop), (*reasons, why, governor_reasons.ALONE), open_rest
        )
    return GovernorRuling(
        LoopDecision.ESCALATE, _at(now, held), (*reasons, why), open_rest, end.blocked
    )


def _at(state: ReviewState, loop: Loop) -> ReviewState:
    """The state with this loop; a new group starts without the progress of the one before."""
    if loop.group == state.loop.group:
        return replace(state, loop=loop)
    return replace(state, loop=loop, stuck=0, weight=None)


def rule(
    state: ReviewState, rulings: Sequence[Ruling], inputs: Mapping[str, str] | None = None
) -> GovernorRuling:
    """After a person has ruled on open findings: upheld ones are worth another iteration."""
    loop = state.loop
    tracked = tuple(
        replace(one, counts=counts(one, loop.iteration)) if one.open and one.ruling else one
        for one in told(state.tracked, (), rulings)
    )
    now = replace(state, tracked=tracked, stuck=0)
    standing = tuple(one for one in tracked if one.open and one.counts)
    if not standing:
        step = settle(loop, loop.asks, loop.asks, inputs)
        return GovernorRuling(step.decision, _at(now, step.loop), (governor_reasons.DISMISSED,))
    following = loop.iteration + 1
    again = replace(loop, iteration=following, cap=max(loop.cap, following), final=False)
    why = governor_reasons.of_step(LoopDecision.REVISE, again, standing)
    return GovernorRuling(LoopDecision.REVISE, replace(now, loop=again), (why,), standing)


def restarted(state: ReviewState, loop: Loop) -> ReviewState:
    """The state after a person's rerun: no blocker or warning is open, and rulings are kept. A
    suggestion nobody took up is not called resolved."""
    return ReviewState(loop, tuple(replace(dropped(one), answer=None) for one in state.tracked))


def counts(one: Tracked, iteration: int) -> bool:
    """Whether a finding that was raised now holds the loop up: the bar."""
    if one.ruling is not None:
        return one.ruling.kind is RulingKind.UPHELD
    match one.finding.severity:
        case Severity.BLOCKER:
            return True
        case Severity.SUGGESTION:
            return False
        case Severity.WARNING:
            return one.evidence or _warning_counts(one, iteration)


def _warning_counts(one: Tracked, iteration: int) -> bool:
    """Whether a warning counts that has no new line as evidence."""
    if one.status is FindingStatus.REGRESSED:
        return True
    if one.status is FindingStatus.CONTESTED or iteration >= SHOWN:
        return False
    lowered = one.restated and not one.counts
    return not lowered


def _weighed(one: Tracked, iteration: int, looked: Sequence[str]) -> Tracked:
    raised_now = one.open and any(role in looked for role in one.roles)
    return replace(one, counts=counts(one, iteration)) if raised_now else one


def _verified(raised: Sequence[Merged], seen: Sequence[SeenVerdict]) -> list[bool]:
    found = {
        finding
        for one in seen
        for finding, quote in zip(one.verdict.findings, one.quotes, strict=False)
        if quote is QuoteCheck.FOUND
    }
    return [any(finding in found for finding in one.said) for one in raised]


def _failed(tracked: Sequence[Tracked], seen: Sequence[SeenVerdict]) -> list[str]:
    held = {role for one in tracked if one.open and one.counts for role in one.roles}
    return [one.verdict.role for one in seen if one.refuses or one.verdict.role in held]


def _weight(tracked: Sequence[Tracked], looked: Sequence[str]) -> tuple[int, int]:
    counted = [
        one.finding.severity
        for one in tracked
        if one.open and one.counts and any(role in looked for role in one.roles)
    ]
    blockers = counted.count(Severity.BLOCKER)
    return blockers, len(counted) - blockers


def _moved(state: ReviewState, tracked: Sequence[Tracked], looked: Sequence[str]) -> bool:
    """Whether any finding that counted before is settled, or has at least changed."""
    now = {one.id: one for one in tracked}
    before = [
        now[one.id]
        for one in state.tracked
        if one.open and one.counts and any(role in looked for role in one.roles)
    ]
    return not before or any(not one.open or not one.counts or not one.restated for one in before)


def _plateau(state: ReviewState, now: ReviewState, *, blocked: bool) -> str:
    """Why another revision would not help; empty if it may. Nothing was open before a final
    validation, so what it finds says nothing about progress."""
    if state.loop.final:
        return ""
    if now.stuck > (1 if blocked else 0):
        return governor_reasons.STUCK
    fewer = state.weight is None or now.weight is None or now.weight < state.weight
    return governor_reasons.CHURN if state.loop.iteration >= SHOWN and not fewer else ""
