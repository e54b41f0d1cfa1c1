"""Time as the double counts it: no second passes unless somebody says so.

Every event takes a tick, so that what came earlier also has the earlier time. A client may say
how late it is; the clock then goes there, and never back.
"""

from __future__ import annotations

TICK_SECONDS = 0.001


class DoubleClock:
    def __init__(self) -> None:
        self.now = 0.0

    def tick(self, at_least: float = 0.0) -> float:
        """The time of the next event."""
        self.now = at_least if at_least > self.now else self.now + TICK_SECONDS
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
