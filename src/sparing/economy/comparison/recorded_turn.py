"""A turn of the ledger whose end was seen, with every way in which it could have been sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparing.cache import CacheBlock
from sparing.dispatch_policy import Way
from sparing.economy.comparison.bound import CallSize
from sparing.economy.comparison.naive import NaiveTurn

Named = tuple[str, int]
"""A digest or name, and tokens."""
NOTHING: Named = ("", 0)


@dataclass(frozen=True, slots=True)
class ReplayedPrompt:
    """One prompt that the turn could have been sent as."""

    blocks: tuple[CacheBlock, ...]
    read_tokens: int = 0
    """Tokens of documents that it only names, which are read first."""
    read_files: int = 0


@dataclass(frozen=True, slots=True)
class SeedPrompt:
    """The same turn by the original rules."""

    fresh: ReplayedPrompt
    fresh_chars: int
    full: tuple[CacheBlock, ...]
    """In the original order, with every document inline."""
    delta: tuple[CacheBlock, ...] = ()
    """Empty where its table would not resume."""
    delta_chars: int = 0


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of the ledger whose end was seen."""

    line: str
    """Identifies turns of one role on the same subject, which may continue one session."""
    role: str
    model: str
    at: float
    call_seconds: float
    base: tuple[str, int]
    """Key and tokens of what the client sends before the prompt."""
    way: Way
    calls: tuple[CallSize, ...]
    naive: NaiveTurn
    ways: Mapping[Way, ReplayedPrompt]
    """What it could be sent as; empty for a turn that followed at once in the same session."""
    seed: SeedPrompt | None = None
    transcript: int = 0
    """Tokens of the session that it continued."""
    ping: bool = False
    """Sent only to fill a cache: to keep a session warm, or what others will read."""
    ahead: bool = False
    """For a ping: True if it has no session and only holds what others will read."""
    tools: Named = NOTHING
    """The tools within the base, which are cached separately; nothing if not recorded."""
    plain: Named = NOTHING
    """The system prompt of a plain prompt, used instead of the neutral one."""

    @property
    def system(self) -> Named:
        """The neutral system prompt, including the tools if these are not recorded separately."""
        key, tokens = self.base
        return key, max(0, tokens - self.tools[1])

    @property
    def follows(self) -> bool:
        return not self.ways
