"""What a run remembers: open sessions, what was sent when, how much work turns have been.

This is what the engine has in its tables; the decisions made from it are the program's own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from bench.economy.agent import Did
from bench.economy.client import Talk
from bench.economy.dispatches import Dispatch
from bench.economy.parameters import MINIMUM_TOKENS
from sparing.cache import CacheBlock, Life
from sparing.economy.cache_contents import Base, CacheEntry, SentPrompt, believed
from sparing.economy.cache_lives import expected_readers
from sparing.economy.cost_model import TurnWork
from sparing.economy.expected_work import Memory, SeenTurn, TurnClass, expected_work, learned
from sparing.economy.predict import Transcript
from sparing.turn_kind import KINDS, Errand

FORGOTTEN_SECONDS = 3_600
"""What was sent longer ago can't be in any cache."""


@dataclass(slots=True)
class Session:
    talk: Talk
    opening: tuple[CacheBlock, ...]
    last_at: float
    """Start of its last call, pings included."""
    used_at: float
    """End of its last turn."""
    sent: int
    answer: int
    fresh_chars: int
    open: float
    """How likely it goes on."""
    dispatch: Dispatch
    """Its last one."""

    @property
    def transcript(self) -> Transcript:
        return Transcript(self.talk.size, self.last_at, self.answer, opening=self.opening)


class Looks(NamedTuple):
    made: int = 0
    passed: int = 0


@dataclass(slots=True)
class Remembered:
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    sends: dict[int, SentPrompt] = field(default_factory=dict[int, SentPrompt])
    turns: list[SeenTurn] = field(default_factory=list[SeenTurn])
    waits: list[float] = field(default_factory=list[float])
    """How long sessions lay idle until their next turn."""
    asked: list[tuple[str, float, float]] = field(default_factory=list[tuple[str, float, float]])
    """Who was asked: the group that shares a trunk, from when to when."""
    looks: Looks = Looks()
    count: int = 0
    _learned: dict[TurnClass, TurnWork] | None = None

    def readers(self, group: str) -> float:
        """How many dispatches are expected to read what one of this group writes."""
        own = [one for one in self.asked if one[0].startswith(group)]
        pauses = [max(0.0, new[1] - old[2]) for old, new in pairwise(own)]
        return expected_readers(pauses, Life.FIVE_MINUTES)

    def known(self, bases: Collection[Base], at: float) -> dict[str, CacheEntry]:
        """The cache as it is believed to be, as far as these trunks are concerned."""
        recent = {n: one for n, one in self.sends.items() if one.last_at > at - FORGOTTEN_SECONDS}
        self.sends = recent
        keys, tools = {one.key for one in bases}, {one.tools for one in bases}
        own = [one for one in recent.values() if one.base.key in keys or one.base.tools in tools]
        return believed(sorted(own, key=lambda one: one.first_at), MINIMUM_TOKENS)

    def send(self, sent: SentPrompt, number: int | None = None) -> int:
        """Remember a prompt, or what became of it."""
        if number is None:
            number = self.count = self.count + 1
        self.sends[number] = sent
        return number

    def is_new(self, role: str, errand: Errand) -> bool:
        return not any(kind.role == role and kind.errand is errand for kind, _ in self.turns)

    def expected(self, role: str, errand: Errand, memory: Memory) -> TurnWork:
        if self._learned is None:
            self._learned = learned(self.turns)
        return expected_work(TurnClass(role, errand, memory), self._learned)

    def end(self, dispatch: Dispatch, memory: Memory, did: Did) -> None:
        step = dispatch.step
        if KINDS[step.kind].judges:
            made, passed = self.looks
            self.looks = Looks(made + 1, passed + (not step.rejects))
        self._learned = None
        self.turns.append(SeenTurn(TurnClass(step.role, step.errand, memory), did.calls))
