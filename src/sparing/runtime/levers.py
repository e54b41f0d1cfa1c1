"""Which levers a dispatch is sent with: those that are wanted and that its backend can do.

The policies `seed` and `fresh` keep what they always had, whatever is switched on or off; the
baseline `naive` has none of it.
"""

from __future__ import annotations

from typing import assert_never

from sparing.agents.backend import Backend
from sparing.config.settings import Settings
from sparing.economy.levers import Able, LeverState, standings, switched_on
from sparing.runtime.source import Source
from sparing.way import Lever, Policy

COMPARED_WITH = frozenset({Lever.TRUNK, Lever.INLINE, Lever.RESUME, Lever.BATCH})


def able_of(backend: Backend) -> Able:
    can = backend.capabilities
    return Able(can.marks, can.resume, ping=can.fork, two_lives=can.two_lives, trims=can.trims)


def standings_of(settings: Settings, backend: Backend) -> tuple[LeverState, ...]:
    return standings(settings.economy.levers, able_of(backend))


def levers_of(source: Source) -> frozenset[Lever]:
    policy = source.around.settings(source.row).review.policy
    match policy:
        case Policy.NAIVE:
            return frozenset()
        case Policy.SEED | Policy.FRESH:
            return COMPARED_WITH
        case Policy.ADAPTIVE:
            return frozenset(one.lever for one in _states(source) if one.on)
    assert_never(policy)


def off_of(source: Source) -> dict[str, str]:
    """What is off and why, for the ledger; nothing under a policy that has no levers."""
    if source.around.settings(source.row).review.policy is not Policy.ADAPTIVE:
        return {}
    return {one.lever.value: one.why for one in _states(source) if not one.on}


def _states(source: Source) -> tuple[LeverState, ...]:
    around, row = source.around, source.row
    return source.once(("levers",), lambda: standings_of(around.settings(row), around.backend(row)))


def trims_checks(source: Source) -> bool:
    """What checks print comes from this program, so every backend can be spared of it."""
    settings = source.around.settings(source.row)
    adaptive = settings.review.policy is Policy.ADAPTIVE
    return adaptive and Lever.TRIM in switched_on(settings.economy.levers)
