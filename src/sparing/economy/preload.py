"""Which files come with a prompt: those that are named in it, where that is cheaper.

A file that is sent and needed saves its share of a call; one that is sent and not needed costs
its write and a read in every call. So only files that a document, a finding or the change itself
names are sent, never guesses, none that the session has seen, and only while a call costs more
than what naming is wrong about: not in turns that open many files at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, Rates
from sparing.economy.estimates import FILE_TOKENS

LARGEST_TOKENS = 4_000
"""A larger file is opened in part by whoever needs it."""
MOST_TOKENS = 24_000
WASTE = 0.3
"""Tokens of files that are named and not needed, for each token of those that are."""


class PreloadCandidate(NamedTuple):
    path: str
    tokens: int


def preload_pays(rates: Rates, context: float, calls: float, files_per_call: float) -> bool:
    """Whether files that are named should be sent with a turn of so many calls."""
    asked = rates.output + rates.write_5m + rates.read * calls / 2
    call = rates.read * (context + 2 * FILE_TOKENS) + asked * CALL_OUTPUT_TOKENS
    wasted = WASTE * (rates.write_5m + rates.read * (calls - 1))
    return call / files_per_call > FILE_TOKENS * wasted


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
