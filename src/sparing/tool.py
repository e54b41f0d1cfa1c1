"""Tools that this program answers itself: their definitions and results.

A client only relays calls to us and our answers to its model. So what was opened and what was
changed is known exactly, line by line, and nothing reaches the model unredacted.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from sparing.codec import JsonObject
from sparing.lazy_dataclass import lazy_dataclass

NUMBERED_LINES = 1.07
"""Tokens of a file from a client's tools, which number every line, for each from ours, which number
one in five: 1.067 for this project's own code, measured; 1.08 for the benchmark's short lines."""


class ToolMode(StrEnum):
    """Whose tools agents work with."""

    AUTO = "auto"
    """Ours for readers; for writers too, once this client and model passed the tool check."""
    CLIENT = "client"
    """The client's own, for all agents."""
    LOOK = "look"
    """Ours for readers, the client's for writers."""
    OWN = "own"
    """Ours for all agents."""


class ToolSpec(NamedTuple):
    name: str
    words: str
    """The description that a model gets."""
    schema: JsonObject
    """The JSON schema of its arguments."""


@lazy_dataclass
class OpenedLines:
    """Lines of a file that were shown to a model."""

    path: str
    first: int
    last: int
    digest: str
    """Digest of the whole file's bytes at that moment."""


@lazy_dataclass
class ChangedFile:
    path: str
    before: str
    """Digest of its bytes; empty if the file did not exist."""
    after: str


@lazy_dataclass
class ToolResult:
    text: str
    failed: bool = False
    opened: tuple[OpenedLines, ...] = ()
    known: tuple[str, ...] = ()
    """Paths that were requested but not shown, because they are already in the context."""
    changed: tuple[ChangedFile, ...] = ()
    refused: tuple[str, ...] = ()
    """Paths that were requested but are off limits."""
    command: str = ""
    """The command that was run."""


class OwnTools(Protocol):
    """The tools of one turn. `answer` blocks, and may be called from several threads at once."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]: ...

    def begin(self, session: str) -> None:
        """Start a turn in this session or a fork of it; empty for a new one."""
        ...

    def answer(self, name: str, given: JsonObject) -> ToolResult: ...

    def forget(self) -> None:
        """Forget what was shown, as the context was compacted."""
        ...

    def keep(self, session: str) -> None:
        """Remember what was shown, after a successful turn: the session holds it now."""
        ...

    def end(self) -> None:
        """Stop whatever still runs."""
        ...
