"""What each way of sending a dispatch would cost.

Based on what would be sent, what the cache is believed to hold and how much work the turn is
expected to be. Every way gets a prediction; those that can't be taken say why. The ledger later
shows the prediction beside the bill.

Which files come with a prompt: those that it names, if that is cheaper.

A file that is sent and needed saves its share of a call; one that is sent and not needed costs its
write and a read in every call. So only files that a document, a finding or the change itself names
are sent, never guesses, none that the session has seen, and only while a call costs more than the
files sent needlessly: not in turns that open many files at once.

The size guard of the original workflow: if a delta is too long, a fresh prompt is sent.

It counts characters of whole prompts, not tokens of a bill. It applies under `seed` only; the
default policy uses the prediction instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sparing.cache import CacheBlock, Life
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, Known, cached_tokens
from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, Expected, Rates, TurnWork, turn_tokens
from sparing.economy.expected_work import FILE_TOKENS, UNSEEN, Share
from sparing.sent import PredictedWay

START_SECONDS = 5.0
"""From the choice to a client's first call: about one, with outliers of four to five measured."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session as it would be sent again."""

    tokens: int
    """Tokens of its context after the last call, including base and answer."""
    last_call_at: float
    answer: int = 0
    """Tokens of the last answer: no call has sent it yet, so no entry holds it."""
    life: Life = Life.FIVE_MINUTES
    opening: tuple[CacheBlock, ...] = ()
    """The prompt that opened the session: its marks may outlive the rest."""

    def warm_until(self) -> float:
        return self.last_call_at + self.life.seconds


class ReadAgain(NamedTuple):
    """How many other dispatches are expected to read what a prompt writes, and how much of it.

    What precedes the prompt is not counted: the tools are written in any case, and the rest of it
    is a few lines.
    """

    dispatches: float = 0.0
    trunk_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """One possible way to send a dispatch."""

    blocks: tuple[CacheBlock, ...]
    """What it adds to the base or to the transcript."""
    work: TurnWork
    on: Transcript | None = None
    """The transcript it continues; none for a fresh session."""
    base: Base | None = None
    """What the client sends before it, if different from the usual base."""
    again: ReadAgain = ReadAgain()


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a prediction depends on."""

    at: float
    rates: Rates
    base: Base
    offers: Mapping[Way, Offer]
    """The ways that the backend supports and for which a prompt can be made."""
    known: Known
    share: Share = UNSEEN
    life: Life = Life.FIVE_MINUTES
    """Lifetime of the mark at the end of each message."""
    minimum_tokens: int = 0
    """Shorter prompts are not cached."""
    start_seconds: float = START_SECONDS

    @property
    def first_call_at(self) -> float:
        return self.at + self.start_seconds


@dataclass(frozen=True, slots=True)
class Prediction:
    cost: float | None
    """In the unit of the rates; None if it can't be sent this way."""
    tokens: Expected = Expected()
    calls: float = 0
    context: float = 0
    """Tokens of the first call."""
    cached: float = 0
    """Tokens of these that are expected to be read from the cache."""
    why_not: str = ""
    later: float = 0
    """What it is expected to save later dispatches."""

    @property
    def record(self) -> PredictedWay:
        """As the ledger keeps it."""
        if self.cost is None:
            return PredictedWay(why_not=self.why_not)
        return PredictedWay(
            cost=self.cost,
            tokens=tuple(self.tokens),
            calls=self.calls,
            context=self.context,
            cached=self.cached,
        )

    @property
    def words(self) -> str:
        if self.cost is None:
            return self.why_not
        calls = "1 call" if round(self.calls) == 1 else f"{self.calls:.0f} calls"
        return f"{self.cached:,.0f} of {self.context:,.0f} tokens cached, about {calls}"


def predict(inputs: Inputs) -> dict[Way, Prediction]:
    return {way: _prediction(inputs, way) for way in Way}


def _prediction(inputs: Inputs, way: Way) -> Prediction:
    offer = inputs.offers.get(way)
    if offer is None:
        return Prediction(None, why_not=f"{way} is not on offer")
    base = offer.base or inputs.base
    fresh = base.tokens if offer.on is None else offer.on.tokens
    context = fresh + sum(block.tokens for block in offer.blocks)
    cached = _cached(inputs, offer)
    first = _first_call(inputs, offer, context, cached)
    tokens = turn_tokens(first, offer.work, inputs.life)
    return Prediction(
        inputs.rates.price(tokens), tokens, offer.work.calls, context, cached,
        later=0.0 if first.uncached else _later(inputs, offer, base, cached),
    )  # fmt: skip


