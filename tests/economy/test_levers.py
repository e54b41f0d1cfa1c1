"""Levers of the economy: each can be switched off alone, and one that is missing says why.

Covers: E1, E4.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sparing.dispatch_policy import ALL_LEVERS, Lever, off
from sparing.economy.levers import Able, standings, switched_on


def in_use(names: Sequence[str], able: Able) -> frozenset[Lever]:
    return frozenset(one.lever for one in standings(names, able) if one.on)


def test_all_levers_can_be_on() -> None:
    """E1: on a backend that can do everything; of two that keep a trunk for an hour, one."""
    assert in_use((ALL_LEVERS,), Able()) == frozenset(Lever) - {Lever.PRIMER}
    assert in_use((ALL_LEVERS,), Able(two_lives=False)) == frozenset(Lever) - {Lever.HOUR}


@pytest.mark.parametrize("lever", Lever)
def test_each_lever_is_switched_off_alone(lever: Lever) -> None:
    """E4: what the ablation of the bench rests on."""
    names = (ALL_LEVERS, off(lever))
    able = Able(two_lives=lever is not Lever.PRIMER)
    without = {Lever.TRUNK: {Lever.PRIMER}, Lever.HOUR: set[Lever]()}
    spare = {Lever.PRIMER if able.two_lives else Lever.HOUR}
    missing = without.get(lever, spare) | {lever}
    assert in_use(names, able) == frozenset(Lever) - missing
    (told,) = (one for one in standings(names, Able()) if one.lever is lever)
    assert (told.on, told.why) == (False, "switched off")


def test_a_list_without_all_names_what_is_on() -> None:
    assert switched_on(["trunk", "inline", "no-inline"]) == {Lever.TRUNK}
    assert switched_on([]) == frozenset()


def test_what_the_backend_lacks_is_off_and_said() -> None:
    """E1: a lever the backend lacks is off and reported."""
    poor = Able(marks=0, resume=False, ping=False, two_lives=False, trims=False)
    lacking = {one.lever: one.why for one in standings([ALL_LEVERS], poor) if not one.on}
    assert lacking == {
        Lever.TRUNK: "the provider is not known to cache prompts",
        Lever.HOUR: "the backend has one cache life for all entries",
        Lever.PRIMER: "nothing is shared without a shared prompt prefix (trunk)",
        Lever.RESUME: "the backend can't resume",
        Lever.KEEP_ALIVE: "the backend can't keep a session warm",
        Lever.TRIM: "the backend's tools answer the model directly",
        Lever.CHAIN: "the backend can't resume",
    }


def test_nothing_is_sent_ahead_unless_it_was_seen_to_be_read() -> None:
    """E9: with the reason, for `doctor` and `report`."""
    unsure = Able(two_lives=False, primes="not checked yet: sparing doctor --resume")
    (told,) = (one for one in standings([ALL_LEVERS], unsure) if one.lever is Lever.PRIMER)
    assert (told.on, told.why) == (False, "not checked yet: sparing doctor --resume")


def test_a_provider_that_caches_by_itself_needs_no_marks() -> None:
    """E1, G2: prompts that begin alike are shared there too, as far as anybody can mark."""
    plain = Able(marks=0, two_lives=False, automatic=True)
    lacking = {one.lever: one.why for one in standings([ALL_LEVERS], plain) if not one.on}
    assert lacking == {Lever.HOUR: "the backend has one cache life for all entries"}
