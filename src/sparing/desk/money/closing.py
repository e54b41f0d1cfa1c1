"""The end of a run, from its records: the bill, the baseline, the reasons, the quality."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.codec import JsonObject
from sparing.desk.money.feature_records import Basis, basis_of
from sparing.desk.money.lever_savings import economy_of
from sparing.desk.money.spending import spending
from sparing.desk.office import Office
from sparing.desk.reviews.yields import reviewers_of
from sparing.records.features import FeatureRow
from sparing.report.closing import Quality, closing_json, closing_lines
from sparing.report.reviewers import Reviewers
from sparing.report.spending import Spending
from sparing.review.quotes import QuoteCheck


def closing_of(office: Office, row: FeatureRow) -> list[str]:
    """The lines shown at the end of a run."""
    basis = basis_of(office, row)
    spent = spending(office, row)
    return closing_lines(spent, economy_of(office, [basis]), _quality(office, basis, spent))


def closing_figures(office: Office, row: FeatureRow) -> JsonObject:
    """The same figures as a JSON object."""
    basis = basis_of(office, row)
    spent = spending(office, row)
    return closing_json(spent, economy_of(office, [basis]), _quality(office, basis, spent))


def _quality(office: Office, basis: Basis, spent: Spending) -> Quality:
    return quality_of([basis], reviewers_of(office, [basis], spent.origin), spent)


def quality_of(bases: Sequence[Basis], found: Reviewers, spent: Spending) -> Quality:
    accepted = sum(row.accepted for row in found.roles)
    quotes = [one for basis in bases for row in basis.verdicts for one in row.quotes]
    checked = [one for one in quotes if one != QuoteCheck.NONE]
    cost = spent.cost_usd
    return Quality(
        looks=sum(row.looks for row in found.roles),
        accepted=accepted,
        each_usd=float(cost) / accepted if cost is not None and accepted else None,
        quotes=len(checked),
        verified=sum(one == QuoteCheck.FOUND for one in checked),
        findings=sum(len(row.verdict.findings) for basis in bases for row in basis.verdicts),
    )
