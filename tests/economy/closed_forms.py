"""Closed forms that the prices of the product are held to, and the cost of a whole plan.

Each says in one line of arithmetic what the cost model, the forecast of a way or the search for a
lower bound must come to; the product itself prices calls one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparing.cache import Life
from sparing.economy.comparison.bound import Plan, Replay, RunTurn
from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, Rates
from sparing.economy.keepalive import KeepAlive, ping_cost, pings_needed


@dataclass(frozen=True, slots=True)
class Rival:
    """A resumed turn beside the fresh one that could take its place."""

    needed: float
    """N: what the fresh turn has to load."""
    fresh_calls: float
    resumed_calls: float
    base: float = 2000
    """B: tools and system prompt, warm for both."""
    delta: float = 2000
    """d: what the resumed turn is told."""


def _gain(rates: Rates, rival: Rival) -> float:
    """K: all that a resumed turn saves, before its transcript is paid for."""
    r, w = rates.read, rates.write_5m
    fewer = rival.fresh_calls - rival.resumed_calls
    return (
        (w + r * (rival.fresh_calls - 1)) * rival.needed
        + r * fewer * rival.base
        - (w + r * (rival.resumed_calls - 1)) * rival.delta
        + rates.output * CALL_OUTPUT_TOKENS * fewer
    )


def warm_limit(rates: Rates, rival: Rival) -> float:
    """The longest transcript beyond the base with which a resume pays while it is cached."""
    return _gain(rates, rival) / (rates.read * rival.resumed_calls)


def cold_limit(rates: Rates, rival: Rival) -> float:
    """The same once the cache has forgotten it and all of it has to be written again."""
    return _gain(rates, rival) / (rates.write_5m + rates.read * (rival.resumed_calls - 1))


def trunk_limit(rates: Rates, calls: float) -> float:
    """How many times larger than what a turn needs a warm trunk may be before composing the
    needed part alone is cheaper. Turns of many calls must not sit on a fat trunk."""
    return (rates.write_5m + rates.read * (calls - 1)) / (rates.read * calls)


def lazy_read_extra(rates: Rates, context: float) -> float:
    """What a mandatory artifact costs more when it is read by a tool instead of sent inline: one
    more call over the context, and the words that ask for it. Never negative."""
    return rates.read * context + rates.output * CALL_OUTPUT_TOKENS


def unwritten_saving(rates: Rates, tokens: float) -> float:
    """What is saved by leaving the last call of a turn that nobody resumes out of the cache."""
    return (rates.write_5m - rates.input) * tokens


def clearing_pays(rates: Rates, cleared: float, tail: float, calls_left: float) -> bool:
    """Whether to drop old tool results from a context: what lies behind them is written anew."""
    return rates.read * cleared * calls_left > (rates.write_5m - rates.read) * tail


def keep_alive(
    rates: Rates, tokens: float, gap_seconds: float, probability: float, saving: float | None = None
) -> KeepAlive:
    """Whether pings over a pause pay. `saving` is what warmth is worth to the next turn, by
    default one write of the transcript instead of a read."""
    pings = pings_needed(gap_seconds, Life.FIVE_MINUTES)
    worth = (rates.write_5m - rates.read) * tokens if saving is None else saving
    return KeepAlive(pings, pings * ping_cost(rates, tokens), probability * worth)


def hour_threshold(rates: Rates) -> float:
    """An hour's life pays if more tokens than this are written again for each unique one."""
    return (rates.write_1h - rates.write_5m) / (rates.write_5m - rates.read)


def hour_pays(rates: Rates, unique: float, rewritten: float) -> bool:
    """From what five-minute entries cost: unique tokens written, and those written again."""
    return rewritten > hour_threshold(rates) * unique


def run_cost(turns: Sequence[RunTurn], plan: Plan, rates: Rates, replay: Replay) -> float:
    return sum(rates.price(replay.send(*step)) for step in zip(turns, plan, strict=True))
