"""The shortest prefix that a provider's prompt cache keeps, by model."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

STRICTEST_MINIMUM = 4096
MINIMUM_TOKENS: Mapping[str, int] = MappingProxyType(
    {
        "claude-fable-5": 512,
        "claude-opus-5": 512,
        "claude-opus-4-8": 1024,
        "claude-opus-4-7": 2048,
        "claude-opus-4-6": 4096,
        "claude-opus-4-5": 4096,
        "claude-sonnet-5": 1024,
        "claude-sonnet-4": 1024,
        "claude-haiku-4-5": 4096,
        "": STRICTEST_MINIMUM,
    }
)
"""The shortest prefix that is cached, by the longest matching start of the model's name."""


def minimum_of(model: str, minimums: Mapping[str, int] = MINIMUM_TOKENS) -> int:
    """The minimum of the longest matching name; the strictest if none matches."""
    names = [name for name in minimums if model.startswith(name)]
    return minimums[max(names, key=len)] if names else STRICTEST_MINIMUM