def _later(inputs: Inputs, offer: Offer, base: Base, cached: float) -> float:
    """Savings of later dispatches that read what this prompt is the first to write."""
    again = offer.again
    new = max(0.0, base.tokens + again.trunk_tokens - max(cached, base.tokens))
    return (inputs.rates.write_5m - inputs.rates.read) * again.dispatches * new


def _cached(inputs: Inputs, offer: Offer) -> float:
    at, base = inputs.first_call_at, offer.base or inputs.base
    if offer.on is None:
        return cached_tokens(base, offer.blocks, inputs.known, at)
    opening = cached_tokens(base, offer.on.opening, inputs.known, at)
    if at >= offer.on.warm_until():
        return opening
    whole = max(offer.on.tokens - offer.on.answer, opening)
    return opening + inputs.share.mean * (whole - opening)


def _first_call(inputs: Inputs, offer: Offer, context: float, cached: float) -> Expected:
    """How the first call's prompt splits into buckets."""
    if not cached and context + offer.work.growth < inputs.minimum_tokens:
        return Expected(uncached=context)
    sent = offer.blocks if offer.on is None else offer.on.opening
    if inputs.life is Life.ONE_HOUR:
        return Expected(read=cached, write_1h=context - cached)
    hour = max(0.0, min(context, _hour_tokens(offer.base or inputs.base, sent)) - cached)
    return Expected(read=cached, write_1h=hour, write_5m=context - cached - hour)


def _hour_tokens(base: Base, blocks: Sequence[CacheBlock]) -> int:
    """Tokens up to the last mark of one hour."""
    for end in range(len(blocks), 0, -1):
        if blocks[end - 1].mark is Life.ONE_HOUR:
            return base.tokens + sum(block.tokens for block in blocks[:end])
    return base.tokens if base.life is Life.ONE_HOUR else 0


LARGEST_TOKENS = 4_000
"""Largest file to send; agents open only parts of larger ones."""
MOST_TOKENS = 24_000
WASTE = 0.3
"""Tokens of files that are named and not needed, for each token of those that are."""


class PreloadCandidate(NamedTuple):
    path: str
    tokens: int


def preload_pays(rates: Rates, context: float, calls: float, files_per_call: float) -> bool:
    """Whether to include the named files in a turn with this many calls.

    A call to open them is saved. In return they are read by every call of the turn instead of only
    by those after they would have been opened, halfway through on average; and some are not needed.
    """
    asked = rates.output + rates.write_5m + rates.read * calls / 2
    call = rates.read * (context + 2 * FILE_TOKENS) + asked * CALL_OUTPUT_TOKENS
    early = rates.read * (calls - 1) / 2
    wasted = WASTE * (rates.write_5m + rates.read * (calls - 1))
    return call / files_per_call > FILE_TOKENS * (early + wasted)


def preloaded(
    named: Iterable[PreloadCandidate], seen: Collection[str], most_tokens: int = MOST_TOKENS
) -> tuple[str, ...]:
    """Paths in the order in which they are named."""
    chosen: dict[str, int] = {}
    for path, tokens in named:
        fits = tokens <= LARGEST_TOKENS and sum(chosen.values()) + tokens <= most_tokens
        if fits and path not in seen and path not in chosen:
            chosen[path] = tokens
    return tuple(chosen)


class Diff(StrEnum):
    """What is known about the changes since the role's last turn."""

    CHANGED = "changed"
    EMPTY = "empty"
    LOST = "lost"
    """The commit to compare with is not known any more."""
    FAILED = "failed"
    """The commit or the diff could not be made."""


class DeltaState(StrEnum):
    """What can be sent to a session that knows the rest."""

    FITS = "fits"
    TOO_LONG = "too long"
    ANSWERS = "answers only"
    """Nothing changed, but the author answered the findings."""
    EMPTY = "empty"
    LOST = "lost"
    FAILED = "failed"


def too_long(delta_chars: int, fresh_chars: int) -> bool:
    """More than half of the characters of the role's latest fresh prompt; half still fits."""
    return 2 * delta_chars > fresh_chars


def delta_of(diff: Diff, *, answers: bool, long: bool) -> DeltaState:
    if diff is Diff.LOST:
        return DeltaState.LOST
    if diff is Diff.FAILED:
        return DeltaState.FAILED
    if diff is Diff.EMPTY and not answers:
        return DeltaState.EMPTY
    if long:
        return DeltaState.TOO_LONG
    return DeltaState.ANSWERS if diff is Diff.EMPTY else DeltaState.FITS
