"""Reviewers who shared one turn, as the separate turns they would otherwise have had.

Naively each has its own turn, and the second has none if the first one failed: it judges what the
first has passed. The length of a separate review is taken from other reviews of the run; what both
would have opened is counted once, so the estimate is rather too low.
"""

from __future__ import annotations

from collections.abc import Sequence

Calls = Sequence[tuple[int, int]]
"""Per model call: tokens added to the conversation, and output tokens."""


def looks_apart(calls: Calls, alone: float, counted: int) -> tuple[Calls, ...]:
    """The calls of each separate review; `counted` verdicts of the shared turn counted. `alone`
    is the usual number of calls of a separate review, 0 if unknown."""
    if not calls:
        return ()
    many = len(calls)
    share = round(alone) if alone else -(-(many + 1) // 2)
    size = max(1, min(many, share))
    first = _ended(calls[: size - 1], calls[-1])
    if counted < 2:
        return (first,)
    begun = [] if size == 1 else [calls[0], *calls[many - size + 1 : -1]]
    return first, _ended(begun, calls[-1])


def _ended(begun: Calls, last: tuple[int, int]) -> Calls:
    """The calls, ending in one verdict instead of two."""
    added, answered = last
    return [*begun, (added, -(-answered // 2))]
