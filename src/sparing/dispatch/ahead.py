"""Whether what a prompt begins with is sent ahead of it by itself, to be kept for an hour.

Asked once the way is chosen. Priced by the economy room, from what the cache is believed to hold
and from when prompts with such a trunk were sent so far, here and in other features.
"""

from __future__ import annotations

from sparing.cache import CacheBlock
from sparing.dispatch.way_choice import Chosen
from sparing.economy.known import cached_tokens
from sparing.economy.lives import NO_PRIMER, Primer, expected_returns, primer, steady_end
from sparing.runtime import turn_history
from sparing.runtime.levers import levers_of
from sparing.runtime.source import Source
from sparing.sent import SentAhead
from sparing.turn import TURNS
from sparing.way import Lever, Way


def ahead_of(source: Source, chosen: Chosen) -> SentAhead | None:
    """None where nothing is, which is usual."""
    blocks = _blocks(source, chosen)
    found = _priced(source, chosen, blocks) if blocks else NO_PRIMER
    if not found.pays:
        return None
    rates, group = chosen.inputs.rates, str(chosen.sent_with["group"])
    reason = (
        f"about {found.returns:.1f} prompts of {group} follow after more than five minutes: sent"
        f" ahead for an hour this costs as much as {rates.equivalents(found.cost):,.0f} input"
        f" tokens and saves {rates.equivalents(found.saves):,.0f}"
    )
    told = tuple((one.digest, one.tokens) for one in blocks)
    return SentAhead(len(blocks), group, told, reason)


def _blocks(source: Source, chosen: Chosen) -> tuple[CacheBlock, ...]:
    """What will be sent again as it is: the trunk without what the next round replaces."""
    if chosen.decision.way is not Way.COMPOSE or Lever.PRIMER not in levers_of(source):
        return ()
    if not TURNS[source.job.turn].trunk_is_shared:
        return ()
    composed = chosen.composed
    return chosen.inputs.offers[Way.COMPOSE].blocks[: steady_end(composed.segments, composed.trunk)]


def _priced(source: Source, chosen: Chosen, blocks: tuple[CacheBlock, ...]) -> Primer:
    inputs = chosen.inputs
    base = inputs.offers[Way.COMPOSE].base or inputs.base
    size = base.tokens + sum(one.tokens for one in blocks)
    if size < inputs.minimum_tokens:
        return NO_PRIMER
    cached = cached_tokens(base, blocks, inputs.known, inputs.first_call_at)
    backend, group = source.around.backend(source.row).name, str(chosen.sent_with["group"])
    with source.around.database.read() as connection:
        uses = turn_history.trunk_uses(connection, backend, group)
    return primer(inputs.rates, size, cached, expected_returns(uses, inputs.at))
