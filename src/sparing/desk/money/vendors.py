"""Cost and findings by vendor, from the ledger and the verdicts, over one feature or many."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.backend_name import vendor_of
from sparing.desk.money.feature_records import Basis
from sparing.records.ledger import LedgerRow
from sparing.report.reviewers import Reviewers
from sparing.report.vendors import VendorRow


def vendor_rows(bases: Sequence[Basis], found: Reviewers) -> tuple[VendorRow, ...]:
    """One row for each vendor, in the order in which they were first used."""
    groups: dict[str, list[LedgerRow]] = {}
    for row in (row for basis in bases for row in basis.ledger):
        groups.setdefault(_vendor(row), []).append(row)
    looked = {one.turn for basis in bases for one in basis.verdicts}
    return tuple(_row(vendor, rows, found, looked) for vendor, rows in groups.items())


def _vendor(row: LedgerRow) -> str:
    attempt = row.attempt
    return vendor_of(attempt.backend, attempt.model) or attempt.backend


def _row(vendor: str, rows: Sequence[LedgerRow], found: Reviewers, looked: set[str]) -> VendorRow:
    models = tuple(dict.fromkeys(row.attempt.model for row in rows))
    costs = [row.result.nano_usd if row.result else None for row in rows]
    looks = [cost for row, cost in zip(rows, costs, strict=True) if row.attempt.dispatch in looked]
    known = [cost for cost in looks if cost is not None]
    own = [one for one in found.rows if one.model in models]
    return VendorRow(
        vendor=vendor,
        agents=tuple(dict.fromkeys(row.attempt.backend for row in rows)),
        models=models,
        turns=len(rows),
        unpriced=costs.count(None),
        nano_usd=sum(cost for cost in costs if cost is not None),
        looks=sum(one.looks for one in own),
        blockers=sum(one.blockers for one in own),
        accepted=sum(one.accepted for one in own),
        review_nano=sum(known) if looks and len(known) == len(looks) else None,
    )
