"""A feature whose worker is gone: what its turns used is estimated where their books are.

Covers: I1, E2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.payment.killed_turns import DETAIL, settle_taken_over
from sparing.payment.paid_call import Permit, reserve
from sparing.records import ledger
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.runtime.surroundings import Surroundings
from sparing.usage import Origin, Usage
from tests.payment.spending import Bill, asking, new_feature, surroundings

USED = Usage(read=4_000, output=300)


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return surroundings(tmp_path)


def cut_off(around: Surroundings, row: FeatureRow) -> None:
    """A turn whose agent has answered, and whose engine died before the bill."""
    asked = asking(around, row, "g0.0.0.0-builder")
    permit = reserve(asked)
    assert isinstance(permit, Permit)
    Bill().write(asked, permit, USED)


def turn(around: Surroundings, row: FeatureRow) -> LedgerRow:
    with around.database.read() as connection:
        (found,) = ledger.of_feature(connection, row.feature.key)
    return found


def test_on_the_same_disk_its_turn_is_billed_by_what_the_client_kept(around: Surroundings) -> None:
    """E2: estimated, and told as a turn that failed; another worker's turn goes on."""
    gone, alive = new_feature(around, 1), new_feature(around, 2)
    cut_off(around, gone)
    cut_off(around, alive)
    settle_taken_over(around, gone.feature.key, books_here=True)
    found = turn(around, gone)
    assert found.result is not None
    assert (found.outcome, found.result.usage) == (AttemptState.KNOWN, USED)
    assert (found.result.origin, found.result.detail) == (Origin.ESTIMATED, DETAIL)
    assert not found.is_good
    assert turn(around, alive).outcome is AttemptState.OPEN


def test_from_another_machine_its_turn_stays_unknown(around: Surroundings) -> None:
    """E2: it counts with all that it held: books of that name here are not the turn's own."""
    gone = new_feature(around, 1)
    cut_off(around, gone)
    settle_taken_over(around, gone.feature.key, books_here=False)
    found = turn(around, gone)
    assert (found.outcome, found.result) == (AttemptState.UNKNOWN, None)
    assert found.held.tokens > USED.total
