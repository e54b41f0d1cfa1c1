"""A prompt as it is prepared, and what the ledger keeps of it once it is sent.

A prepared prompt says which way it goes, in which order, and where its text lies. The record of it
in the ledger, its column `sent`, holds digests and sizes, never a word: a cache, what is learned
from turns, and the proof of what was saved need no more. Every release has added to it, so a field
that is None was not written down, which is not the same as empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from sparing.codec import Sparse, stored_as
from sparing.lazy_dataclass import lazy_dataclass
from sparing.way import Order, Way

CACHE_LIFE = "5m"
IN_MONEY = "usd per million"
"""The unit of predicted costs where prices are known."""
IN_TOKENS = "input tokens"
"""And where they are not: multiples of the price of an input token."""
Number = int | float
SentBlock = tuple[str, int, str]
"""Of a prompt, for caches: digest, tokens, and how long what its mark ends is kept; empty if it
has no mark."""
NamedBlock = tuple[str, int, str, str]
"""Of a prompt, for a replay: the first letters of its digest, tokens, mark, name of the segment."""


@lazy_dataclass
class PredictedWay(Sparse):
    """What a way was expected to take; or only why it could not be taken."""

    cost: Number | None = None
    """In the unit of the record."""
    tokens: tuple[Number, ...] | None = None
    """In the buckets of `Usage`."""
    calls: Number | None = None
    context: Number | None = None
    """Tokens of the first call."""
    cached: Number | None = None
    """Of these: expected to be read."""
    why_not: str | None = None


@lazy_dataclass
class WayPrompt(Sparse):
    """What would have been sent one way."""

    blocks: tuple[NamedBlock, ...] = ()
    base: tuple[str, int] | None = None
    """Digest and tokens of what comes before it, where that is not what all ways share."""
    reads: tuple[int, int] | None = None
    """Tokens and number of files that are only named and have to be opened."""


@lazy_dataclass
class SeedWays(Sparse):
    """What the original workflow would have sent."""

    fresh: tuple[NamedBlock, ...] = ()
    """Documents by path."""
    fresh_chars: int = 0
    reads: tuple[int, int] = (0, 0)
    full: tuple[NamedBlock, ...] = ()
    """Documents in full."""
    delta: tuple[NamedBlock, ...] | None = None
    """Into the role's session, where its table would resume."""
    delta_chars: int | None = None


@lazy_dataclass
class OtherPrompts(Sparse):
    """What else could have been sent, so that a report can replay the run."""

    ways: Mapping[str, WayPrompt] | None = None
    """In the order of this run; the way that was taken is one of them."""
    seed: SeedWays | None = None
    base: str | None = None
    """Digest of what a client really sends before the prompt."""


@lazy_dataclass
class SentRecord(Sparse):
    base: int | None = None
    """Tokens of what comes before the prompt."""
    tools: tuple[str, int] | None = None
    """Of that: digest and tokens of the tools."""
    blocks: tuple[SentBlock, ...] | None = None
    """Of a resumed turn those that opened the session."""
    resumed: bool | None = None
    primes: str | None = None
    """Whose trunk is sent ahead; of a primer."""
    transcript: int | None = None
    """Tokens of the session that was resumed."""
    warm: bool | None = None
    """A cache was expected to hold the transcript."""
    template: str | None = None
    predicted: Mapping[str, PredictedWay] | None = None
    unit: str | None = None
    """`IN_MONEY` or `IN_TOKENS`."""
    needed: int | None = None
    """Lines that the role had to know."""
    missing: tuple[str, ...] | None = None
    """The first of those that no prompt held."""
    others: OtherPrompts | None = field(default=None, metadata=stored_as("beside"))
    group: str | None = None
    """Who shares a trunk with it."""
    access: str | None = None
    """Whose tools it has."""
    noted: bool | None = None
    """With notes of an earlier session. Older rows do not tell."""
    mapped: bool | None = None
    """With a map of the code."""
    handed: bool | None = None
    """With a handoff."""
    chained: bool | None = None
    """Goes on in the session of the task before."""
    mixed: bool | None = None
    """In the session that the stages of a tier share, by the original workflow's rules."""
    given: tuple[str, ...] | None = None
    """Files that were preloaded."""
    own: str | None = None
    """Which of Sparing's own tools it has."""
    sheet: str | None = None
    """Whether it shows the fact sheet; empty if none covers its files."""
    covered: tuple[str, ...] | None = None
    """Files that the sheet covers."""
    levers: tuple[str, ...] | None = None
    off: Mapping[str, str] | None = None
    """Levers it went without, and why."""
    system: str | None = None
    """Hash of the system prompt, where it is not the one that roles of a class share."""
    agent: str | None = None
    """Why this backend has the turn."""
    kept_group: str | None = field(default=None, metadata=stored_as("kept group"))
    """Of a call that keeps a session warm: whose trunk it begins with."""

    def __bool__(self) -> bool:
        """Whether anything was written down."""
        return self != SentRecord()

    @property
    def text(self) -> str:
        """As the ledger stores it."""
        return json.dumps(self.dump())

    @classmethod
    def of_text(cls, text: str, *only: str) -> Self:
        """As the ledger has it; of many rows `only` some fields, by stored name. What can't be read
        is as if it were not there: one odd row must not hide the others."""
        found: object = json.loads(text)
        if not isinstance(found, dict):
            return cls()
        value = cast("dict[str, object]", found)
        value = {name: value[name] for name in only if name in value} if only else value
        try:
            return cls.load(value)
        except ValueError:
            return cls.load({name: one for name, one in value.items() if cls._reads(name, one)})

    @classmethod
    def _reads(cls, name: str, value: object) -> bool:
        try:
            cls.load({name: value})
        except ValueError:
            return False
        return True

    @property
    def ways(self) -> Mapping[str, WayPrompt]:
        return (self.others.ways if self.others else None) or {}


@dataclass(frozen=True, slots=True)
class SentAhead:
    """What is sent before a prompt, to be kept for an hour: its first segments."""

    segments: int
    """How many of the prompt's."""
    group: str
    """Who shares it."""
    blocks: tuple[tuple[str, int], ...]
    """Digest and tokens of each."""
    reason: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A prepared prompt. The text itself lies in the state folder."""

    prompt: str
    chars: int
    way: Way
    reason: str
    resume: str
    model: str
    naive: dict[str, Any]
    order: Order = Order.NESTED
    trunk: str = ""
    """Digest of what must be equal for another dispatch to share this one's trunk."""
    reads: tuple[str, ...] = ()
    """Files that were sent by reference."""
    warnings: tuple[str, ...] = ()
    choice: SentRecord = field(default_factory=SentRecord)
    """What the ledger keeps of it."""
    life: str = CACHE_LIFE
    """Of what the prompt's mark ends."""
    system: str = ""
    """Hash of the system prompt, where it is not the one that roles of a class share."""
    ahead: SentAhead | None = None
    backend: str = ""
    """Who it was prepared for; empty: the feature's own."""

    @property
    def going_on(self) -> SentRecord:
        """Of a turn that follows at once in the same session."""
        return (
            replace(self.choice, resumed=True, warm=False, predicted={}, others=OtherPrompts())
            if self.choice
            else self.choice
        )


@dataclass(frozen=True, slots=True)
class NotSent:
    """A prompt that could not be prepared, and what a person can do about it."""

    failure: str
    detail: str
