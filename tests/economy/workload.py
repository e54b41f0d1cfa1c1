"""A drawn run for the chooser to prove itself on: documents written and reviewed, then code.

Work is drawn once a turn: whoever remembers the earlier turn needs fewer of the same steps and
files, and says the same in the end. Nothing here knows how choices are made, and the chooser
knows nothing of what was drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.comparison.bound import CallSize, RunTurn, Sending
from sparing.turn_kind import Errand

MODEL = "model"
MINIMUM = 1_024
CALL_OUTPUT = 150


@dataclass(frozen=True)
class Drawn:
    """A turn, and what the chooser may know of it beforehand."""

    turn: RunTurn
    role: str
    errand: Errand
    first: bool


class Habit(NamedTuple):
    """Least and most tool calls and files, for who knows nothing and who remembers."""

    steps: tuple[int, int]
    files: tuple[int, int]
    steps_again: tuple[int, int]
    files_again: tuple[int, int]
    answer: tuple[int, int]


HABITS: Mapping[Errand, Habit] = {
    Errand.WRITE: Habit((2, 4), (4, 10), (2, 4), (0, 2), (3_000, 6_000)),
    Errand.REVISE: Habit((2, 4), (2, 5), (2, 4), (0, 1), (900, 1_800)),
    Errand.REVIEW: Habit((2, 6), (3, 7), (1, 3), (0, 1), (700, 1_400)),
    Errand.FIX: Habit((5, 9), (4, 9), (4, 8), (2, 4), (900, 2_200)),
}


class Workload:
    def __init__(self, seed: int, base_tokens: int, gap: tuple[float, float]) -> None:
        self._draw = random.Random(seed)
        self._base_tokens = base_tokens
        self._gap = gap
        self._at = 0.0
        self._documents: tuple[CacheBlock, ...] = ()
        self._met: set[str] = set()

    def documents(self, count: int) -> Iterator[Drawn]:
        """Each written, then reviewed by two in turn until they are content."""
        for number in range(count):
            author, size = f"author {number}", self._draw.randint(2_500, 6_000)
            yield self._turn(author, Errand.WRITE, (), 900, "authors")
            version = _block(f"document {number} version 1", size)
            for reviewer in (f"reviewer {number}", "phase reviewer"):
                for iteration in range(1, self._draw.choice((1, 2, 2, 3, 4)) + 1):
                    if iteration > 1:
                        yield self._turn(author, Errand.REVISE, (version,), 900, "authors")
                        version = _block(f"{author} {reviewer} {iteration}", size)
                    name = f"{reviewer} of {number}"
                    delta = round(size * self._draw.uniform(0.15, 0.4))
                    yield self._turn(name, Errand.REVIEW, (version,), delta, "reviewers")
            self._documents = (*self._documents, version)

    def code(self) -> Iterator[Drawn]:
        """Three reviewers of one change, the later ones begun once the first one answers."""
        change = _block("change 1", self._draw.randint(8_000, 20_000))
        for iteration in range(1, self._draw.choice((2, 3, 3, 4)) + 1):
            if iteration > 1:
                yield self._turn("implementer", Errand.FIX, (change,), 1_300, "authors")
                change = _block(f"change {iteration}", change.tokens + 400)
            for role in ("implementation", "quality", "security"):
                delta = self._draw.randint(800, 4_000)
                yield self._turn(role, Errand.REVIEW, (change,), delta, "reviewers")

    def _turn(
        self, role: str, errand: Errand, subject: tuple[CacheBlock, ...], delta: int, group: str
    ) -> Drawn:
        first = role not in self._met
        pause = self._gap if not first or errand is Errand.WRITE else (5, 30)
        self._at += self._draw.uniform(*pause)
        self._met.add(role)
        trunk = (*self._documents, *subject)
        if trunk:
            *before, last = trunk
            trunk = (*before, CacheBlock(last.part, last.digest, last.tokens, Life.FIVE_MINUTES))
        told = _block(f"turn {role} {self._at}", delta)
        prompt = (*trunk, _block(f"role {role}", 700), told)
        fresh, again = self._work(HABITS[errand])
        ways = {Way.COMPOSE: Sending(prompt, fresh.calls(prompt))}
        if not first:
            ways[Way.RESUME] = Sending((told,), again.calls((told,)), role)
        base = (
            CacheBlock(
                RequestPart.TOOLS, f"tools of {group}", self._base_tokens, Life.FIVE_MINUTES
            ),
        )
        turn = RunTurn(role, self._at, MODEL, base, ways)
        self._at += 12 * max(len(sending.calls) for sending in ways.values())
        return Drawn(turn, role, errand, first)

    def _work(self, habit: Habit) -> tuple[Work, Work]:
        """For an agent that knows nothing, and for one that remembers."""
        draw = self._draw
        results = [draw.randint(300, 1_100) for _ in range(10)]
        files = [draw.randint(1_200, 3_000) for _ in range(10)]
        answer = draw.randint(*habit.answer)
        hard, wide = draw.random(), draw.random()
        fresh = Work(results[: _at(habit.steps, hard)], files[: _at(habit.files, wide)], answer)
        steps, more = _at(habit.steps_again, hard), _at(habit.files_again, wide)
        return fresh, Work(results[:steps], files[:more], answer)


class Work(NamedTuple):
    results: list[int]
    files: list[int]
    answer: int

    def calls(self, prompt: tuple[CacheBlock, ...]) -> tuple[CallSize, ...]:
        """Files are read two at a time, then the other tools are used one by one."""
        pairs = [sum(self.files[n : n + 2]) for n in range(0, len(self.files), 2)]
        results = [CALL_OUTPUT + size for size in (*pairs, *self.results)]
        added = [sum(block.tokens for block in prompt), *results]
        outputs = [CALL_OUTPUT] * len(results) + [self.answer]
        return tuple(CallSize(*pair) for pair in zip(added, outputs, strict=True))


def _at(span: tuple[int, int], share: float) -> int:
    least, most = span
    return min(most, least + int(share * (most - least + 1)))


def _block(digest: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, digest, tokens)
