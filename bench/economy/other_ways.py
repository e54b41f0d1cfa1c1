"""Two strategies that have no loop of their own: one session for all, and forks of a fat trunk."""

from __future__ import annotations

from collections.abc import Sequence

from bench.economy.agent import Call
from bench.economy.chooser import Option
from bench.economy.client import Front, Talk, Words
from bench.economy.draw import File, Work
from bench.economy.feature import Dispatch
from bench.economy.parameters import Parameters
from bench.economy.prompts import Composer, Prompt, Variant, neutral_system
from bench.economy.strategy import Client
from sparing.cache import CacheBlock, Life, RequestPart
from sparing.context.prompt.brief import REVIEWS
from sparing.context.prompt.wrap import wrap
from sparing.economy.estimates import Memory
from sparing.prompts.render import words
from sparing.segment import Segment, Volatility
from sparing.turn_kind import TurnKind
from sparing.way import Way

HANDOFF_TOKENS = 3_500
BUDGETS = {TurnKind.TASK: 25_000}
OTHER_BUDGET = 15_000
MARGIN = 1.2
EXPLORED_FILES = 6
"""Of those an author opened, that a fat trunk takes up."""


class Continuous:
    """One session does everything; a handoff when the next stage would not fit."""

    def __init__(self, composer: Composer, client: Client, p: Parameters) -> None:
        self._composer, self._client, self._p = composer, client, p
        self._talk: Talk | None = None
        self.handoffs = 0

    def handoff(self, dispatch: Dispatch, at: float) -> Call | None:
        """The call in which a full session writes down what it knows."""
        need, talk = MARGIN * BUDGETS.get(dispatch.step.kind, OTHER_BUDGET), self._talk
        if talk is None or talk.base.tokens + talk.tokens + need <= self._p.window_tokens:
            return None
        self._talk = None
        text = words("blocks", "rich_handoff")
        _tell(talk, Segment("handoff", text, Volatility.ITERATION))
        self.handoffs += 1
        return Call(talk, at, HANDOFF_TOKENS, len(talk.blocks))

    def option(self, dispatch: Dispatch) -> tuple[Option, Talk]:
        again = dispatch.step.round > 1
        variant = Variant(Way.RESUME if again else Way.FORK)
        prompt = self._composer.prompt(dispatch, variant)
        talk = self._talk or self._opened(dispatch)
        self._talk = talk
        blocks = tuple(_block(one) for one in prompt.segments)
        talk.tell(prompt.segments, blocks)
        talk.files.update(prompt.files)
        step = dispatch.step
        work = step.again if again else step.fresh
        return Option(Way.FORK, prompt, blocks, work, Memory.TRANSCRIPT), talk

    def _opened(self, dispatch: Dispatch) -> Talk:
        front = Front("pipeline", neutral_system(dispatch), self._client.base_tokens)
        talk = Talk.opened(front)
        if self.handoffs:
            name = f"handoff {self.handoffs}"
            talk.add(
                Words("user", "text", name, HANDOFF_TOKENS),
                CacheBlock(RequestPart.MESSAGES, name, HANDOFF_TOKENS),
            )
            for one in dispatch.brief.full[-2:]:
                text = wrap(one.text or "", dispatch.brief.key, one.name.filename)
                _tell(talk, Segment(one.name.value, text, Volatility.FEATURE))
        return talk


class Forked:
    """Every dispatch forks one warm session that takes up all documents and much of the code."""

    def __init__(self, composer: Composer, client: Client) -> None:
        self._composer, self._client = composer, client
        self._trunk: Talk | None = None
        self._known: set[str] = set()
        self._explored: Sequence[File] = ()
        self._ends: list[int] = []

    def option(self, dispatch: Dispatch) -> tuple[Option, Talk]:
        prompt = self._composer.prompt(dispatch, Variant(everything=True))
        trunk = self._grown(dispatch, prompt)
        talk = trunk.copy()
        own = [one for one in prompt.segments if one.digest not in self._known]
        talk.tell(own, [_block(one) for one in own])
        talk.files.update(prompt.files)
        work: Work = dispatch.step.fresh
        return Option(Way.FORK, prompt, (), work, Memory.NONE), talk

    def _grown(self, dispatch: Dispatch, prompt: Prompt) -> Talk:
        if self._trunk is None:
            front = Front("pipeline", neutral_system(dispatch), self._client.base_tokens)
            self._trunk = Talk.opened(front, Life.ONE_HOUR)
        step = dispatch.step
        steady = [one for one in prompt.segments[: prompt.trunk] if _stays(one)]
        new = [one for one in steady if one.digest not in self._known]
        if step.kind is TurnKind.WRITE:
            self._explored = step.fresh.files[:EXPLORED_FILES]
        if step.kind in REVIEWS and step.round == 1:
            new += [self._file(one) for one in self._explored if one not in self._trunk.files]
            self._trunk.files.update(self._explored)
        self._take_up(self._trunk, [one for one in new if one.digest not in self._known])
        return self._trunk

    def _file(self, file: File) -> Segment:
        return Segment(file.path, self._composer.feature.text(file), Volatility.FEATURE)

    def _take_up(self, trunk: Talk, new: Sequence[Segment]) -> None:
        if not new:
            return
        for one in new:
            _tell(trunk, one)
            self._known.add(one.digest)
        self._ends = [*self._ends[-1:], len(trunk.blocks) - 1]
        for number, block in enumerate(trunk.blocks):
            life = Life.ONE_HOUR if number in self._ends else None
            if block.mark is not life:
                trunk.blocks[number] = CacheBlock(block.part, block.digest, block.tokens, life)


def _stays(segment: Segment) -> bool:
    return segment.volatility is Volatility.FEATURE or segment.name == "code"


def _block(segment: Segment) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, segment.digest, segment.tokens)


def _tell(talk: Talk, segment: Segment) -> None:
    talk.tell((segment,), (_block(segment),))
