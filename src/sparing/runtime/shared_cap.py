"""The cap that spans repositories, around one paid call; does nothing where none is set."""

from __future__ import annotations

from functools import partial

from sparing.money import Amount, CapLimits, Reached
from sparing.records import ledger, shared_spending
from sparing.records.ledger import Attempt
from sparing.records.shared_spending import SharedTurn
from sparing.runtime.surroundings import Surroundings


def hold(
    around: Surroundings, attempt: Attempt, number: int, limits: CapLimits, worst: Amount
) -> Reached | None:
    """Asked while the repository's own records are locked, and kept before they are written."""
    if not limits.spans_repositories:
        return None
    turn = SharedTurn(around.folder.repository, attempt.dispatch, number)
    with around.folder.shared_spending().write() as tx:
        return shared_spending.hold(tx, turn, attempt.day, worst, limits)


def settle(around: Surroundings, limits: CapLimits, dispatch: str, number: int) -> None:
    if not limits.spans_repositories:
        return
    with around.database.read() as connection:
        bill = ledger.charge_of(connection, dispatch, number)
    if bill is not None:
        turn = SharedTurn(around.folder.repository, dispatch, number)
        with around.folder.shared_spending().write() as tx:
            shared_spending.settle(tx, turn, bill)


def correct(around: Surroundings, limits: CapLimits) -> None:
    """At the start, when nothing of this repository runs: as its own ledger has it."""
    if limits.spans_repositories:
        with around.database.read() as own, around.folder.shared_spending().write() as tx:
            shared_spending.correct(tx, around.folder.repository, partial(ledger.charge_of, own))
