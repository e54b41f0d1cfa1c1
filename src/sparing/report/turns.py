"""A run turn by turn: the data for charts, and for programs."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class ReportedTurn:
    started: float
    seconds: float
    feature: str
    stage: str
    role: str
    iteration: int
    task: str
    way: str
    model: str
    usage: Usage | None
    """None if its end was not seen."""
    origin: str
    cost_usd: float | None
    naive_usd: float | None
    """Cost of the same turn sent the naive way; simulated."""
    predicted_usd: float | None
    """Predicted cost of the way it was sent; estimated."""

    def dump(self) -> JsonObject:
        used = self.usage
        return {
            "started": self.started,
            "seconds": round(self.seconds, 3),
            "feature": self.feature,
            "stage": self.stage,
            "role": self.role,
            "iteration": self.iteration,
            "task": self.task,
            "way": self.way,
            "model": self.model,
            "tokens": None if used is None else _buckets(used),
            "origin": self.origin,
            "cost_usd": self.cost_usd,
            "naive_usd": self.naive_usd,
            "predicted_usd": self.predicted_usd,
        }


def _buckets(used: Usage) -> dict[str, int]:
    return {
        "uncached": used.uncached,
        "read": used.read,
        "write_5m": used.write_5m,
        "write_1h": used.write_1h,
        "output": used.output,
    }
