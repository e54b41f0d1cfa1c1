"""A prepared prompt, and what the ledger records of it once it is sent.

A prepared prompt has the way to send it, its order, and where its text is stored. The record of it
in the ledger, its column `sent`, holds digests and sizes, never text: a cache, what is learned from
turns, and the proof of savings need no more. Every release has added to it, so a field that is None
was not recorded, which is not the same as empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, cast

from sparing.codec import Sparse, stored_as
from sparing.dispatch_policy import Order, Way
from sparing.lazy_dataclass import lazy_dataclass

CACHE_LIFE = "5m"
REPAIR = "repair_reply"
"""The template of a turn in which a reply is corrected."""
IN_MONEY = "usd per million"
"""The unit of predicted costs if prices are known."""
IN_TOKENS = "input tokens"
"""The unit if they are not: multiples of the price of an input token."""
Number = int | float
SentBlock = tuple[str, int, str]
"""A block of a prompt, for caches: digest, tokens, and the lifetime of the cache entry its mark
ends; empty if it has no mark."""
NamedBlock = tuple[str, int, str, str]
"""A block of a prompt, for a replay: the start of its digest, tokens, mark, segment name."""


@lazy_dataclass
class PredictedWay(Sparse):
    """The predicted cost of a way to send it, or only why it was not possible."""

    cost: Number | None = None
    """The cost, in the unit of the record."""
    tokens: tuple[Number, ...] | None = None
    """Tokens, in the buckets of `Usage`."""
    calls: Number | None = None
    context: Number | None = None
    """Tokens of the first call."""
    cached: Number | None = None
    """How many of those were expected to be read from the cache."""
    why_not: str | None = None


@lazy_dataclass
class WayPrompt(Sparse):
    """What would have been sent by one way to send it."""

    blocks: tuple[NamedBlock, ...] = ()
    base: tuple[str, int] | None = None
    """Digest and tokens of what precedes it, if that differs from what all ways share."""
    reads: tuple[int, int] | None = None
    """Tokens and number of files that are only named and have to be opened."""


@lazy_dataclass
class SeedWays(Sparse):
    """What the original workflow would have sent."""

    fresh: tuple[NamedBlock, ...] = ()
    """Its fresh prompt with documents by path."""
    fresh_chars: int = 0
    reads: tuple[int, int] = (0, 0)
    full: tuple[NamedBlock, ...] = ()
    """Its fresh prompt with documents in full."""
    delta: tuple[NamedBlock, ...] | None = None
    """Its prompt for the role's session, if its table would resume."""
    delta_chars: int | None = None


@lazy_dataclass
class OtherPrompts(Sparse):
    """What else could have been sent, so that a report can replay the run."""

    ways: Mapping[str, WayPrompt] | None = None
    """By way to send it, in the order of this run; includes the one that was used."""
    seed: SeedWays | None = None
    base: str | None = None
    """Digest of what a client really sends before the prompt."""


@lazy_dataclass
class SentRecord(Sparse):
    base: int | None = None
    """Tokens of what comes before the prompt."""
    tools: tuple[str, int] | None = None
    """Digest and tokens of the tools in `base`."""
    blocks: tuple[SentBlock, ...] | None = None
    """The prompt's blocks; for a resumed turn, those that opened the session."""
    resumed: bool | None = None
    primes: str | None = None
    """For a primer: the group whose trunk is sent ahead."""
    transcript: int | None = None
    """Tokens of the session that was resumed."""
    warm: bool | None = None
    """True if the transcript was expected to be cached."""
    template: str | None = None
    predicted: Mapping[str, PredictedWay] | None = None
    unit: str | None = None
    """`IN_MONEY` or `IN_TOKENS`."""
    needed: int | None = None
    """How many lines the role had to know."""
    missing: tuple[str, ...] | None = None
    """The first of those that were in no prompt."""
    others: OtherPrompts | None = field(default=None, metadata=stored_as("beside"))
    group: str | None = None
    """The group that shares its trunk."""
    access: str | None = None
    """The access that decides which tools are listed."""
    noted: bool | None = None
    """True with notes of an earlier session; older rows lack it."""
    mapped: bool | None = None
    """True if it has a map of the code."""
    handed: bool | None = None
    """True if it has a handoff."""
    chained: bool | None = None
    """True if it continues the session of the previous task."""
    mixed: bool | None = None
    """True in the session that a tier's stages share, by the original workflow's rules."""
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
    """Levers that were not used, and why."""
    system: str | None = None
    """Hash of the system prompt, where it is not the one that roles of a class share."""
    agent: str | None = None
    """Why the turn went to this backend."""
    policy: str | None = None
    """The policy that decided how it was sent; older rows lack it."""
    kept_group: str | None = field(default=None, metadata=stored_as("kept group"))
    """For a call that keeps a session warm: the group whose trunk it begins with."""

    def __bool__(self) -> bool:
        """Whether anything was written down."""
        return self != SentRecord()

    @property
    def text(self) -> str:
        """The record as the ledger stores it."""
        return json.dumps(self.dump())

    @classmethod
    def of_text(cls, text: str, *only: str) -> Self:
        """Parse the ledger's text; `only` limits it to some fields, by stored name. Unreadable
        fields count as missing: one odd row must not hide the others."""
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
    """The first segments of a prompt, sent ahead to be cached for an hour."""

    segments: int
    """How many of the prompt's segments."""
    group: str
    """The group that shares it."""
    blocks: tuple[tuple[str, int], ...]
    """Digest and tokens of each segment."""
    reason: str


NamedSize = tuple[str, int]
"""The digest of something that a client sends, and its tokens."""


@lazy_dataclass
class NaivePrompt(Sparse):
    """What the same turn would be sent as without any of our savings: the ledger's column `naive`.
    All of it is unknown for a turn that nobody would send then, such as a ping."""

    prompt: NamedSize | None = None
    role: NamedSize | None = None
    tools: NamedSize | None = None
    before: int | None = None
    """Tokens of tools and neutral system prompt, as sent."""
    sent_tools: int | None = None
    """Tokens of the tools alone, as sent."""
    roles: tuple[NamedSize, ...] | None = None
    """Each role of several reviewers who shared the turn."""
    own_system: int | None = None
    """Tokens by which the system prompt that was sent is longer than the neutral one."""

    @property
    def is_known(self) -> bool:
        return self.prompt is not None

    @property
    def toolset(self) -> str:
        """Digest of the tools; empty if unknown."""
        return self.tools[0] if self.tools else ""


@dataclass(frozen=True, slots=True)
class Sent:
    """A prepared prompt; the text itself is in the state folder."""

    prompt: str
    chars: int
    way: Way
    reason: str
    resume: str
    model: str
    naive: NaivePrompt
    order: Order = Order.NESTED
    trunk: str = ""
    """Digest of what must be equal for another dispatch to share this one's trunk."""
    reads: tuple[str, ...] = ()
    """Files that were sent by reference."""
    warnings: tuple[str, ...] = ()
    choice: SentRecord = field(default_factory=SentRecord)
    """What the ledger keeps of it."""
    life: str = CACHE_LIFE
    """Lifetime of the cache entry that the prompt's mark ends."""
    system: str = ""
    """Hash of the system prompt, where it is not the one that roles of a class share."""
    ahead: SentAhead | None = None
    backend: str = ""
    """The backend it was prepared for; empty for the feature's own."""

    @property
    def going_on(self) -> SentRecord:
        """The record for a turn that follows at once in the same session."""
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
