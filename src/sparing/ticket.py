"""Who asks: names a dispatch and says when it starts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ticket:
    id: str
    feature: str
    at: float
    after: str = ""
    """The sibling that has to begin first."""
    again: bool = False
    """Asked before, by a leg that could not be replayed: what is paid for is not asked again."""

    @property
    def step(self) -> str:
        """The id without the repository's key: equal wherever the repository lies."""
        return self.id.removeprefix(f"{self.feature}.")

    @property
    def leg(self) -> int:
        """The leg's number, which a new generation keeps."""
        return int(self.step.split(".")[1])

    @property
    def leg_id(self) -> str:
        generation, leg = self.step.split(".")[:2]
        return f"{self.feature}.{generation}.{leg}."
