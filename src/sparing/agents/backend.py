"""The seam to every coding agent: one method, one kind of call, one kind of reply.

A backend converts its client's usage into our buckets once, here at the edge, and turns every
failure into a word of a closed set: a failed turn is data for the engine, never an exception.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, runtime_checkable

from sparing.failure import Failure
from sparing.segment import Segment
from sparing.tool import ChangedFile, OpenedLines
from sparing.turn_event import AgentAction
from sparing.usage import Origin, Usage


class Access(StrEnum):
    NOTHING = "nothing"
    """No file at all: the turn is in an empty folder."""
    READ_ONLY = "read-only"
    NO_SHELL = "no-shell"
    """The worktree, without a shell: of tools that write, it has by far the longest description."""
    WORKTREE = "worktree"

    @property
    def writes(self) -> bool:
        return self in (Access.NO_SHELL, Access.WORKTREE)


EVERY_MODEL = "*"
ANSWERING: Final = "answering"
"""The kind of the event that a backend sends when the first token of an answer is there."""


class AgentEvent(NamedTuple):
    """Something seen while the agent works: a file read or written, a word said."""

    kind: AgentAction | Literal["answering"]
    text: str


class ModelCall(NamedTuple):
    """One request of a turn: what it added to the conversation and what it answered."""

    added: int
    output: int
    usage: Usage | None = None
    """The call's own bill, where the client tells it."""
    asked: int = 0
    """Things that it asked our own tools for, each entry of a list counted; 0 where there are none
    of ours, or nobody counted."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    resume: bool
    fork: bool
    schema: bool
    marks: int
    """Cache marks a caller may set in one prompt."""
    context_tokens: int
    base_tokens: int
    """What the client sends before any prompt: tools and its own system text."""
    proven: bool = True
    """Whether its resume can be relied on unchecked."""
    writer_tokens: int = 0
    """The same for whoever may write, where that is more."""
    no_shell_tokens: int = 0
    """The same for whoever may write and has no shell; 0: writers can't be told apart."""
    reserve_tokens: int = 0
    """Of the window: what the client keeps for itself. With less left it compacts by itself."""
    two_lives: bool = False
    """One request may hold entries of an hour and of five minutes."""
    primes: bool = False
    """One turn may be kept for an hour while others are kept for five minutes."""
    trims: bool = False
    """Results of its tools pass through this program before the model sees them."""
    own_readers: bool = False
    """Readers have tools of ours."""
    own_lost: frozenset[str] = frozenset()
    """Models whose readers have the client's all the same."""
    own_writers: frozenset[str] = frozenset()
    """Models whose writers have tools of ours."""
    own_writer_tokens: int = 0
    """What is sent before any prompt of theirs."""
    client_tokens: int = 0
    """What readers with the client's own tools are sent before any prompt, where others have
    ours."""

    searches: bool = False
    """Its provider can search the web for it, without a way out for the client itself."""

    def client_base_of(self, *, writes: bool) -> int:
        """With the client's own tools, whoever has which: the naive way has no others."""
        reader = self.client_tokens or self.base_tokens
        return max(reader, self.writer_tokens) if writes else reader

    def base_of(self, *, writes: bool, model: str = "", shell: bool = True) -> int:
        if not writes:
            return self.client_base_of(writes=False) if model in self.own_lost else self.base_tokens
        if self.own_tools(writes=True, model=model):
            return self.own_writer_tokens
        return max(self.base_tokens, self.writer_tokens) if shell else self.no_shell_tokens

    def own_tools(self, *, writes: bool, model: str) -> str:
        """Which set of ours stands in place of the client's; empty: none."""
        if not writes:
            return "look" if self.own_readers and model not in self.own_lost else ""
        return "" if self.own_writers.isdisjoint({model, EVERY_MODEL}) else "own"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a client must be given to start at all; everything else is held back."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: frozenset[str] = frozenset()
    """Names in `environment` that the commands it runs must not know."""
    ports: frozenset[int] = frozenset()
    listens: frozenset[int] = frozenset()
    """Ports of this machine that it serves for itself."""
    state: tuple[Path, ...] = ()
    """Folders of its own that it writes and that its commands do not see."""
    readable: tuple[Path, ...] = ()
    shell_variable: str = ""
    """Where the client looks for the shell to use."""
    passwd_shell: bool = False
    """It looks for it in the system's list of users, and not in a variable."""


