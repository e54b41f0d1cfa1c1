"""What a run remembers: open sessions, what was sent when, how much work turns have been.

This is what the engine has in its tables; the decisions made from it are the program's own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from bench.economy.agent import Did
from bench.economy.client import Talk
from bench.economy.feature import Dispatch
from sparing.cache import CacheBlock
from sparing.context.prompt.brief import REVIEWS
from sparing.economy.cost_model import TurnWork
from sparing.economy.estimates import Memory, SeenTurn, TurnClass, expected_work, learned
from sparing.economy.known import CacheEntry, SentPrompt, believed
from sparing.economy.predict import Transcript
from sparing.turn import TURNS
from sparing.turn_kind import Errand, TurnKind

MINIMUM_TOKENS = 1_024
FORGOTTEN_SECONDS = 4_000
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
        size = self.talk.base.tokens + self.talk.tokens
        return Transcript(size, self.last_at, self.answer, opening=self.opening)


@dataclass(slots=True)
class Remembered:
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    sends: dict[int, SentPrompt] = field(default_factory=dict[int, SentPrompt])
    turns: list[SeenTurn] = field(default_factory=list[SeenTurn])
    pauses: defaultdict[str, list[float]] = field(
        default_factory=lambda: defaultdict[str, list[float]](list)
    )
    """Between the uses of a trunk, by who shares it; under `sessions` those of a loop."""
    looks: int = 0
    passed: int = 0
    """Of the looks so far."""
    count: int = 0
    _learned: dict[TurnClass, TurnWork] | None = None
    used: dict[str, float] = field(default_factory=dict[str, float])
    """When a trunk was last used."""

    def known(self, at: float) -> dict[str, CacheEntry]:
        """The cache as it is believed to be."""
        recent = {n: one for n, one in self.sends.items() if one.last_at > at - FORGOTTEN_SECONDS}
        self.sends = recent
        return believed(sorted(recent.values(), key=lambda one: one.first_at), MINIMUM_TOKENS)

    def send(self, sent: SentPrompt, number: int | None = None) -> int:
        """Remember a prompt, or what became of it."""
        if number is None:
            number = self.count = self.count + 1
        self.sends[number] = sent
        return number

    def expected(self, dispatch: Dispatch, memory: Memory) -> TurnWork:
        if self._learned is None:
            self._learned = learned(self.turns)
        return expected_work(turn_kind(dispatch, memory), self._learned)

    def begin(self, dispatch: Dispatch, at: float) -> None:
        for name in (group_of(dispatch), dispatch.role.role_class.value):
            if name in self.used:
                self.pauses[name].append(max(0.0, at - self.used[name]))

    def end(self, dispatch: Dispatch, memory: Memory, did: Did) -> None:
        for name in (group_of(dispatch), dispatch.role.role_class.value):
            self.used[name] = did.last_at
        if dispatch.step.kind in REVIEWS:
            self.looks += 1
            self.passed += not dispatch.step.rejects
        self._learned = None
        self.turns.append(SeenTurn(turn_kind(dispatch, memory), did.calls))


def turn_kind(dispatch: Dispatch, memory: Memory) -> TurnClass:
    """Turns that are taken to be alike. Authors and reviewers of documents differ by document,
    not by habit, so what one of them did tells of the next."""
    step = dispatch.step
    what = "documents" if step.document else step.role
    return TurnClass(what, _errand(step.kind), memory)


def _errand(kind: TurnKind) -> Errand:
    """Of the first turn that is asked with such a prompt; one of its own on code is a fix."""
    row = next(one for one in TURNS.values() if kind in one.kinds)
    return row.errand if kind is row.kinds.usual else row.code_errand


def group_of(dispatch: Dispatch) -> str:
    """Who shares a trunk: a class of roles, and what their prompts begin with."""
    step = dispatch.step
    what = "tasks" if step.kind is TurnKind.TASK else "documents" if step.document else "code"
    return f"{dispatch.role.role_class}/{what}"
