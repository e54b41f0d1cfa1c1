"""A line about an event, before it is rendered."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class LineTone(StrEnum):
    PLAIN = ""
    GOOD = "good"
    BAD = "bad"
    CARE = "care"
    PERSON = "person"
    """Something is asked of a person, or was said by one."""


class LineKind(StrEnum):
    LINE = "line"
    STAGE = "stage"
    """A stage begins."""
    END = "end"
    """The feature is over."""
    AFTER = "after"
    """Belongs to the line before it."""
    AGENT = "agent"
    """What an agent does while it works, of minor interest."""


class EventLine(NamedTuple):
    mark: str = ""
    tone: LineTone = LineTone.PLAIN
    words: str = ""
    said: str = ""
    """Full text of what a person, a model or a program said; a terminal shows only the start."""
    aside: str = ""
    """Shown dimmed after the words."""
    quiet: bool = False
    kind: LineKind = LineKind.LINE
    commands: tuple[str, ...] = ()
    """What to type next."""
