"""A backend gets as many turns as it may have, and none while its quota is used up.

Covers: I6
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from sparing.agents.backend import AgentReply, Run
from sparing.failure import Failure
from sparing.fleet.slots import Slots, job_slot, open_slots, sleep_aside
from sparing.payment.killed_turns import settle_taken_over
from sparing.payment.paid_call import Permit, SpendRefusal, clear, pay, reserve, settle
from sparing.records import events, gates, ledger
from sparing.records.features import FeatureRow
from sparing.records.gates import RULE, Gate
from sparing.records.shared_spending import Busy
from sparing.reply import Reply
from sparing.runtime.surroundings import Surroundings
from sparing.usage import Usage
from tests.payment.spending import asking, new_feature, reply, surroundings

SMALL = Usage(read=900, output=100)
RESET = 4e9
USED_UP = "used up (until 2096-10-02 07:06 UTC)"


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """One turn at once."""
    monkeypatch.setenv("SPARING_AGENT__AT_ONCE", "scripted=1")
    return surroundings(tmp_path)


def held(row: FeatureRow, around: Surroundings, number: int) -> object:
    return reserve(asking(around, row, f"g0.0.{number}.0-builder"))


def test_a_turn_waits_for_a_place_and_a_bill_gives_it_back(around: Surroundings) -> None:
    """I6: what waits has no row in the ledger: nothing of it counts as a try."""
    row = new_feature(around, 1)
    first = held(row, around, 1)
    assert isinstance(first, Permit)
    assert held(row, around, 2) == Busy("scripted: 1 of 1 turns at once", 1.0)
    settle(asking(around, row, "g0.0.1.0-builder"), first, reply(SMALL))
    assert isinstance(held(row, around, 2), Permit)
    with around.database.read() as connection:
        rows = ledger.of_feature(connection, row.feature.key)
    assert [one.number for one in rows] == [1, 1]


def test_the_place_of_a_worker_that_died_is_free_when_its_feature_is_taken_over(
    around: Surroundings,
) -> None:
    """I6, I8: its books may be on another machine."""
    gone, alive = new_feature(around, 1), new_feature(around, 2)
    assert isinstance(held(gone, around, 1), Permit)
    assert isinstance(held(alive, around, 2), Busy)
    settle_taken_over(around, gone.feature.key, books_here=False)
    assert isinstance(held(alive, around, 2), Permit)


def test_the_next_process_finds_no_places_taken_by_the_dead_one(around: Surroundings) -> None:
    """I1: killed with a turn under way."""
    row = new_feature(around, 1)
    assert isinstance(held(row, around, 1), Permit)
    clear(around)
    assert isinstance(held(row, around, 2), Permit)


def test_paid_calls_wait_for_each_other(around: Surroundings) -> None:
    row = new_feature(around, 1)
    at_work, most = 0, 0

    async def send(permit: Permit, run: Run) -> AgentReply:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return reply(SMALL)

    async def paid(number: int) -> Reply | SpendRefusal:
        return await pay(asking(around, row, f"g0.0.{number}.0-builder"), send)

    async def everything() -> None:
        found = await asyncio.gather(*(paid(number) for number in range(1, 4)))
        assert [one.failure for one in found] == [""] * 3

    asyncio.run(everything())
    assert most == 1


def test_a_waiting_job_lets_others_work() -> None:
    """I6: it has its slot again before it goes on; a process that drains gives none back."""
    order: list[str] = []

    async def waits(slots: Slots) -> None:
        async with job_slot():
            order.append("waits")
            await sleep_aside(0.01)
            order.append(f"goes on, {slots.at_work} at work")

    async def works(slots: Slots) -> None:
        async with job_slot():
            order.append(f"works, {slots.at_work} at work")

    async def both() -> None:
        slots = open_slots(1)
        await asyncio.gather(waits(slots), works(slots))
        assert slots.at_work == 0
        task = asyncio.create_task(waits(slots))
        await asyncio.sleep(0)
        slots.closed = True
        assert not (await asyncio.wait((task,), timeout=0.1))[0]
        assert slots.at_work == 0
        task.cancel()

    asyncio.run(both())
    assert order == ["waits", "works, 1 at work", "goes on, 1 at work", "waits"]


def quota_used_up(around: Surroundings, row: FeatureRow, reset: float = RESET) -> None:
    asked = asking(around, row, "g0.0.1.0-builder")
    permit = reserve(asked)
    assert isinstance(permit, Permit)
    empty = reply(Usage(), failure=Failure.QUOTA, detail=USED_UP, resets_at=reset)
    assert settle(asked, permit, empty).failure == "quota"


def test_a_used_up_quota_is_not_asked_again_before_its_reset(around: Surroundings) -> None:
    """I6: by no feature; nothing is sent, so nothing counts as a try."""
    row, other = new_feature(around, 1), new_feature(around, 2)
    quota_used_up(around, row)
    assert held(other, around, 1) == SpendRefusal("quota", USED_UP)
    with around.database.read() as connection:
        assert ledger.of_feature(connection, other.feature.key) == []
        told = events.last(connection, other.feature.key, "quota")
    assert told is not None
    assert (told.text, told.data) == (USED_UP, {"resets_at": RESET})


def test_a_quota_that_is_back_is_used(around: Surroundings) -> None:
    row = new_feature(around, 1)
    quota_used_up(around, row, 60.0)
    assert isinstance(held(row, around, 2), Permit)


@pytest.mark.parametrize(("who", "asks"), [("ada", True), (RULE, False)])
def test_a_person_may_ask_before_the_reset(around: Surroundings, who: str, asks: bool) -> None:
    """I6: they may have paid for more, or logged in elsewhere."""
    row = new_feature(around, 1)
    quota_used_up(around, row)
    key = row.feature.key
    with around.database.write() as tx:
        gates.open_gate(tx, Gate("g", key, "plan", "stuck", f"quota: {USED_UP}", time.time()))
        gates.answer(tx, "g", "continue", "", who, time.time())
    assert isinstance(held(row, around, 2), Permit if asks else SpendRefusal)
