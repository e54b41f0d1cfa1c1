"""What the original workflow required of its review loops and expected of them, as figures.

Its three requirements and its alarms compare characters; beside them is what was billed for the
same work, since characters say little about money.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from sparing.desk.money.turns import Turns, fallbacks, is_resume, resumes
from sparing.economy.choose import MATRIX
from sparing.economy.predict import DeltaState, too_long
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.percent import percent
from sparing.report.figures import Figure
from sparing.report.spending import Spending, dollars, tokens, total

FEATURES = 3
"""Number of features needed for advice."""
HALF = 0.5
FIFTH = 0.2
MEASURED, SIMULATED, ESTIMATED = "measured", "simulated", "estimated"
NOT_RESUMED = "nothing was resumed"
NO_DELTA = "no delta was sent"
ALL_FRESH = "each turn with its role's latest fresh prompt"
GUARDED = frozenset(row.scenario for row in MATRIX if row.delta is DeltaState.TOO_LONG)
DOCUMENT_STAGES = frozenset(
    stage.name
    for flow in FLOWS.values()
    for stage in flow.stages
    if stage.work is StageWork.DOCUMENT
)


class RunMarks(NamedTuple):
    """Counts of what was marked during the runs."""

    unread: int = 0
    fell_back: int = 0


class Loops(NamedTuple):
    resumed: tuple[Turns, ...]
    all: int

    @classmethod
    def of(cls, turns: Sequence[Turns]) -> Loops:
        found = [one for one in turns if one.is_loop]
        return cls(tuple(one for one in found if any(map(is_resume, one.rows))), len(found))

    @property
    def words(self) -> str:
        """The loops that a figure covers."""
        return f"loops that resumed: {len(self.resumed)} of {self.all}"


def asked_figures(turns: Sequence[Turns], told: RunMarks, spent: Spending) -> tuple[Figure, ...]:
    """NFR1-3 and the alarms, with the bill of the loops they are about."""
    loops = Loops.of(turns)
    return (
        _shorter(turns),
        _fallbacks(turns, told),
        _characters(loops, _none_compared(turns)),
        _billed(loops, spent, _none_compared(turns)),
        _guard(turns),
        _unread(turns, told),
    )


def _shorter(turns: Sequence[Turns]) -> Figure:
    found = [shorter for one in turns for shorter in one.shorter]
    said = f"{sum(found)} of {len(found)}" if found else _none_compared(turns)
    value, holds = (sum(found) / len(found), all(found)) if found else (None, None)
    name = "resumed prompts shorter than the fresh one before"
    return Figure(name, value, said, MEASURED, "asked for: all, in characters", holds)


def _none_compared(turns: Sequence[Turns]) -> str:
    """Why no resume can be compared: in a shared session, a stage may have no fresh turn."""
    count = len(resumes(turns))
    if not count:
        return NOT_RESUMED
    has = "resume has" if count == 1 else "resumes have"
    return f"{count} {has} no fresh prompt of the same role and stage to compare with"


def _fallbacks(turns: Sequence[Turns], told: RunMarks) -> Figure:
    """Failed resumes: those that a turn was spent on, or those ruled out before."""
    failed = max(len(fallbacks(turns)), told.fell_back)
    tried = max(len(resumes(turns)), failed)
    share = failed / tried if tried else None
    said = f"{failed} of {tried} resumes" if tried else NOT_RESUMED
    holds = None if share is None else share <= FIFTH
    name = "resumes that fell back to fresh"
    return Figure(name, share, said, MEASURED, "alarm: above 20 % of resumes", holds)


def _characters(loops: Loops, none: str) -> Figure:
    """As the original has it: over five iterations, by the sizes of the prompts that were sent;
    `none` says why there is no loop to count."""
    looped = loops.resumed
    sent = sum(sum(one.chars) for one in looped)
    fresh = sum(sum(one.fresh_chars) for one in looped)
    five = sum(one.five[0] for one in looped)
    share = five / sum(one.five[1] for one in looped) if fresh else None
    said = none
    if share is not None:
        said = f"{percent(share)} over five iterations, {percent(sent / fresh)} over those that ran"
    against = f"asked for: below 50 % of all-fresh, that is {ALL_FRESH}"
    if looped:
        against = f"{loops.words}; {against}"
    holds = None if share is None else share < HALF
    return Figure("characters of loops", share, said, ESTIMATED, against, holds)


def _billed(loops: Loops, spent: Spending, none: str) -> Figure:
    resumed = {(one.stage, one.role) for one in loops.resumed}
    rows = [row for row in spent.rows if (row.stage, row.role) in resumed]
    cost, naive = total([row.cost_usd for row in rows]), total([row.naive_usd for row in rows])
    name = "billed for the same loops"
    if not rows:
        return Figure(name, None, none, spent.origin)
    said = f"{dollars(cost)} against {dollars(naive)} with naive prompting{_less(cost, naive)}"
    against = f"{loops.words}; {spent.baseline.words} ({spent.naive_origin})"
    return Figure(name, _ratio(cost, naive), said, spent.origin, against)


def _guard(turns: Sequence[Turns]) -> Figure:
    tried, tripped = guard_counts(turns)
    share = tripped / tried if tried else None
    said = f"{tripped} of {tried} at documents" if tried else NO_DELTA
    name = "deltas over half of the fresh prompt"
    return Figure(name, share, said, MEASURED, "alarm: above 50 % of them", _within(share, HALF))


def guard_counts(turns: Iterable[Turns]) -> tuple[int, int]:
    """Deltas for repeated document reviews, sent or held back for their size; and how many of
    them the size guard stops, or would stop under `seed`."""
    tried = tripped = 0
    for one in turns:
        if one.stage not in DOCUMENT_STAGES:
            continue
        for row, fresh in zip(one.rows[1:], one.fresh_chars[1:], strict=True):
            held = row.attempt.reason in GUARDED
            tried += held or is_resume(row)
            tripped += held or (is_resume(row) and too_long(row.attempt.prompt_chars, fresh))
    return tried, tripped


def _unread(turns: Sequence[Turns], told: RunMarks) -> Figure:
    sent = len({row.attempt.dispatch for one in turns for row in one.rows})
    share = told.unread / sent if sent else None
    said = f"{told.unread} of {sent} dispatches" if sent else "nothing was sent"
    name = "files named and not seen to be read"
    against = "alarm: above 20 % of dispatches"
    return Figure(name, share, said, MEASURED, against, _within(share, FIFTH))


def claim_figures(
    turns: Sequence[Turns], repeated: float | None, count: int, spent: Spending
) -> tuple[Figure, ...]:
    """What the original expected, compared with the actual results."""
    rows = [row for one in turns for row in one.rows]
    sessions = len({row.result.session for row in rows if row.result and row.result.session})
    sent = sum(one.sent_tokens for one in turns)
    full = sum(one.full_tokens for one in turns)
    each = sent // count if count else 0
    saved = 1 - sent / full if full else None
    cost, naive = spent.cost_usd, spent.naive_usd
    return (
        Figure("sessions", sessions, str(sessions), MEASURED),
        Figure(
            "prompt tokens of a feature", each, tokens(each), ESTIMATED, "expected: 45k to 80k"
        ),
        Figure(
            "of these sent before, word for word", repeated, percent(repeated) or "unknown",
            ESTIMATED, "expected: 40 to 50 % of prompt tokens",
        ),
        Figure(
            "prompts against full injection", saved, _said(saved), ESTIMATED,
            "expected: 25 to 40 % less; full injection: the role and every document, every turn",
        ),
        Figure(
            "cost against naive", _ratio(cost, naive), _less(cost, naive)[2:] or "unknown",
            f"{spent.origin} against {spent.naive_origin}", "expected: 50 to 70 % less",
        ),
    )  # fmt: skip


def advice(turns: Sequence[Turns], told: RunMarks) -> tuple[str, ...]:
    """What the alarms advise; meant to be called once there are enough features."""
    said: list[str] = []
    if _fallbacks(turns, told).holds is False:
        said.append("more than 20 % of resumes failed: set review.policy to fresh")
    if _guard(turns).holds is False:
        said.append("more than half of the deltas are long: set review.policy to adaptive")
    if _unread(turns, told).holds is False:
        said.append("more than 20 % of named files were not read: have them sent inline")
    return tuple(said)


def _within(share: float | None, limit: float) -> bool | None:
    return None if share is None else share <= limit


def _said(saved: float | None) -> str:
    if saved is None:
        return "unknown"
    part = round(100 * saved)
    return f"{abs(part)} % {'less' if part > 0 else 'more'}" if part else "about the same"


def _ratio(cost: Decimal | None, naive: Decimal | None) -> float | None:
    return None if cost is None or not naive else float(cost / naive)


def _less(cost: Decimal | None, naive: Decimal | None) -> str:
    ratio = _ratio(cost, naive)
    return "" if ratio is None else f", {_said(1 - ratio)}"
