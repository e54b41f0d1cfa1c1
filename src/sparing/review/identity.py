"""Whether two findings are the same one: reworded, moved, split in two or merged into one.

Lexical and deterministic: how much of what they say they share, against how sure it is that they
speak of the same place. The same words about another place are another finding. What is the same
place and another matter is told apart only if its words differ: see `bench/histories.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sparing.finding import Finding
from sparing.review.finding_terms import FILE, Wording, wording

LINES_APART = 25
"""So far a finding may move within a file without being less sure."""
SHARED = 2
FAMILY = 0.6
FRAME = 3
SWAPPED = 2
"""A sentence of at least so many words in which at most so many are exchanged."""
NOTHING: frozenset[str] = frozenset()
RELATIVE = frozenset({"step", "substep", "item", "part", "change"})
"""Counted anew in every place that has any."""


class PlaceMatch(StrEnum):
    """How the places of two findings stand to one another."""

    ELSEWHERE = "elsewhere"
    AGREES = "agrees"
    PARTLY = "partly"
    """They share one, and each has another that the other has not."""
    NAMED = "named"
    """One of them has no place, but both name the same one."""
    UNKNOWN = "unknown"
    APART = "apart"
    """Both have one, of kinds that can't be compared."""


NEEDED = {
    PlaceMatch.AGREES: 0.22,
    PlaceMatch.PARTLY: 0.33,
    PlaceMatch.NAMED: 0.48,
    PlaceMatch.UNKNOWN: 0.40,
    PlaceMatch.APART: 0.45,
}
"""How alike findings must be; chosen on the labelled pairs that are not held out."""


RESTATED = 0.65
"""From here on the same is said of it once more; below something else may be meant."""


class Relation(StrEnum):
    SAME = "same"
    SPLIT = "split"
    """The later finding is a part of an earlier one that another part continues."""
    MERGED = "merged"
    """The later finding also takes in this earlier one."""


class Link(NamedTuple):
    later: int
    earlier: int
    relation: Relation


def restates(later: Finding, earlier: Finding) -> bool:
    """Whether nothing is said that was not said: the sure case of the same finding."""
    if later.text.split() != earlier.text.split() and _each_has_its_own(later, earlier):
        return False
    there = places(later, earlier) is not PlaceMatch.ELSEWHERE
    return there and likeness(later, earlier) >= RESTATED


def match(earlier: Sequence[Finding], later: Sequence[Finding]) -> tuple[Link, ...]:
    """Which of the later findings continue which of the earlier ones; the others are new."""
    family = [_family(one, earlier) for one in earlier]
    pairs = sorted(
        (-closeness, row, column)
        for row, now in enumerate(later)
        for column, was in enumerate(earlier)
        if (closeness := _closeness(was, now)) is not None
        and (now.text == was.text or likeness(was, now) > family[column])
    )
    taken: dict[int, int] = {}
    given: dict[int, int] = {}
    for _, row, column in pairs:
        if row not in taken and column not in given:
            taken[row], given[column] = column, row
    links = [Link(row, column, Relation.SAME) for row, column in taken.items()]
    for _, row, column in pairs:
        if row not in taken and _is_part(later[row], later[given[column]], earlier[column]):
            taken[row] = column
            links.append(Link(row, column, Relation.SPLIT))
        elif column not in given and _is_part(earlier[column], earlier[taken[row]], later[row]):
            given[column] = row
            links.append(Link(row, column, Relation.MERGED))
    return tuple(sorted(links))


def likeness(one: Finding, other: Finding) -> float:
    """From 0 to 1: how much of what they say is said by both."""
    a, b = wording(one), wording(other)
    if one.text.split() == other.text.split():
        return 1.0
    if not a.stems or not b.stems:
        return 0.0
    shared, smaller = len(a.stems & b.stems), min(len(a.stems), len(b.stems))
    if shared < min(SHARED, smaller):
        return 0.0
    overall = 2 * shared / (len(a.stems) + len(b.stems))
    contained = shared / smaller * min(1.0, smaller / 2)
    return (4 * overall + 4 * contained + 3 * max(_clauses(a, b), _clauses(b, a))) / 11


