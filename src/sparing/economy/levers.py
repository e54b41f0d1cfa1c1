"""Which levers are in use: those that are wanted and that the backend supports.

A lever that is wanted and missing is never skipped silently: it is off with a reason, so that a
report can say without which levers a figure was reached.

Levers judged by their own record: what turns and groups of turns here show about them.

A map and notes cost tokens in every prompt and pay only if agents then explore less, which some do
and some do not. So they are off until turns with them took fewer calls than turns without. To find
out, every eighth feature tries them once enough turns were seen without. A trunk costs its writer
more than a plain prompt and saves its readers money; if all of them together paid more than with
plain prompts, over enough groups, it is off.

The fact sheet is judged by its purpose: files whose lines it quotes should be opened less often.
One feature in eight is shown it to find out, and another one has it made but not shown, for
comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sparing.dispatch_policy import ALL_LEVERS, Lever, off
from sparing.percent import percent
from sparing.turn_kind import Errand


class Able(NamedTuple):
    """What a backend can do, as far as levers depend on it."""

    marks: int = 1
    """How many cache marks of the caller it takes in one prompt."""
    resume: bool = True
    ping: bool = True
    """A session can be read once more without changing it."""
    two_lives: bool = True
    """One request may hold entries of an hour and of five minutes."""
    primes: str = ""
    """Why nothing can be sent ahead for an hour; empty if it can."""
    trims: bool = True
    """Tool results pass through the program before a model sees them."""
    chooses_tools: bool = True
    """Writers can be offered tools without a shell."""
    automatic: bool = False
    """The provider caches beginnings of prompts without marks."""

    @property
    def shares(self) -> bool:
        return self.marks > 0 or self.automatic


class LeverState(NamedTuple):
    lever: Lever
    on: bool
    why: str = ""
    """Why it is off."""


def standings(names: Sequence[str], able: Able) -> tuple[LeverState, ...]:
    """Every lever, in the order of `Lever`; `names` as in `all, no-keep-alive`."""
    wanted = switched_on(names)
    return tuple(
        LeverState(lever, False, "switched off")
        if lever not in wanted
        else LeverState(lever, not lack, lack)
        for lever in Lever
        for lack in (_lack(lever, able, wanted),)
    )


def switched_on(names: Collection[str]) -> frozenset[Lever]:
    """The levers that are on: those named, or with `all` every lever, except those switched off."""
    everything = ALL_LEVERS in names
    return frozenset(
        lever for lever in Lever if (everything or lever.value in names) and off(lever) not in names
    )


_NEEDS: Mapping[Lever, tuple[Callable[[Able], bool], str]] = MappingProxyType(
    {
        Lever.TRUNK: (lambda able: able.shares, "the provider is not known to cache prompts"),
        Lever.HOUR: (
            lambda able: able.two_lives,
            "the backend has one cache life for all entries",
        ),
        Lever.RESUME: (lambda able: able.resume, "the backend can't resume"),
        Lever.KEEP_ALIVE: (
            lambda able: able.resume and able.ping,
            "the backend can't keep a session warm",
        ),
        Lever.TRIM: (lambda able: able.trims, "the backend's tools answer the model directly"),
        Lever.CHAIN: (lambda able: able.resume, "the backend can't resume"),
        Lever.LEAN_TOOLS: (
            lambda able: able.chooses_tools,
            "the backend has one set of tools for writers",
        ),
    }
)
"""What a backend must support for a lever, and the reason given if it does not."""


def _lack(lever: Lever, able: Able, wanted: Collection[Lever]) -> str:
    """What the backend misses for it; empty if nothing."""
    if lever is Lever.PRIMER:
        return _no_primer(able, wanted)
    can, lack = _NEEDS.get(lever, (lambda _: True, ""))
    return "" if can(able) else lack


def _no_primer(able: Able, wanted: Collection[Lever]) -> str:
    if able.two_lives and Lever.HOUR in wanted:
        return "not needed: the one-hour cache (hour) does it without a call of its own"
    if not able.shares or Lever.TRUNK not in wanted:
        return "nothing is shared without a shared prompt prefix (trunk)"
    return able.primes


SPARES: Mapping[Lever, float] = MappingProxyType({Lever.MAP: 1.0, Lever.NOTES: 0.5})
"""Calls that it must save per turn to pay: about what its tokens cost."""
ENOUGH_TURNS = 10
TRIED_AFTER = 20
"""Turns without it, before it is tried."""
TRIED_EVERY = 8
ENOUGH_GROUPS = 5
SHEET_EVERY, SHEET_TRIED, SHEET_COMPARED = 8, 2, 6
"""Of eight features the second is shown the sheet; for the sixth it is made but not shown."""
SHEET_PAYS = 0.25
"""Share by which quoted files must be opened less often for the sheet to pay."""
ENOUGH_OPENS = 20
"""Covered files that must have been opened in turns without the sheet to judge it."""


class AidedTurn(NamedTuple):
    errand: Errand
    aided: bool
    calls: int


class PaidGroup(NamedTuple):
    """Costs of all dispatches that wrote or read one trunk, in the same unit of money."""

    key: str
    paid: float
    plain: float
    """What the same calls would have cost with plain prompts."""


class CoveredTurn(NamedTuple):
    errand: Errand
    shown: bool
    """True if the sheet was part of the prompt; otherwise it was only made."""
    covered: int
    """Files of which it quotes lines."""
    opened: int
    """How many of these the turn opened nevertheless."""


class SheetEffect(NamedTuple):
    shown: int
    """Number of turns that were shown the sheet."""
    kept: int
    less: float | None
    """By which share covered files were opened less often; None if too few turns were seen."""
    rate: float = 0.0
    """How likely a covered file was opened in a turn that was not shown the sheet."""


class SheetUse(StrEnum):
    OFF = "off"
    KEPT = "kept"
    """Made but not shown."""
    SHOWN = "shown"


def sheet_effect(turns: Sequence[CoveredTurn]) -> SheetEffect:
    """Errand by errand, since a first draft opens other files than a review."""
    told = [one for one in turns if one.shown and one.covered]
    bare = [one for one in turns if not one.shown and one.covered]
    with_it, without = _rates(told), _rates(bare)
    shared = [errand for errand in with_it if errand in without]
    expected = sum(with_it[one][1] * without[one][0] for one in shared)
    enough = min(len(told), len(bare)) >= ENOUGH_TURNS
    if not enough or sum(one.opened for one in bare) < ENOUGH_OPENS or not expected:
        return SheetEffect(len(told), len(bare), None)
    opened = sum(with_it[one][1] * with_it[one][0] for one in shared)
    rate = sum(one.opened for one in bare) / sum(one.covered for one in bare)
    return SheetEffect(len(told), len(bare), 1 - opened / expected, rate)


def _rates(turns: Iterable[CoveredTurn]) -> dict[Errand, tuple[float, int]]:
    """Probability that a covered file is opened, and the number of files it is based on."""
    seen: dict[Errand, list[int]] = {}
    for one in turns:
        both = seen.setdefault(one.errand, [0, 0])
        both[0] += one.opened
        both[1] += one.covered
    return {errand: (opened / covered, covered) for errand, (opened, covered) in seen.items()}


def sheet_use(effect: SheetEffect, feature: int) -> tuple[SheetUse, str]:
    """What the feature of that number does with it, and why it is not shown."""
    if feature % SHEET_EVERY == SHEET_COMPARED:
        return SheetUse.KEPT, "made but not shown in this feature, to compare with"
    if effect.less is not None and effect.less >= SHEET_PAYS:
        return SheetUse.SHOWN, ""
    if feature % SHEET_EVERY == SHEET_TRIED:
        return SheetUse.SHOWN, ""
    if effect.less is None:
        return SheetUse.OFF, "not shown yet that files it quotes are opened less often here"
    less, pays = percent(max(0.0, effect.less)), percent(SHEET_PAYS)
    why = f"its own record: files it quotes were opened {less} less often, {pays} pay"
    return SheetUse.OFF, why


def why_off(lever: Lever, turns: Sequence[AidedTurn], feature: int) -> str:
    """Why a lever is off for the feature with that number; empty if it is on."""
    aided = [one for one in turns if one.aided]
    bare = [one for one in turns if not one.aided]
    if len(aided) >= ENOUGH_TURNS and len(bare) >= ENOUGH_TURNS:
        spared = _spared(aided, bare)
        if spared >= SPARES[lever]:
            return ""
        return f"its own record: {len(aided)} turns with it saved {spared:.1f} calls each"
    tries = len(bare) >= TRIED_AFTER and feature % TRIED_EVERY == 0
    return "" if tries else "not shown yet to save calls here"


def _spared(aided: Iterable[AidedTurn], bare: Iterable[AidedTurn]) -> float:
    """Mean number of calls saved, compared per errand and weighted by the aided turns."""
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
    more = percent(paid / plain - 1 if plain else 1.0, 1)
    return f"its own record: over {len(groups)} groups it cost {more} more than prompts without it"
