"""Reviewers who looked in one turn, as the turns that they would have had apart.

The naive way has a turn for each of them, and none for the second where the first one failed: who
comes second judges what the first has passed. How long a look by itself is, other looks of the run
tell; what both would have opened is counted once, so that the estimate is rather too low.
"""

from __future__ import annotations

from collections.abc import Sequence

Calls = Sequence[tuple[int, int]]
"""Per model call: tokens added to the conversation, tokens answered."""


def looks_apart(calls: Calls, alone: float, counted: int) -> tuple[Calls, ...]:
    """Of a turn with so many verdicts that counted. `alone`: calls of a look by itself, 0 if there
    was none to learn from."""
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
    """With one verdict in place of both."""
    added, answered = last
    return [*begun, (added, -(-answered // 2))]
