"""What a run came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bench.economy.agent import Call
from sparing.usage import Usage


@dataclass(slots=True)
class Ledger:
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    pings: int = 0
    primers: int = 0
    choices: Counter[str] = field(default_factory=Counter[str])
    missing: int = 0
    """Lines that some agent could not know: anything but 0 makes the run void."""
    predicted: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """Of each dispatch: what was expected and what it came to, in the unit of the rates."""
    by_role: dict[str, float] = field(default_factory=dict[str, float])
    """What each errand of each role came to, in the unit of the rates."""
    sent: list[tuple[Call, Usage]] = field(default_factory=list[tuple[Call, Usage]])
    """Every call with its bill, if they are kept."""
    keep: bool = False

    def add(self, call: Call, usage: Usage) -> None:
        self.usage += usage
        self.calls += 1
        if self.keep:
            self.sent.append((call, usage))

    def spent(self, role: str, cost: float) -> None:
        self.by_role[role] = self.by_role.get(role, 0.0) + cost