class Launched(Protocol):
    """A sandboxed command line, prepared but not started."""

    @property
    def argv(self) -> tuple[str, ...]: ...

    @property
    def env(self) -> dict[str, str]: ...

    @property
    def pass_fds(self) -> tuple[int, ...]: ...

    @property
    def program(self) -> Path: ...

    def end(self) -> None: ...

    def cleanup(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client is put in its sandbox."""

    start: Callable[[Sequence[str], Needs], Launched]
    place: Path
    """Where the client finds the folder that it works in."""

    def __call__(self, argv: Sequence[str], needs: Needs) -> Launched:
        return self.start(argv, needs)


@dataclass(frozen=True, slots=True)
class AgentCall:
    id: str
    role: str
    stage: str
    iteration: int
    task: str
    system: str
    prompt: tuple[Segment, ...]
    cwd: Path
    folder: str
    """The feature's folder, relative to `cwd`."""
    access: Access
    model: str
    at: float
    """When the turn starts, by the engine's clock."""
    limit_seconds: float
    limit_tokens: int | None = None
    limit_usd: float | None = None
    """A turn that goes beyond either ends with `Failure.BUDGET`."""
    resume: str = ""
    fork: bool = False
    schema: Mapping[str, Any] | None = None
    life: str = "5m"
    """How long what the caller's marks end lives in the cache: `5m` or `1h`. A backend that has
    one life for all entries gives it to the whole turn."""
    ping: bool = False
    """Only to fill a cache: the session `resume` is read once more and left as it was, or, without
    one, the prompt is sent and nothing of it is kept."""
    shown: Access | None = None
    """Whose tools are listed, where that is more than may be used: dispatches that share a cache
    entry must list the same ones."""
    web: bool = False
    """It may let its provider search the web."""
    lock: int | None = None
    """A file descriptor that the agent's processes inherit, so that they can be found."""
    launch: Launch | None = None
    """Puts the client's process in its sandbox; None only where a test has no workspace."""

    @property
    def seen(self) -> Path:
        """`cwd` as the client names it."""
        return (self.launch.place if self.launch else self.cwd).resolve()


@dataclass(frozen=True, slots=True)
class AgentReply:
    text: str
    session: str
    usage: Usage
    origin: Origin
    context_tokens: int
    seconds: float
    calls: tuple[ModelCall, ...] = ()
    files_read: tuple[str, ...] = ()
    files_written: tuple[str, ...] = ()
    opened: tuple[OpenedLines, ...] = ()
    """Exactly what tools of ours have shown, in the order of the calls."""
    changed: tuple[ChangedFile, ...] = ()
    searches: int = 0
    """How often the provider was asked to search the web, which it bills beside tokens."""
    failure: Failure | None = None
    detail: str = field(default="")
    resets_at: float | None = None
    """When a used-up quota is there again, in seconds since the epoch, where the client tells."""


class TurnOutcome(NamedTuple):
    """How a turn ended."""

    failure: Failure | None
    detail: str = ""


def model_calls(
    call: AgentCall, usages: Sequence[Usage], counts: Sequence[int] = ()
) -> Iterator[ModelCall]:
    """What a call added is the growth of what was sent; of the first one it is the prompt."""
    prompt = sum(segment.tokens for segment in call.prompt)
    before: int | None = None
    for usage, asked in zip(usages, counts or [0] * len(usages), strict=True):
        added = min(prompt, usage.input) if before is None else max(0, usage.input - before)
        yield ModelCall(added, usage.output, usage, asked)
        before = usage.input


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply: ...


@runtime_checkable
class KeepsBooks(Protocol):
    """A backend that can tell later what a turn has used, also one that was killed."""

    def spent(self, call: str) -> Usage: ...


Run = Callable[[AgentCall, Callable[[AgentEvent], None]], Awaitable[AgentReply]]
"""How a turn is sent, wherever its bill is kept."""
