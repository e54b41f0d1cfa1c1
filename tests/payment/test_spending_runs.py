"""500 random runs that are killed between any two points of a turn, 125 of them in `make test`.

Covers: E2, E3, I1
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sparing.money import Amount, CapMeasure, CapScope, to_nano
from sparing.payment.killed_turns import DETAIL
from sparing.payment.paid_call import Paid, Permit, SpendRefusal, clear, reserve, settle
from sparing.records import ledger, totals
from sparing.records.caps import Raise, Whose, in_force, record
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.runtime.surroundings import Surroundings
from sparing.usage import Origin, Usage
from tests.payment.spending import (
    Bill,
    Killed,
    asking,
    memory_folder,
    new_feature,
    restarting,
    surroundings,
)

RUNS = 500
PARTS = 4
TURN = Amount(50_000, to_nano("0.20"))
ATTEMPTS = 4
PROMPT_TOKENS = 100 + 2_200
"""What is estimated for a turn of which the client kept nothing."""
POINTS = ("begin", "reserved", "asked", "answered", "settled")
"""Where a turn may be killed: before it reserves, before the agent is asked, half-way, before the
bill is recorded, before the engine has recorded the step. Every second turn is."""


def usage(dice: random.Random) -> Usage:
    """Most turns need a part of what they may take; one in ten goes beyond it."""
    size = TURN.tokens * (dice.uniform(1.0, 1.9) if dice.random() < 0.1 else dice.uniform(0, 0.8))
    output = int(size * dice.uniform(0, 0.3))
    return Usage(read=int(size) - output, output=output)


def turn(around: Surroundings, row: FeatureRow, name: str, bill: Bill, dice: random.Random) -> str:
    """One try at a dispatch; returns why it may not go on, or nothing."""
    die_at = dice.choice(POINTS) if dice.random() < 0.5 else ""
    asked = asking(around, row, name)
    _pass("begin", die_at)
    permit = reserve(asked)
    assert isinstance(permit, Permit | SpendRefusal | Paid)
    if isinstance(permit, Paid):
        return permit.result.failure  # its end was recorded, and is not sent again
    if isinstance(permit, SpendRefusal):
        return permit.failure
    _pass("reserved", die_at)
    took = usage(dice)
    if die_at == "asked":
        bill.write(asked, permit, Usage(read=took.read // 2))
    _pass("asked", die_at)
    answer = bill.write(asked, permit, took)
    _pass("answered", die_at)
    done = settle(asked, permit, answer)
    _pass("settled", die_at)
    return done.failure


def _pass(point: str, die_at: str) -> None:
    if point == die_at:
        raise Killed


def run(around: Surroundings, row: FeatureRow, bill: Bill, dice: random.Random) -> list[str]:
    """Dispatches in order, each until its end is recorded, as a durable engine repeats them.

    At a cap a person gives up, or raises it once and the same dispatch is sent in the next leg.
    """
    ends: list[str] = []
    for number in range(dice.randint(1, 5)):
        stopped: str | None = None
        while stopped is None:
            with restarting(around):
                name = f"g{dice.randint(0, 1)}.{len(ends)}.{number}.0-builder"
                stopped = turn(around, row, name, bill, dice)
        if stopped:
            ends.append(stopped)
            if len(ends) > 1 or dice.random() < 0.5:
                return ends
            allow_twice(around, row)
    return [*ends, ""]


def allow_twice(around: Surroundings, row: FeatureRow) -> None:
    limits = around.settings(row).caps.limits
    with around.database.write() as tx:
        for measure in (CapMeasure.TOKENS, CapMeasure.MONEY):
            twice = 2 * (limits.feature.of(measure) or 0)
            given = Raise(row.feature.key, CapScope.FEATURE, "", measure, twice, "terminal", 1.0)
            record(tx, given)


def check(around: Surroundings, row: FeatureRow, bill: Bill) -> None:
    clear(around)
    with around.database.read() as connection:
        whose = Whose(row.feature.key, "plan", "")
        caps = in_force(connection, around.settings(row).caps.limits, whose).feature
        rows = ledger.of_feature(connection, row.feature.key)
        tally = totals.get(connection, "feature", row.feature.key)
    assert all(one.outcome is not AttemptState.OPEN for one in rows), "a reservation never settled"
    assert all(one.outcome is AttemptState.KNOWN for one in rows), "a turn keeps what it held"
    unsent = [one for one in rows if (one.attempt.dispatch, one.number) not in bill.used]
    for one in rows:
        assert one.result is not None
        killed = one.result.detail == DETAIL
        assert (one.result.origin is Origin.ESTIMATED, bool(one.result.failure)) >= (killed, killed)
        if one not in unsent:
            assert one.result.usage == bill.used[one.attempt.dispatch, one.number]
    assert _sum(bill, rows) == bill.total, "billed, but in no row"
    assert tally.charged_tokens == tally.usage.total
    assert tally.usage.total - bill.total.total == len(unsent) * PROMPT_TOKENS
    assert tally.charged_tokens <= caps.tokens + TURN.tokens, "more than one turn beyond the cap"
    assert tally.charged_nano_usd <= (caps.nano_usd or 0) + (TURN.nano_usd or 0)
    assert bill.total.total <= caps.tokens + TURN.tokens
    assert max(tries(rows).values(), default=0) <= ATTEMPTS


def tries(rows: list[LedgerRow]) -> Counter[tuple[int, str]]:
    """Over all generations of a leg: no recovery begins to count anew."""
    return Counter((one.attempt.leg, one.attempt.prompt) for one in rows)


def _sum(bill: Bill, rows: list[LedgerRow]) -> Usage:
    """A turn that was killed before the agent was asked is on nobody's bill."""
    bills = (bill.used.get((one.attempt.dispatch, one.number), Usage()) for one in rows)
    return sum(bills, Usage())


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(one, marks=pytest.mark.long) for one in range(1, PARTS))]
)
def test_whatever_dies_the_books_agree_and_the_caps_hold(part: int) -> None:
    """E2, E3: reservations settle, at most one turn's reservation is overshot, and the ledger is
    what the provider says; a turn that may not have been sent counts with its prompt."""
    with memory_folder() as folder:
        ends = play(surroundings(folder), part)
    assert ends == {"", "budget"}


def play(around: Surroundings, part: int) -> set[str]:
    ends: set[str] = set()
    for seed in range(part, RUNS, PARTS):
        dice = random.Random(seed)
        row = new_feature(
            around, seed + 1, feature_tokens=dice.randint(40_000, 400_000),
            feature_usd=round(dice.uniform(0.1, 1.5), 2), turn_tokens=TURN.tokens, turn_usd=0.20,
            attempts=ATTEMPTS, day_usd=1e6, day_tokens=10**12,
        )  # fmt: skip
        bill = Bill()
        ends.add(run(around, row, bill, dice)[-1])
        check(around, row, bill)
    return ends
