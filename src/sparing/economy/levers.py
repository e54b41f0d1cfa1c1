"""Which levers are in use: those that are wanted and that the backend can do.

A lever that is wanted and missing is never passed over in silence: it is off with a reason, so
that a report can say what a figure was reached without.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from sparing.way import ALL_LEVERS, Lever, off


class Able(NamedTuple):
    """What a backend can do, as far as levers depend on it."""

    marks: int = 1
    """Of the caller's own in one prompt."""
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
    """A list without `all` names what is on, and what it switches off stays off."""
    everything = ALL_LEVERS in names
    return frozenset(
        lever for lever in Lever if (everything or lever.value in names) and off(lever) not in names
    )


_NEEDS: Mapping[Lever, tuple[Callable[[Able], bool], str]] = MappingProxyType(
    {
        Lever.TRUNK: (lambda able: able.marks > 0, "the backend takes no cache marks"),
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
"""What a backend must be able to do for a lever, and what is said where it is not."""


def _lack(lever: Lever, able: Able, wanted: Collection[Lever]) -> str:
    """What the backend misses for it; empty if nothing."""
    if lever is Lever.PRIMER:
        return _no_primer(able, wanted)
    can, lack = _NEEDS.get(lever, (lambda _: True, ""))
    return "" if can(able) else lack


def _no_primer(able: Able, wanted: Collection[Lever]) -> str:
    if able.two_lives and Lever.HOUR in wanted:
        return "not needed: the lever hour does it without a call of its own"
    if not able.marks or Lever.TRUNK not in wanted:
        return "nothing is shared without the lever trunk"
    return able.primes