def places(one: Finding, other: Finding) -> PlaceMatch:
    a, b = wording(one), wording(other)
    both = a.places.keys() & b.places.keys()
    agreed = {kind for kind in both if a.places[kind] & b.places[kind]}
    blurred = any(a.places[kind] != b.places[kind] for kind in agreed)
    if any(kind not in RELATIVE or not blurred for kind in both - agreed):
        return PlaceMatch.ELSEWHERE
    if one.quote and one.quote.split() == other.quote.split():
        return PlaceMatch.AGREES
    if _other_things(a, b) or (_distance(a.lines, b.lines) and _is_swapped(a.said, b.said)):
        return PlaceMatch.ELSEWHERE
    if any(_own(a.places[kind], b.places[kind]) for kind in agreed):
        return PlaceMatch.PARTLY
    if agreed or _names(a, b) or _names(b, a):
        return PlaceMatch.UNKNOWN if agreed == {FILE} and _lines_apart(a, b) else PlaceMatch.AGREES
    if a.places and b.places:
        return PlaceMatch.APART
    named = any(a.named[kind] & b.named[kind] for kind in a.named.keys() & b.named.keys())
    return PlaceMatch.NAMED if named else PlaceMatch.UNKNOWN


def _excess(one: Finding, other: Finding) -> float:
    place = places(one, other)
    return -1.0 if place is PlaceMatch.ELSEWHERE else likeness(one, other) - NEEDED[place]


def _closeness(one: Finding, other: Finding) -> float | None:
    """Of several that are the same the one nearby is meant."""
    excess = _excess(one, other)
    if excess < 0:
        return None
    distance = _distance(wording(one).lines, wording(other).lines)
    return round(excess, 6) - min(distance, 9_999) / 1e8


def _other_things(a: Wording, b: Wording) -> bool:
    """Both name code, or give figures, and none in common."""
    names = a.names and b.names and not a.names & b.names
    figures = min(len(a.numbers), len(b.numbers)) > 1 and not a.numbers & b.numbers
    return bool(names or figures)


def _each_has_its_own(one: Finding, other: Finding) -> bool:
    """Siblings: the same is said of two things, and each names one that the other does not."""
    a, b = wording(one), wording(other)
    kinds = a.named.keys() | b.named.keys()
    sides = [
        (a.names, b.names),
        (a.numbers, b.numbers),
        *((a.named.get(kind, NOTHING), b.named.get(kind, NOTHING)) for kind in kinds),
    ]
    return any(_own(left, right) for left, right in sides)


def _own(left: frozenset[str], right: frozenset[str]) -> bool:
    return bool(left - right and right - left)


def _is_swapped(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """The same sentence about another thing; another number may be of the same one."""
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
    """How many are equal from the beginning."""
    pairs = enumerate(zip(some, others, strict=False))
    shorter = min(len(some), len(others))
    return next((at for at, (one, other) in pairs if one != other), shorter)


def _clauses(a: Wording, b: Wording) -> float:
    """How much of the best clause of one stands in the other."""
    return max(
        (
            len(clause & b.stems) / len(clause) * min(1.0, len(clause) / 3)
            for clause in a.clauses
            if len(clause) > 1
        ),
        default=0.0,
    )


def _names(a: Wording, b: Wording) -> bool:
    """Whether one says the place of the other."""
    return any(a.places[kind] & b.named[kind] for kind in a.places.keys() & b.named.keys())


def _lines_apart(a: Wording, b: Wording) -> bool:
    return _distance(a.lines, b.lines) > LINES_APART


def _distance(some: Iterable[int], others: Iterable[int]) -> int:
    return min(_differences(some, tuple(others)), default=0)


def _differences(some: Iterable[int], others: tuple[int, ...]) -> Iterator[int]:
    return (abs(one - other) for one in some for other in others)


def _family(one: Finding, others: Sequence[Finding]) -> float:
    """How like it its likest sibling is: what is less like it is at best one more of them."""
    siblings = (other for other in others if other is not one and not restates(other, one))
    nearest = max((likeness(one, other) for other in siblings), default=0.0)
    return nearest if nearest >= FAMILY else 0.0


def _is_part(part: Finding, other: Finding, whole: Finding) -> bool:
    """Parts have more in common with the whole than with one another; twins and siblings don't."""
    if restates(part, other):
        return _distance(wording(part).lines, wording(other).lines) == 0
    return likeness(part, other) < likeness(part, whole)
