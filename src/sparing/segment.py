"""A piece of a prompt: named, hashed, measured.

A prompt is a list of segments, the most stable first. Each becomes its own content block, so that
what several dispatches share can be read from a cache.

Also what must be equal for two dispatches to share a cached trunk.

A provider's cache begins before the first word of a prompt: with the client, the model, its tools,
the system prompt and the output schema. A role that differs in one of them reads nothing of what
the others wrote, however equal their prompts are.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from enum import IntEnum

from sparing.lazy_dataclass import lazy_dataclass

CHARS_PER_TOKEN = 4


_REQUIRED = "## Required Artifacts"
_REFERENCE = re.compile(r"^- [A-Z][\w ]*: (?P<path>/.+)$", re.MULTILINE)


class Volatility(IntEnum):
    """How often a segment changes; prompts are ordered by it."""

    FEATURE = 0
    """The same in all dispatches of a feature."""
    STAGE = 1
    """The same for all roles and iterations of a stage."""
    ROLE = 2
    """The same in all iterations of one role."""
    ITERATION = 3
    """New in every turn."""


@lazy_dataclass
class Segment:
    name: str
    text: str
    volatility: Volatility
    mark: bool = False
    """Whether a cache entry should end here, where the backend allows marks."""

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a segment has a name")

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def tokens(self) -> int:
        """An estimate; bills never come from it."""
        return estimate_tokens(self.text)


def estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def references_of(text: str) -> tuple[str, ...]:
    """The files that a prompt's list of required artifacts names."""
    _, _, block = text.partition(_REQUIRED)
    return tuple(match["path"].strip() for match in _REFERENCE.finditer(block))


@lazy_dataclass
class TrunkKey:
    backend: str
    version: str
    """The client's version; empty if the backend does not report it."""
    model: str
    tools: tuple[str, ...]
    system: str
    """The system prompt's text."""
    schema: str
    """The output schema as compact JSON; empty for free text."""
    life: str
    """How long a cache entry lives: `5m` or `1h`."""

    @property
    def digest(self) -> str:
        data = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()
