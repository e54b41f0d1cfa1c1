"""Work that failed: what it comes to in words, and the way to a person."""

from __future__ import annotations

from sparing.failure import Failure
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.job import BUDGET, LOOP, NOTHING_CHANGED, JobResult
from sparing.stages.moves import Next, StageRules, flow
from sparing.stages.place import Place

CAUSES = {BUDGET: Cause.BUDGET, LOOP: Cause.LOOP}


def failing(place: Place, result: JobResult, rules: StageRules, now: float) -> Next:
    """Stop for a person; nothing is lost, and the same work can continue from here."""
    cause = CAUSES.get(result.failure, Cause.FAILED)
    return flow(
        place, Outcome(OutcomeKind.FAILED, reason=failure_words(result), cause=cause), rules, now
    )


def failure_words(result: JobResult) -> str:
    """Describe a failure; a crash by its last line only, since the ledger keeps the whole
    output."""
    detail = _last_words(result.detail) if result.failure == Failure.CRASHED else result.detail
    says_all = detail and result.failure == NOTHING_CHANGED
    return detail if says_all else f"{result.failure}: {detail}" if detail else result.failure


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
