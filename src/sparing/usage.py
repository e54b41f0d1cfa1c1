"""Tokens of one or more model calls, in buckets that never overlap.

Clients count differently (some include cached tokens in the input, some don't): each backend
converts once, at its edge. Money is not here: a price belongs to a model and a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """How a figure came about. Every figure that is shown carries one of these words."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class Usage:
    uncached: int = 0
    """Input that was neither read from nor written to a cache."""
    read: int = 0
    """Input read from a cache."""
    write_5m: int = 0
    """Input written to a cache entry that lives five minutes."""
    write_1h: int = 0
    """Input written to a cache entry that lives one hour."""
    output: int = 0

    def __post_init__(self) -> None:
        counts = (self.uncached, self.read, self.write_5m, self.write_1h, self.output)
        if min(counts) < 0:
            pairs = zip(("uncached", "read", "write_5m", "write_1h", "output"), counts, strict=True)
            name, value = next(pair for pair in pairs if pair[1] < 0)
            raise ValueError(f"usage.{name} is {value}; a count of tokens is never negative")

    @property
    def input(self) -> int:
        return self.uncached + self.read + self.write_5m + self.write_1h

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.uncached + other.uncached,
            self.read + other.read,
            self.write_5m + other.write_5m,
            self.write_1h + other.write_1h,
            self.output + other.output,
        )
