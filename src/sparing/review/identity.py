"""Whether two findings are the same one, by their words alone.

Reviewers are asked: a finding says which earlier one it continues. This is what is left where one
does not say so, and there a wrong answer may hide a blocker while a missed one costs a round. So
only what is said again in nearly the same words about the same place is the same finding; in
doubt it is a new one. How often that is right is measured by `bench/finding_pairs.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sparing.finding import Finding
from sparing.review.finding_terms import Wording, wording

SHARED_WORDS = 0.55
SHARED_STEMS = 0.70
"""Share of words that two findings must have in common: of all words, or of stems without words
that are used about everything. Tuned on the half of the pairs meant for that."""
FRAME = 3
SWAPPED = 2
"""At most this many words exchanged, in a sentence with at least `FRAME` words in common."""
NOTHING: frozenset[str] = frozenset()
RELATIVE = frozenset({"step", "substep", "item", "part", "change"})
"""Kinds of places whose numbers start again in every document or section."""


class Link(NamedTuple):
    later: int
    earlier: int


def match(earlier: Sequence[Finding], later: Sequence[Finding]) -> tuple[Link, ...]:
    """Which later findings repeat which earlier ones; the others are new."""
    pairs = sorted(
        (-likeness(was, now), _distance(wording(was).lines, wording(now).lines), row, column)
        for row, now in enumerate(later)
        for column, was in enumerate(earlier)
        if restates(now, was)
    )
    taken: dict[int, int] = {}
    for _, _, row, column in pairs:
        if row not in taken and column not in taken.values():
            taken[row] = column
    return tuple(Link(row, column) for row, column in sorted(taken.items()))


def restates(later: Finding, earlier: Finding) -> bool:
    """Whether the later finding surely repeats the earlier one, about the same place."""
    if is_elsewhere(later, earlier):
        return False
    if later.text.split() == earlier.text.split():
        return True
    a, b = wording(later), wording(earlier)
    if _each_has_its_own(a, b) or _is_swapped(a.said, b.said):
        return False
    return _share(a.words, b.words) >= SHARED_WORDS or _share(a.stems, b.stems) >= SHARED_STEMS


def likeness(one: Finding, other: Finding) -> float:
    """Share of words that both have in common, from 0 to 1."""
    if one.text.split() == other.text.split():
        return 1.0
    a, b = wording(one), wording(other)
    return max(_share(a.words, b.words), _share(a.stems, b.stems))


def is_elsewhere(one: Finding, other: Finding) -> bool:
    """Whether they are about different places or things, which makes them different findings."""
    a, b = wording(one), wording(other)
    both = a.places.keys() & b.places.keys()
    agreed = {kind for kind in both if a.places[kind] & b.places[kind]}
    blurred = any(a.places[kind] != b.places[kind] for kind in agreed)
    if any(kind not in RELATIVE or not blurred for kind in both - agreed):
        return True
    if one.quote and one.quote.split() == other.quote.split():
        return False
    names = a.names and b.names and not a.names & b.names
    figures = min(len(a.numbers), len(b.numbers)) > 1 and not a.numbers & b.numbers
    return bool(names or figures)


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / len(some | others) if some and others else 0.0


def _each_has_its_own(a: Wording, b: Wording) -> bool:
    """Siblings: the same is said of two things, and each names one that the other does not."""
    kinds = a.named.keys() | b.named.keys()
    sides = [
        (a.names, b.names),
        (a.numbers, b.numbers),
        *((a.named.get(kind, NOTHING), b.named.get(kind, NOTHING)) for kind in kinds),
    ]
    return any(left - right and right - left for left, right in sides)


def _is_swapped(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether it is the same sentence about another thing; a changed number alone is not."""
    head = _alike(some, others)
    tail = _alike(some[head:][::-1], others[head:][::-1])
    left, right = some[head : len(some) - tail], others[head : len(others) - tail]
    return (
        head + tail >= FRAME
        and 0 < len(left) <= SWAPPED
        and 0 < len(right) <= SWAPPED
        and not any(word.isdecimal() for word in (*left, *right))
    )


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """Length of the common beginning."""
    pairs = enumerate(zip(some, others, strict=False))
    shorter = min(len(some), len(others))
    return next((at for at, (one, other) in pairs if one != other), shorter)


def _distance(some: Iterable[int], others: Iterable[int]) -> int:
    """Smallest distance between lines, to prefer the nearest of several equal matches."""
    return min(_differences(some, tuple(others)), default=0)


def _differences(some: Iterable[int], others: tuple[int, ...]) -> Iterator[int]:
    return (abs(one - other) for one in some for other in others)
