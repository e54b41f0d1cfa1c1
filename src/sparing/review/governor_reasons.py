"""The governor's reasons, in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.finding import Severity
from sparing.review.loop import Loop, LoopDecision
from sparing.review.tracking import FindingStatus, RulingKind, Tracked

STUCK = "the last revision settled no finding that counts"
CHURN = "as many findings count as before, another revision would not help"
DISMISSED = "a human has dismissed all that counted"
ALONE = "there is nobody to ask and no blocker is open: it continues, with the concerns recorded"


def of_look(
    tracked: Sequence[Tracked], looked: Sequence[str], failed: Sequence[str]
) -> tuple[str, ...]:
    """Who passes, and why each open finding counts or no longer does."""
    reasons = [_of_role(role, tracked, failed=role in failed) for role in looked]
    reasons += [why for one in tracked if (why := _of_finding(one, looked))]
    return tuple(reasons)


def of_step(decision: LoopDecision, loop: Loop, open_rest: Sequence[Tracked]) -> str:
    match decision:
        case LoopDecision.REVISE:
            return f"back to the author: iteration {loop.iteration} of {loop.cap} follows"
        case LoopDecision.ASK:
            why = "final validation" if loop.final else "next"
            return f"{why}: {', '.join(loop.asks)}"
        case LoopDecision.ACCEPT:
            kept = sum(_is_concern(one) for one in open_rest)
            return f"accepted with {_number(kept, 'concern')} recorded" if kept else "accepted"
        case LoopDecision.ESCALATE:
            return capped(loop)


def _is_concern(one: Tracked) -> bool:
    return one.finding.severity is not Severity.SUGGESTION and not one.dismissed


def stopped(loop: Loop, plateau: str, *, at_cap: bool) -> str:
    """Why there is no further iteration; a plateau may be noticed only when the cap is reached."""
    before = capped(loop) if at_cap else "stopped before the cap"
    return f"{before}: {plateau}" if plateau else before


def capped(loop: Loop) -> str:
    return f"the cap of {_number(loop.cap, 'iteration')} is reached with findings open"


def _of_role(role: str, tracked: Sequence[Tracked], *, failed: bool) -> str:
    if not failed:
        return f"{role} passes: no finding counts against it"
    counted = [
        one.finding.severity for one in tracked if one.open and one.counts and role in one.roles
    ]
    if not counted:
        return f"{role} refuses without a reason"
    blockers = counted.count(Severity.BLOCKER)
    warnings = len(counted) - blockers
    said = [_number(blockers, "blocker")] if blockers else []
    said += [_number(warnings, "warning")] if warnings else []
    verb = "counts" if len(counted) == 1 else "count"
    return f"{role} does not pass: {' and '.join(said)} {verb}"


def _of_finding(one: Tracked, looked: Sequence[str]) -> str:
    if not one.open or not any(role in looked for role in one.roles):
        return ""
    if one.finding.severity is Severity.SUGGESTION:
        return ""
    if one.ruling is not None:
        ruled = "counts" if one.ruling.kind is RulingKind.UPHELD else "does not count"
        return f"{one.id} {ruled}: a human {one.ruling.kind} it"
    if one.counts:
        return "" if one.status is FindingStatus.NEW else f"{one.id} counts: {_still(one)}"
    return f"{one.id} is a note now: {_why_note(one)}"


def _still(one: Tracked) -> str:
    times = f"raised {_number(one.times, 'time')}"
    if one.evidence:
        return f"{one.status}, {times}, with a new line as evidence"
    return f"{one.status}, {times}"


def _why_note(one: Tracked) -> str:
    if one.status is FindingStatus.CONTESTED:
        return "the author gave a reason, and no new evidence was brought against it"
    if one.restated:
        return f"said {_number(one.times, 'time')} without new evidence"
    return "at this iteration a warning needs a line as evidence"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
