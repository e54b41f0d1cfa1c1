"""How much is done for a feature: one word for several settings that belong together.

An effort is another set of defaults. Whatever is set in a file, a variable or on the command line
keeps its value; so a cap that you have lowered is never raised by an effort.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, cast


class Effort(StrEnum):
    LEAN = "lean"
    """Fewer rounds and turns, models of the standard class, lower caps."""
    BALANCED = "balanced"
    """The defaults."""
    THOROUGH = "thorough"
    """More rounds, the strongest models throughout, higher caps."""


class SameAs(NamedTuple):
    """The value of another setting."""

    key: str


class Without(NamedTuple):
    """All listed names except one."""

    name: str


SETTING = "flow.effort"
EFFORTS: Mapping[Effort, Mapping[str, object]] = MappingProxyType(
    {
        Effort.LEAN: {
            "review.panel": "auto",
            "review.cap": 2,
            "models.strong": SameAs("models.standard"),
            "flow.assistants": Without("test-deepener"),
            "caps.feature_usd": 20.0,
            "caps.feature_tokens": 40_000_000,
            "caps.stage_usd": 10.0,
            "caps.stage_tokens": 20_000_000,
        },
        Effort.BALANCED: {},
        Effort.THOROUGH: {
            "review.cap": 5,
            "models.standard": SameAs("models.strong"),
            "caps.feature_usd": 80.0,
            "caps.feature_tokens": 120_000_000,
            "caps.stage_usd": 40.0,
            "caps.stage_tokens": 60_000_000,
            "caps.day_usd": 160.0,
            "caps.day_tokens": 240_000_000,
        },
    }
)


def other_defaults(effort: Effort, values: Mapping[str, object]) -> dict[str, object]:
    """What an effort sets, beside what is set so far; not yet checked."""
    found: dict[str, object] = {}
    for key, wanted in EFFORTS[effort].items():
        if key not in values:
            continue
        match wanted:
            case SameAs(other):
                found[key] = values[other]
            case Without(name):
                known = cast("tuple[str, ...]", values[key])
                found[key] = [one for one in known if one != name]
            case _:
                found[key] = wanted
    return found
