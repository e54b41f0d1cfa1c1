"""Driving the review of a stage: what follows from verdicts, and from a person's answer.

The state is the review room's and pure. Here it is decided which of its two rules applies: the
original's strict one, or the governor's rising bar. Findings are tracked under both, so that they
keep their ids and people read the same history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from sparing.finding import Severity
from sparing.flow.stage import Stage, StageWork
from sparing.panel import SECOND
from sparing.review import governor_reasons
from sparing.review.answers import AuthorAnswer
from sparing.review.governor import (
    GovernorRuling,
    ReviewState,
    SeenVerdict,
    SinceLastLook,
    govern,
    restarted,
    rule,
)
from sparing.review.loop import AtCap, Loop, LoopDecision, blocked, decide, go_on
from sparing.review.outcome import outcome_of
from sparing.review.panel_rule import PanelRule
from sparing.review.tracking import Tracked, told
from sparing.review.verdict import passes

NOTE_CHARS = 200
MOST_NOTES = 20
APART = PanelRule()


class Bench(NamedTuple):
    """The settings under which a review is held."""

    cap: int
    strict: bool
    headless: bool
    all_again: bool = False
    """True if a final validation asks every reviewer, whether or not their inputs have changed."""


def opened(
    stage: Stage, bench: Bench, before: ReviewState | None, panel: PanelRule = APART
) -> ReviewState | None:
    """A stage's review at its beginning; what was ruled in an earlier run of it stays ruled."""
    if not stage.reviewers:
        return None
    goes_on = bench.strict and stage.work is StageWork.DOCUMENT
    loop = Loop(
        stage.reviewers,
        min(stage.cap, bench.cap),
        validate=stage.work is StageWork.IMPLEMENT,
        at_cap=AtCap.GO_ON if goes_on else AtCap.ASK,
        merged=has_panel(stage) and panel.merges(stage.name),
    )
    return ReviewState(loop) if before is None else restarted(before, loop)


def has_panel(stage: Stage) -> bool:
    """Whether a document has a specialist reviewer, then one who may review in the same turn."""
    single = [group[0] for group in stage.reviewers if len(group) == 1]
    pair = len(stage.reviewers) == len(single) == 2
    return pair and stage.work is StageWork.DOCUMENT and single[1] == SECOND


def is_next(first: GovernorRuling, second: SeenVerdict) -> bool:
    """Whether a panel's second verdict counts: its reviewer's turn has come, after a pass."""
    loop = first.state.loop
    passed = bool(loop.outcomes) and loop.outcomes[-1].passed
    asks = first.decision is LoopDecision.ASK and loop.asks == (second.verdict.role,)
    return passed and asks


def judged(
    state: ReviewState, seen: Sequence[SeenVerdict], said: SinceLastLook, bench: Bench
) -> GovernorRuling:
    """What follows from the verdicts of the reviewers that the loop asked."""
    headless = bench.headless and not bench.strict
    ruled = govern(state, seen, said, headless=headless)
    told = replace(said, inputs={}) if bench.all_again else said
    return _strictly(state, ruled, seen, told) if bench.strict else ruled


def _strictly(
    state: ReviewState, ruled: GovernorRuling, seen: Sequence[SeenVerdict], said: SinceLastLook
) -> GovernorRuling:
    """The original's pass rule; findings are followed, but the bar does not rise."""
    verdicts = [one.verdict for one in seen]
    step = decide(state.loop, verdicts, said.inputs)
    tracked = tuple(replace(one, counts=_stands(one)) for one in ruled.state.tracked)
    rest = tuple(one for one in tracked if one.counts)
    failed = [verdict.role for verdict in verdicts if not passes(verdict)]
    looked = [verdict.role for verdict in verdicts]
    why = governor_reasons.of_step(step.decision, step.loop, rest)
    after = replace(ruled.state, loop=step.loop, tracked=tracked, stuck=0, weight=None)
    reasons = (*governor_reasons.of_look(tracked, looked, failed), why)
    return GovernorRuling(step.decision, after, reasons, rest, blocked(verdicts))


def _stands(one: Tracked) -> bool:
    return one.open and one.finding.severity is not Severity.SUGGESTION


def waved(state: ReviewState, said: SinceLastLook) -> GovernorRuling:
    """A person lets an escalated review continue: by their rulings, else with the rest open."""
    ids = {ruling.id for ruling in said.rulings}
    if any(one.open and one.id in ids for one in state.tracked):
        return rule(state, said.rulings, said.inputs)
    step = go_on(state.loop)
    after = replace(state, loop=step.loop, stuck=0, weight=None)
    return GovernorRuling(
        step.decision, after, (governor_reasons.of_step(step.decision, step.loop, open_of(state)),)
    )


def answered(state: ReviewState | None, answers: Sequence[AuthorAnswer]) -> ReviewState | None:
    """The review with the author's answers to its findings."""
    if state is None or not answers:
        return state
    return replace(state, tracked=told(state.tracked, answers, ()))


def escalated(state: ReviewState | None) -> bool:
    """Whether a reviewer of the group is not satisfied, so that a person was asked."""
    return state is not None and bool(state.loop.asks)


def ended_open(state: ReviewState) -> bool:
    """Whether a group was left whose reviewers did not all pass before the cap."""
    found = outcome_of(state)
    return bool(found.failed or found.capped)


def open_of(state: ReviewState | None) -> tuple[Tracked, ...]:
    """Blockers and warnings that are not settled."""
    return () if state is None else tuple(one for one in state.tracked if _stands(one))


def to_settle(state: ReviewState | None) -> tuple[str, ...]:
    """Ids that an author has to settle: findings that count, or all open ones if none does."""
    if state is None:
        return ()
    counted = tuple(one.id for one in state.tracked if one.open and one.counts)
    return counted or tuple(one.id for one in state.tracked if one.open)


def notes_of(state: ReviewState | None) -> tuple[str, ...]:
    """What is still open, a line each, for the stage's record."""
    found = open_of(state)
    return _lines(f"{one.id} {one.finding.severity}: {one.finding.text}" for one in found)


def verdict_notes(seen: Sequence[SeenVerdict]) -> tuple[str, ...]:
    """All that a lone judge remarked, a line each, for the stage's record."""
    found = [finding for one in seen for finding in one.verdict.findings]
    return _lines(f"{finding.severity}: {finding.text}" for finding in found)


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (" ".join(text.split()) for text in islice(texts, MOST_NOTES))
    return tuple(line if len(line) <= NOTE_CHARS else f"{line[:NOTE_CHARS]}…" for line in lines)


def why(ruled: GovernorRuling) -> str:
    """Why a person is asked, and about which findings."""
    named = ", ".join(one.id for one in ruled.open)
    reason = ruled.reasons[-1] if ruled.reasons else ""
    return f"{reason} ({named})" if named and ruled.decision is LoopDecision.ESCALATE else reason
