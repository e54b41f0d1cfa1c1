"""Levers that are switched on or off by what they did here. Covers: E6."""

from __future__ import annotations

import pytest

from sparing.dispatch_policy import Lever
from sparing.economy.levers import (
    AidedTurn,
    CoveredTurn,
    PaidGroup,
    SheetUse,
    sheet_effect,
    sheet_use,
    trunk_lost,
    why_off,
)
from sparing.turn_kind import Errand


def turns(errand: Errand, *, aided: bool, calls: int, times: int) -> list[AidedTurn]:
    return [AidedTurn(errand, aided, calls)] * times


BARE = turns(Errand.REVIEW, aided=False, calls=10, times=20)


def test_a_map_is_off_until_it_was_seen_to_spare_calls() -> None:
    """E6: no first feature has it; every eighth one tries it once there is something to compare."""
    assert why_off(Lever.MAP, [], 8) == "not shown yet to save calls here"
    assert why_off(Lever.MAP, BARE, 9) == "not shown yet to save calls here"
    assert why_off(Lever.MAP, BARE, 8) == ""


def test_a_map_that_spares_calls_is_on_for_every_feature() -> None:
    """E6: and one that spares too few is off, also for the eighth."""
    good = turns(Errand.REVIEW, aided=True, calls=8, times=10)
    poor = turns(Errand.REVIEW, aided=True, calls=10, times=10)
    assert why_off(Lever.MAP, [*BARE, *good], 9) == ""
    told = why_off(Lever.MAP, [*BARE, *poor], 8)
    assert told == "its own record: 10 turns with it saved 0.0 calls each"


def test_only_turns_of_one_errand_are_compared() -> None:
    """E6: that fixes take more calls than reviews says nothing of a map."""
    mixed = [
        *turns(Errand.FIX, aided=True, calls=20, times=10),
        *turns(Errand.FIX, aided=False, calls=22, times=2),
    ]
    assert why_off(Lever.MAP, [*BARE, *mixed], 9) == ""


def test_turns_with_nothing_to_compare_them_with_save_nothing() -> None:
    """E6: reviews without it, fixes with it: no pair."""
    alone = turns(Errand.FIX, aided=True, calls=1, times=10)
    told = why_off(Lever.MAP, [*BARE, *alone], 8)
    assert told == "its own record: 10 turns with it saved 0.0 calls each"


def test_a_trunk_that_lost_over_five_groups_is_off() -> None:
    """E6: writer and readers together, against what each would have cost plainly."""
    lost = [PaidGroup(str(n), 110.0, 100.0) for n in range(5)]
    assert trunk_lost(lost[:4]) == ""
    assert trunk_lost([*lost, PaidGroup("good", 10.0, 100.0)]) == ""
    told = trunk_lost(lost)
    assert told == "its own record: over 5 groups it cost 10.0 % more than prompts without it"


def covered(
    *, shown: bool, opened: int, times: int, errand: Errand = Errand.REVIEW
) -> list[CoveredTurn]:
    return [CoveredTurn(errand, shown, 4, opened)] * times


def test_the_sheet_is_on_where_files_it_quotes_are_opened_a_quarter_less_often() -> None:
    """E8: 3 of 4 files without it, 2 of 4 with it: a third less often."""
    good = sheet_effect(
        [*covered(shown=True, opened=2, times=10), *covered(shown=False, opened=3, times=10)]
    )
    assert good.less == pytest.approx(1 / 3)
    assert sheet_use(good, 3) == (SheetUse.SHOWN, "")
    poor = sheet_effect(
        [*covered(shown=True, opened=3, times=10), *covered(shown=False, opened=3, times=10)]
    )
    why = "its own record: files it quotes were opened 0 % less often, 25 % pay"
    assert sheet_use(poor, 3) == (SheetUse.OFF, why)
    assert sheet_use(poor, 2)[0] is SheetUse.SHOWN, "it is tried again one day"
    assert sheet_use(good, 6)[0] is SheetUse.KEPT, "there is always something to compare with"


def test_too_few_turns_or_opens_say_nothing_of_the_sheet() -> None:
    """E8: nor do turns of other errands, nor files that nobody would have opened."""
    bare = covered(shown=False, opened=3, times=10)
    assert sheet_effect([*covered(shown=True, opened=0, times=9), *bare]).less is None
    assert (
        sheet_effect(
            [*covered(shown=True, opened=0, times=10), *covered(shown=False, opened=1, times=10)]
        ).less
        is None
    )
    other = covered(shown=True, opened=0, times=10, errand=Errand.FIX)
    assert sheet_effect([*other, *bare]).less is None
    why = "not shown yet that files it quotes are opened less often here"
    assert sheet_use(sheet_effect([]), 1) == (SheetUse.OFF, why)


def test_what_cannot_be_compared_spares_nothing() -> None:
    """E6: aided reviews and bare fixes have nothing in common."""
    aided = turns(Errand.REVIEW, aided=True, calls=1, times=10)
    bare = turns(Errand.FIX, aided=False, calls=30, times=20)
    told = why_off(Lever.MAP, [*aided, *bare], 8)
    assert told == "its own record: 10 turns with it saved 0.0 calls each"
