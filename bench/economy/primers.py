"""Trunks that are sent ahead by themselves, where the program's own price says that it pays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bench.economy.chooser import Chooser, Option
from bench.economy.client import Talk, Words
from bench.economy.dispatches import Dispatch
from bench.economy.sessions import Remembered
from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import cached_tokens
from sparing.economy.cache_lives import (
    TAIL_TOKENS,
    TrunkUse,
    expected_returns,
    primed_blocks,
    primer,
    steady_end,
)
from sparing.economy.cost_model import Rates
from sparing.turn import TURNS
from sparing.turn_kind import TurnKind


@dataclass(slots=True)
class Primers:
    rates: Rates
    past: Remembered
    uses: dict[str, list[TrunkUse]] = field(default_factory=dict[str, list[TrunkUse]])
    """By who shares a trunk."""

    def use(self, dispatch: Dispatch, use: TrunkUse) -> None:
        self.uses.setdefault(_group(dispatch), []).append(use)

    def talk(self, chooser: Chooser, dispatch: Dispatch, option: Option, at: float) -> Talk | None:
        """What to send before the dispatch; None if nothing."""
        blocks = self._blocks(dispatch, option)
        if not blocks:
            return None
        front = chooser.front(dispatch)
        size = front.base.tokens + sum(one.tokens for one in blocks)
        cached = cached_tokens(front.base, blocks, self.past.known((front.base,), at), at)
        uses = self.uses.get(_group(dispatch), [])
        found = primer(self.rates, size, cached, expected_returns([uses], at))
        if not found.pays:
            return None
        talk = Talk(replace(front, life=Life.ONE_HOUR))
        talk.tell(option.prompt.segments[: len(blocks)], primed_blocks(blocks))
        tail = CacheBlock(RequestPart.MESSAGES, "reply", TAIL_TOKENS)
        talk.add(Words("user", "text", "reply", TAIL_TOKENS), tail)
        return talk

    def _blocks(self, dispatch: Dispatch, option: Option) -> tuple[CacheBlock, ...]:
        shared = TURNS[dispatch.step.turn].trunk_is_shared
        if option.way is not Way.COMPOSE or not shared:
            return ()
        return option.offer.blocks[: steady_end(option.prompt.segments, option.prompt.trunk)]


def _group(dispatch: Dispatch) -> str:
    """As `runtime.cache_life.group_of`."""
    kind = dispatch.brief.asked.kind
    code = dispatch.brief.code is not None or not dispatch.step.document
    what = "tasks" if kind is TurnKind.TASK else "code" if code else "documents"
    return f"{dispatch.role.role_class}/{what}"
