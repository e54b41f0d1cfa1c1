"""Tools that this program answers itself: what is offered, what came of a call.

A client only carries a call to us and our answer to its model. So what was opened and what was
changed is known exactly, line by line, and nothing reaches the model before it was redacted.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from sparing.codec import JsonObject
from sparing.lazy_dataclass import lazy_dataclass


class ToolMode(StrEnum):
    """Whose tools agents work with."""

    AUTO = "auto"
    """Ours for readers; for writers too, once this client and model passed the tool check."""
    CLIENT = "client"
    """The client's own, for everybody."""
    LOOK = "look"
    """Ours for readers, the client's for writers."""
    OWN = "own"
    """Ours for everybody."""


class ToolSpec(NamedTuple):
    name: str
    words: str
    """What a model is told of it."""
    schema: JsonObject
    """Of its arguments."""


@lazy_dataclass
class OpenedLines:
    """Lines of a file that were shown to a model."""

    path: str
    first: int
    last: int
    digest: str
    """Of the whole file's bytes at that moment."""


@lazy_dataclass
class ChangedFile:
    path: str
    before: str
    """Digest of its bytes; empty for a file that was not there."""
    after: str


@lazy_dataclass
class ToolResult:
    text: str
    failed: bool = False
    opened: tuple[OpenedLines, ...] = ()
    known: tuple[str, ...] = ()
    """Paths that were asked for and not shown, because they are in the context already."""
    changed: tuple[ChangedFile, ...] = ()
    refused: tuple[str, ...] = ()
    """Paths that it wanted and that are not for it."""
    command: str = ""
    """What was run."""


class OwnTools(Protocol):
    """The tools of one turn. `answer` blocks, and may be called from several threads at once."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]: ...

    def begin(self, session: str) -> None:
        """The turn goes on in this session, or in a fork of it; empty: in a new one."""
        ...

    def answer(self, name: str, given: JsonObject) -> ToolResult: ...

    def forget(self) -> None:
        """The context has shrunk: nothing can be taken for known any more."""
        ...

    def keep(self, session: str) -> None:
        """The turn has ended well, and the session holds all that was shown."""
        ...

    def end(self) -> None:
        """Stop whatever still runs."""
        ...
