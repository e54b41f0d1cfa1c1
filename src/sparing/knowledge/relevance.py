"""Which entries are about the current work, by the rare words they share with it.

A word that half of the bank has says nothing, one that few entries have says much. The same measure
serves twice: what an agent is given, and what a retrospective is asked to judge.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sparing.knowledge.page import BankEntry
from sparing.segment import estimate_tokens

SHARED_WORDS = 3
SHARED_PART = 0.2
"""What an entry must share with the work: a number of words, and a share of its own weight."""
TOUCHING_WORDS = 2
"""What it must have in common with a title, unless its own name has one of them."""
JUDGED = 50
"""Of more entries than this a retrospective gets only those that overlap."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_EMPTY_WORDS = """
    the and for with that this from into when than then not are was were has have had its before
    after use used using all any each one two three new should must feature phase iteration iter
    observed source last count observation confidence keywords high medium low instead cost benefit
    review reviewer design plan spec task implement implementation
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


class Chosen(NamedTuple):
    entry: BankEntry
    shared: tuple[str, ...]
    """The shared words, strongest first."""
    score: float


def overlapping(entries: Sequence[BankEntry], about: str) -> tuple[Chosen, ...]:
    """Entries that overlap with the work, strongest first; equal ones in the bank's order."""
    words = [_said(entry) for entry in entries]
    weights = _weights(words)
    topic = frozenset(_words(about))
    pairs = zip(entries, words, strict=True)
    found = (_chosen(entry, mine, topic, weights) for entry, mine in pairs)
    return tuple(sorted((one for one in found if one), key=lambda one: -one.score))


def touching(entries: Sequence[BankEntry], topic: str) -> tuple[Chosen, ...]:
    """For a topic of a few words, such as a title: two of an entry's words, or one of its name."""
    weights = _weights([_said(entry) for entry in entries])
    wanted = frozenset(_words(topic))
    found = (_touched(entry, wanted, weights) for entry in entries)
    return tuple(sorted((one for one in found if one), key=lambda one: -one.score))


def to_judge(entries: Sequence[BankEntry], about: str) -> tuple[BankEntry, ...]:
    """A small bank whole, of a large one what overlaps, in the order of the bank."""
    if len(entries) <= JUDGED:
        return tuple(entries)
    found = {id(one.entry) for one in overlapping(entries, about)}
    return tuple(entry for entry in entries if id(entry) in found)


def within(chosen: Iterable[Chosen], limit_tokens: int) -> tuple[BankEntry, ...]:
    """As many as fit, each whole."""
    return tuple(_fitting(chosen, limit_tokens))


def _fitting(chosen: Iterable[Chosen], left: int) -> Iterator[BankEntry]:
    for one in chosen:
        size = estimate_tokens(f"### {one.entry.title}\n{one.entry.text}\n")
        if size <= left:
            left -= size
            yield one.entry


def _chosen(
    entry: BankEntry, words: frozenset[str], topic: frozenset[str], weights: Mapping[str, float]
) -> Chosen | None:
    """Measured against all that the entry says, or long entries would always win."""
    shared = sorted(words & topic, key=lambda word: (-weights[word], word))
    whole = math.fsum(weights[word] for word in words)
    part = math.fsum(weights[word] for word in shared)
    if len(shared) < SHARED_WORDS or part < SHARED_PART * whole:
        return None
    return Chosen(entry, tuple(shared), part / math.sqrt(whole))


def _touched(
    entry: BankEntry, wanted: frozenset[str], weights: Mapping[str, float]
) -> Chosen | None:
    shared = sorted(_said(entry) & wanted, key=lambda word: (-weights[word], word))
    named = wanted.intersection(_words(entry.title))
    if not named and len(shared) < TOUCHING_WORDS:
        return None
    score = math.fsum(weights[word] * (1 + (word in named)) for word in shared)
    return Chosen(entry, tuple(shared), score)


def _said(entry: BankEntry) -> frozenset[str]:
    return frozenset(_words(f"{entry.title} {entry.text}"))


def _weights(words: Sequence[frozenset[str]]) -> dict[str, float]:
    counts = Counter(word for each in words for word in each)
    return {word: math.log((len(words) + 1) / count) for word, count in counts.items()}


def _words(text: str) -> Iterator[str]:
    """Also the parts of names: `rateLimit` and `rate_limit.py` share two."""
    for found in _WORD.finditer(text):
        for part in (found.group(), *_PARTS.findall(found.group())):
            word = part.lower().removesuffix("s")
            if len(word) > 2 and word not in _EMPTY:
                yield word
