"""Context recall: whether an agent can know all that it must.

A saving that hides a line from a reviewer is no saving. What a role must know is in the prompt,
in the transcript that is resumed, or named by a reference; what is in none of them is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import NamedTuple

from sparing.segment import Segment


class Need(NamedTuple):
    """An artifact or file and what of it has to be known."""

    name: str
    """As a reference would name it."""
    lines: tuple[str, ...]
    """As they are sent: a removed line with its sign. Blank lines say nothing."""


class Missing(NamedTuple):
    name: str
    line: str


def digests(texts: Iterable[str]) -> frozenset[str]:
    """What is known from these texts, line by line. An added line of a diff is known with and
    without its sign, a removed one only as removed."""
    found: set[str] = set()
    for text in texts:
        for line in text.splitlines():
            found.add(_digest(line))
            if line[:1] in ("+", " "):
                found.add(_digest(line[1:]))
    return frozenset(found)


def recall(
    prompt: Iterable[Segment],
    transcript: Collection[str],
    references: Collection[str],
    required: Iterable[Need],
) -> tuple[Missing, ...]:
    """Lines that the agent could not know. `transcript` holds the `digests` of all that its
    session was told or has read; empty for a fresh one."""
    known = digests(segment.text for segment in prompt)
    return tuple(
        Missing(need.name, line)
        for need in required
        if need.name not in references
        for line in need.lines
        if line.strip() and (found := _digest(line)) not in known and found not in transcript
    )


def _digest(line: str) -> str:
    return hashlib.sha256(line.rstrip().encode("utf-8", "surrogatepass")).hexdigest()
