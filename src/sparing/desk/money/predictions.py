"""Each turn's predicted cost beside its bill, and whether its prompt contained all it had to.

Covers turns with a known bill and a prediction in money for the way they were sent; the others are
counted, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from sparing.money import MILLION, NANO, dollars
from sparing.percent import percent
from sparing.records.ledger import LedgerRow
from sparing.report.figures import Figure
from sparing.sent import IN_MONEY


class PredictedTurn(NamedTuple):
    nano_usd: int
    billed_nano_usd: int

    @property
    def error(self) -> float | None:
        """The prediction's error as a fraction of the bill."""
        if not self.billed_nano_usd:
            return None
        return abs(self.nano_usd - self.billed_nano_usd) / self.billed_nano_usd


def prediction_of(row: LedgerRow) -> PredictedTurn | None:
    expected, result = predicted_nano(row), row.result
    if expected is None or result is None or result.nano_usd is None:
        return None
    return PredictedTurn(expected, result.nano_usd)


def predicted_nano(row: LedgerRow) -> int | None:
    """Predicted cost of the way it was sent; None if that was not in money."""
    sent = row.attempt.sent
    expected = (sent.predicted or {}).get(row.attempt.way)
    if expected is None or expected.cost is None or sent.unit != IN_MONEY:
        return None
    return round(expected.cost * NANO / MILLION)


def proof_figures(rows: Sequence[LedgerRow], origin: str) -> tuple[Figure, ...]:
    return (_prediction(rows, origin), _recall(rows))


def _prediction(rows: Iterable[LedgerRow], origin: str) -> Figure:
    name = "predicted cost"
    found = [one for row in rows if (one := prediction_of(row))]
    errors = [error for one in found if (error := one.error) is not None]
    if not errors:
        return Figure(name, None, "no turn has a prediction and a bill", "estimated")
    expected = sum(one.nano_usd for one in found)
    billed = sum(one.billed_nano_usd for one in found)
    turns = f"{len(found)} turn{'s' if len(found) != 1 else ''}"
    said = f"{dollars(expected)}, billed {dollars(billed)} for {turns}"
    off = (
        f"half of the turns were off by no more than {percent(median(errors))} of their bill;"
        " a role's first turns are expected to be as long as usual ones"
    )
    return Figure(name, expected / billed, said, f"estimated against {origin}", off)


def _recall(rows: Sequence[LedgerRow]) -> Figure:
    """Share of the lines a role had to know that were in its prompt or in a named file."""
    name = "context recall"
    needed = sum(row.attempt.sent.needed or 0 for row in rows)
    missing = sum(len(row.attempt.sent.missing or ()) for row in rows)
    if not needed:
        return Figure(name, None, "nothing was recorded", "measured")
    share = 1 - missing / needed
    few = "at least " if missing else ""  # of each prompt only the first are recorded
    said = f"{100 * share:.1f} %, {few}{missing:,} of {needed:,} lines missing"
    against = "wanted: 100 % of what a role must know, in every dispatch"
    return Figure(name, share, said, "measured", against, missing == 0)
