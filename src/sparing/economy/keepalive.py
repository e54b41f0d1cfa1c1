"""Keeping a transcript warm, and what waiting costs.

A cached prefix expires five minutes or an hour after its last use. A ping reads it again at the
read rate; a one-hour entry costs more to write; letting it expire costs a new write. A program
knows better than a person whether a session will be resumed: surely after a rejection, never after
an approval.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple, assert_never

from sparing.cache import Life
from sparing.economy.cost_model import Rates
from sparing.economy.predict import Inputs, predict

PING_MARGIN_SECONDS = 15.0
"""How long before an entry expires a ping is sent."""

ASKED_AGAIN = 0.5
"""How likely an author gets another turn: about every second round of a review is its last."""
USUAL_PAUSES = (400.0, 400.0)
"""Seconds between two turns of a session, used until real pauses were seen."""


class LoopEnd(StrEnum):
    """What a reviewer's latest verdict says about its next turn."""

    REJECTED = "rejected"
    APPROVED = "approved"
    WAITING = "waiting"
    """An author's turn is over, and a reviewer has yet to say what it thinks of it."""


def resume_probability(end: LoopEnd) -> float:
    match end:
        case LoopEnd.REJECTED:
            return 1.0
        case LoopEnd.APPROVED:
            return 0.0
        case LoopEnd.WAITING:
            return ASKED_AGAIN
    assert_never(end)


def ping_cost(rates: Rates, tokens: float) -> float:
    """One call that reads the transcript and answers with a word."""
    return rates.read * tokens + rates.output


def most_pings(rates: Rates, probability: float = 1.0) -> int:
    """Pings that are still cheaper than writing the transcript once more."""
    if not rates.read:
        return 0
    return max(0, math.floor(probability * (rates.write_5m - rates.read) / rates.read + 1e-9))


def pings_needed(gap_seconds: float, life: Life) -> int:
    """Pings that carry an entry over a pause in which nothing else reads it."""
    every = life.seconds - PING_MARGIN_SECONDS
    return max(0, math.ceil((gap_seconds - life.seconds + 1e-9) / every))


def next_ping_at(last_call_at: float, life: Life) -> float:
    return last_call_at + life.seconds - PING_MARGIN_SECONDS


class KeepAlive(NamedTuple):
    pings: int
    cost: float
    saves: float
    """Expected savings of a warm turn over the best cold one, times its probability."""

    @property
    def pays(self) -> bool:
        return self.pings > 0 and self.cost < self.saves


def warmth(inputs: Inputs) -> float:
    """What it is worth to keep a session warm until its next turn: how much cheaper the best way
    to send that turn is then, resumed or not."""
    cold = {
        way: replace(offer, on=replace(offer.on, last_call_at=-math.inf)) if offer.on else offer
        for way, offer in inputs.offers.items()
    }
    # By then whatever nobody else reads has died as well; what lives for an hour has not.
    later = inputs.at + Life.FIVE_MINUTES.seconds
    return _best(replace(inputs, offers=cold), later) - _best(inputs, inputs.at)


def another_ping(inputs: Inputs, tokens: float, pauses: Sequence[float], idle: float, *,
                 probability: float) -> KeepAlive:  # fmt: skip
    """Whether to send another ping to a session that has been idle for `idle` seconds.

    When its turn comes is unknown; what is known is how long others waited that had waited as long.
    A session that has waited longer than all of them is given up.
    """
    seen = [pause for pause in (*USUAL_PAUSES, *pauses) if pause > idle]
    if not seen:
        return KeepAlive(0, 0.0, 0.0)
    every = Life.FIVE_MINUTES.seconds - PING_MARGIN_SECONDS
    mean = sum(math.ceil((pause - idle) / every) for pause in seen) / len(seen)
    cost = mean * ping_cost(inputs.rates, tokens)
    return KeepAlive(max(1, round(mean)), cost, probability * warmth(inputs))


class Keeping(StrEnum):
    FIVE_MINUTES = "five minutes"
    PINGS = "five minutes, with pings"
    ONE_HOUR = "one hour"


class Kept(NamedTuple):
    keeping: Keeping
    cost: float


def cheapest_keeping(
    rates: Rates, tokens: float, gaps: Sequence[float], among: Collection[Keeping] = tuple(Keeping)
) -> Kept:
    """How to keep a prefix over known pauses, each ended by a call that needs it."""
    every = ping_cost(rates, tokens)
    pinged = sum(pings_needed(gap, Life.FIVE_MINUTES) for gap in gaps)
    short = rates.write_5m * tokens
    costs = [
        Kept(Keeping.FIVE_MINUTES, short + _reads(rates, tokens, gaps, Life.FIVE_MINUTES)),
        Kept(Keeping.PINGS, short + pinged * every + len(gaps) * rates.read * tokens),
        Kept(
            Keeping.ONE_HOUR,
            rates.write_1h * tokens + _reads(rates, tokens, gaps, Life.ONE_HOUR),
        ),
    ]
    return min((kept for kept in costs if kept.keeping in among), key=lambda kept: kept.cost)


def _reads(rates: Rates, tokens: float, gaps: Sequence[float], life: Life) -> float:
    cold = sum(gap >= life.seconds for gap in gaps)
    return tokens * (cold * rates.write(life) + (len(gaps) - cold) * rates.read)


class Waiting(NamedTuple):
    """What a pause costs, in the unit of the rates."""

    warm_until: float | None
    """When the next turn gets more expensive; None if it doesn't."""
    before: float
    after: float
    """Cost once everything that is warm now has expired."""


def waiting(inputs: Inputs) -> Waiting:
    """For a gate: the price of its next dispatch now, and of the same dispatch later.

    Entries expire one by one; a person is shown the time at which the price has risen by half of
    its possible increase.
    """
    before = _best(inputs, inputs.at)
    ends = sorted(_ends(inputs))
    after = _best(inputs, ends[-1]) if ends else before
    if math.isclose(before, after):
        return Waiting(None, before, before)
    half = (before + after) / 2
    return Waiting(next(end for end in ends if _best(inputs, end) >= half), before, after)


def _ends(inputs: Inputs) -> Iterator[float]:
    """Latest start times of a turn that finds an entry or session before it expires."""
    entries = [entry.expires_at for entry in inputs.known.values()]
    sessions = [offer.on.warm_until() for offer in inputs.offers.values() if offer.on]
    for end in {*entries, *sessions}:
        if end - inputs.start_seconds > inputs.at:
            yield end - inputs.start_seconds


def _best(inputs: Inputs, at: float) -> float:
    found = predict(replace(inputs, at=at)).values()
    return min(prediction.cost for prediction in found if prediction.cost is not None)
