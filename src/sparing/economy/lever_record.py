"""Levers by their own record: what turns and groups of turns here show of them.

A map and notes cost tokens in every prompt and pay only if agents then look around less, which
some do and some do not. So they are off until turns with them took fewer calls than turns without.
To find out at all, every eighth feature tries them once enough turns were seen without. A trunk
costs its writer more than a plain prompt and spares its readers; where all of them together paid
more than they would have plainly, over enough groups, it is off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from sparing.turn_kind import Errand
from sparing.way import Lever

SPARES: Mapping[Lever, float] = MappingProxyType({Lever.MAP: 1.0, Lever.NOTES: 0.5})
"""Calls that a turn has to be spared for it to pay: about what its tokens cost."""
ENOUGH_TURNS = 10
TRIED_AFTER = 20
"""Turns without it, before it is tried."""
TRIED_EVERY = 8
ENOUGH_GROUPS = 5


class AidedTurn(NamedTuple):
    errand: Errand
    aided: bool
    calls: int


class PaidGroup(NamedTuple):
    """All who wrote or read one trunk, in the same unit of money."""

    key: str
    paid: float
    plain: float
    """What the same calls would have cost if each had been told plainly."""


def why_off(lever: Lever, turns: Sequence[AidedTurn], feature: int) -> str:
    """Empty if it is to be used for the feature of that number."""
    aided = [one for one in turns if one.aided]
    bare = [one for one in turns if not one.aided]
    if len(aided) >= ENOUGH_TURNS and len(bare) >= ENOUGH_TURNS:
        spared = _spared(aided, bare)
        if spared >= SPARES[lever]:
            return ""
        return f"its own record: {len(aided)} turns with it were spared {spared:.1f} calls each"
    tries = len(bare) >= TRIED_AFTER and feature % TRIED_EVERY == 0
    return "" if tries else "not shown yet to spare calls here"


def _spared(aided: Iterable[AidedTurn], bare: Iterable[AidedTurn]) -> float:
    """Calls fewer, errand by errand, by how often it was aided."""
    with_it, without = _means(aided), _means(bare)
    shared = [errand for errand in with_it if errand in without]
    weight = sum(with_it[errand][1] for errand in shared)
    if not weight:
        return 0.0
    return sum((without[one][0] - with_it[one][0]) * with_it[one][1] for one in shared) / weight


def _means(turns: Iterable[AidedTurn]) -> dict[Errand, tuple[float, int]]:
    seen: dict[Errand, list[int]] = {}
    for errand, _, calls in turns:
        seen.setdefault(errand, []).append(calls)
    return {errand: (sum(calls) / len(calls), len(calls)) for errand, calls in seen.items()}


def trunk_lost(groups: Sequence[PaidGroup]) -> str:
    """Why the trunk is off here; empty if it is not."""
    paid, plain = sum(one.paid for one in groups), sum(one.plain for one in groups)
    if len(groups) < ENOUGH_GROUPS or paid <= plain:
        return ""
    more = paid / plain - 1 if plain else 1.0
    return f"its own record: over {len(groups)} groups it cost {more:.1%} more than the plain way"
