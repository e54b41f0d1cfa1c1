"""What follows from the reviewers' verdicts, and from a person's answer to a stopped review.

Pure handlers. Two verdicts that were given in one turn are handled one after the other, each as if
its reviewer had been asked alone.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.state import Outcome, OutcomeKind
from sparing.review.governor import GovernorRuling
from sparing.review.loop import LoopDecision
from sparing.stages import review_rounds
from sparing.stages.moves import Happened, Next, StageRules, ask, ask_for, close, flow
from sparing.stages.place import Place, marked
from sparing.turn import Turn


def reviewed(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """A panel's second verdict is the first look of its own loop, once that loop has come."""
    found = _looked(place, happened, rules, now)
    second, first = happened.second, found.ruled
    if second is None or first is None or not review_rounds.is_next(first, second):
        return found
    alone = replace(happened, seen=(second,), said=replace(happened.said, answers=()))
    return _looked(found.place, alone, rules, now)._replace(before=first)


def _looked(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    assert place.review is not None
    ruled = review_rounds.judged(place.review, happened.seen, happened.said, rules.bench)
    after = replace(place, review=ruled.state)
    after = marked(after, cap_reached=review_rounds.ended_open(ruled.state))
    if ruled.decision is LoopDecision.ESCALATE:
        kind = OutcomeKind.CAPPED_BLOCKERS if ruled.blocked else OutcomeKind.CAPPED_WARNINGS
        outcome = Outcome(kind, reason=review_rounds.why(ruled))
        return flow(marked(after, cap_reached=True), outcome, rules, now)._replace(ruled=ruled)
    if ruled.decision is LoopDecision.ACCEPT and place.unproven:
        reason = f"claimed and not done: {'; '.join(place.unproven)}"
        outcome = Outcome(OutcomeKind.CAPPED_BLOCKERS, reason=reason)
        return flow(after, outcome, rules, now)._replace(ruled=ruled)
    return _follow(after, ruled, now)


def waved(place: Place, happened: Happened, now: float) -> Next:
    assert place.review is not None
    if not review_rounds.escalated(place.review):
        return close(replace(place, unproven=(), accepted=True), now)
    ruled = review_rounds.waved(place.review, happened.said)
    after = replace(place, review=ruled.state)
    if ruled.decision is LoopDecision.ACCEPT:
        return close(replace(after, accepted=True), now)._replace(ruled=ruled)
    return _follow(after, ruled, now)


def _follow(place: Place, ruled: GovernorRuling, now: float) -> Next:
    """What a decision that needs no human leads to."""
    match ruled.decision:
        case LoopDecision.ASK:
            found = ask(place, now)
        case LoopDecision.REVISE:
            found = ask_for(place, Turn.REVISE)
        case LoopDecision.ACCEPT | LoopDecision.ESCALATE:
            found = close(place, now)
    return found._replace(ruled=ruled)
