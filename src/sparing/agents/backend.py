"""The interface to every coding agent: one method, one kind of call, one kind of reply.

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
    """No files at all: the turn runs in an empty folder."""
    READ_ONLY = "read-only"
    NO_SHELL = "no-shell"
    """The worktree without a shell, the writing tool with by far the longest description."""
    LEAN_SHELL = "lean-shell"
    """The worktree with a shell whose description does not say how to commit."""
    WORKTREE = "worktree"

    @property
    def writes(self) -> bool:
        return self in (Access.NO_SHELL, Access.LEAN_SHELL, Access.WORKTREE)


EVERY_MODEL = "*"
ANSWERING: Final = "answering"
"""The kind of event that a backend sends when the first token of an answer arrives."""


class AgentEvent(NamedTuple):
    """Something observed while the agent works: a file read or written, a text said."""

    kind: AgentAction | Literal["answering"]
    text: str


class ModelCall(NamedTuple):
    """One request of a turn: the tokens it added to the conversation and those it answered."""

    added: int
    output: int
    usage: Usage | None = None
    """The request's own usage, if the client reports it."""
    asked: int = 0
    """How many things it asked our own tools for, counting each entry of a list; 0 if there are
    none of ours, or if it is unknown."""


AUTOMATIC_ENDS = 1
"""Where no marks are set: as many places of a prompt count as a caller may mark elsewhere; the
rest of a request's four belong to what a client marks by itself."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    resume: bool
    fork: bool
    schema: bool
    marks: int
    """Cache marks a caller may set in one prompt."""
    context_tokens: int
    base_tokens: int
    """Tokens that the client sends before any prompt: tools and its own system text."""
    proven: bool = True
    """Whether its resume can be relied on without a check."""
    writer_tokens: int = 0
    """The same for agents that may write, if that is more."""
    no_shell_tokens: int = 0
    """The same for agents that may write but have no shell; 0 if the client can't omit it."""
    lean_shell_tokens: int = 0
    """The same with a shell that does not say how to commit; 0 if the client always says it."""
    reserve_tokens: int = 0
    """Tokens of the window that the client reserves; with less left it compacts on its own."""
    two_lives: bool = False
    """True if one request may hold cache entries of an hour and of five minutes."""
    primes: bool = False
    """True if one turn may be cached for an hour while others are cached for five minutes."""
    trims: bool = False
    """True if results of its tools pass through this program before the model sees them."""
    own_readers: bool = False
    """True if readers have our tools."""
    own_lost: frozenset[str] = frozenset()
    """Models whose readers have the client's tools nevertheless."""
    own_writers: frozenset[str] = frozenset()
    """Models whose writers have our tools."""
    own_writer_tokens: int = 0
    """Tokens sent before any prompt of writers with our tools."""
    client_tokens: int = 0
    """Tokens sent before any prompt of readers with the client's own tools, if other readers
    have ours."""

    automatic: bool = False
    """Its provider caches the beginning of every long prompt without being told where."""
    searches: bool = False
    """True if its provider can search the web for it, without network access of the client."""

    @property
    def prefix_ends(self) -> int:
        """How many beginnings of a prompt a cache may hold: at marks, or wherever it likes."""
        return self.marks or (AUTOMATIC_ENDS if self.automatic else 0)

    def client_base_of(self, *, writes: bool) -> int:
        """Tokens before any prompt with the client's own tools, as the naive run has no others."""
        reader = self.client_tokens or self.base_tokens
        return max(reader, self.writer_tokens) if writes else reader

    def base_of(self, *, writes: bool, model: str = "", access: Access = Access.WORKTREE) -> int:
        if not writes:
            return self.client_base_of(writes=False) if model in self.own_lost else self.base_tokens
        if self.own_tools(writes=True, model=model):
            return self.own_writer_tokens
        lean = {Access.NO_SHELL: self.no_shell_tokens, Access.LEAN_SHELL: self.lean_shell_tokens}
        return lean.get(access) or max(self.base_tokens, self.writer_tokens)

    def own_tools(self, *, writes: bool, model: str) -> str:
        """Which set of our tools replaces the client's; empty if none."""
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
    """Ports of this machine on which it listens for its own use."""
    state: tuple[Path, ...] = ()
    """Folders of its own that it writes to and that its commands don't see."""
    readable: tuple[Path, ...] = ()
    shell_variable: str = ""
    """The variable from which the client takes the shell to use."""
    passwd_shell: bool = False
    """True if it takes its shell from the system's list of users, not from a variable."""


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
    """How a client is started in its sandbox."""

    start: Callable[[Sequence[str], Needs], Launched]
    place: Path
    """The client's working folder as it sees it."""

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
    """A turn that exceeds this or `limit_tokens` ends with `Failure.BUDGET`."""
    resume: str = ""
    fork: bool = False
    schema: Mapping[str, Any] | None = None
    life: str = "5m"
    """How long the cache entries at the caller's marks live: `5m` or `1h`. A backend with one
    lifetime for all entries applies it to the whole turn."""
    ping: bool = False
    """True only to fill a cache: the session `resume` is read once more and left unchanged, or,
    without one, the prompt is sent and nothing is kept."""
    shown: Access | None = None
    """Whose tools are listed, if more than may be used: dispatches that share a cache entry must
    list the same ones."""
    web: bool = False
    """True if it may let its provider search the web."""
    lock: int | None = None
    """A file descriptor that the agent's processes inherit, so that they can be found."""
    launch: Launch | None = None
    """Starts the client's process in its sandbox; None only in tests without a workspace."""

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
    """Exactly what our tools have shown, in the order of the calls."""
    changed: tuple[ChangedFile, ...] = ()
    searches: int = 0
    """How many web searches the provider made, which it bills separately from tokens."""
    failure: Failure | None = None
    detail: str = field(default="")
    resets_at: float | None = None
    """When an exhausted quota is available again, in seconds since the epoch, if known."""


class TurnOutcome(NamedTuple):
    """How a turn ended."""

    failure: Failure | None
    detail: str = ""


def model_calls(
    call: AgentCall, usages: Sequence[Usage], counts: Sequence[int] = ()
) -> Iterator[ModelCall]:
    """The calls of a turn; each added what its input grew by, the first one the prompt."""
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
"""A function that sends a turn, wherever its cost is recorded."""
