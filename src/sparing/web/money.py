"""Money: what was spent, by every grouping, what was predicted, what was saved and how.

The same values as `sparing cost` and `sparing report`; every figure says where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.desk.money.cost import By, costs, feature_costs
from sparing.desk.money.figures import project_report
from sparing.desk.money.forecast import outlook, outlook_words
from sparing.desk.office import Office
from sparing.installation import add_command
from sparing.records.features import FeatureRow
from sparing.report.closing import closing_lines
from sparing.report.cost import CapRow, Costs
from sparing.report.drawing import can_draw
from sparing.report.figures import Figure, Report, report_json
from sparing.report.reviewers import YieldRow
from sparing.report.savings_table import limit_lines
from sparing.web.chart_image import report_of
from sparing.web.chart_tables import ChartTable, chart_tables
from sparing.web.visit import Visit


@dataclass(frozen=True)
class BucketRow:
    name: str
    tokens: int


@dataclass(frozen=True)
class MoneyPage:
    id: str
    """Number of the feature; empty for the repository."""
    title: str
    by: str
    tables: tuple[Costs, ...]
    buckets: tuple[BucketRow, ...]
    caps: tuple[CapRow, ...]
    forecast: str
    closing: tuple[str, ...]
    """What it cost, what the naive way would have cost, and why."""
    proof: tuple[Figure, ...]
    """Predicted and actual cost."""
    reviewers: tuple[YieldRow, ...]
    advice: tuple[str, ...]
    limits: tuple[str, ...]
    charts: tuple[ChartTable, ...]
    """For a feature: the data of each chart, as a table."""
    draws: bool
    """True if the library that draws them is installed."""
    command: str
    """Command that installs that library."""
    report: JsonObject


def repository_money(visit: Visit) -> MoneyPage:
    office = visit.records
    tables = tuple(costs(office, by) for by in (By.FEATURE, By.STAGE, By.ROLE, By.MODEL, By.DAY))
    title = visit.site.repository(visit.path["repo"]).name
    return _money(project_report(office), tables, "", title, (), "")


def feature_money(visit: Visit) -> MoneyPage:
    office, row = visit.office, visit.row
    order = (By.STAGE, By.ROLE, By.WAY, By.MODEL, By.DAY)
    tables = tuple(feature_costs(office, row, by, visit.at) for by in order)
    report, ahead = report_of(visit), _ahead(office, row)
    number, title = row.feature.id, row.feature.title
    return _money(report, tables, number, title, tables[0].caps, ahead)


def _ahead(office: Office, row: FeatureRow) -> str:
    return "" if row.status.is_over else outlook_words(outlook(office, row))


def _money(
    report: Report,
    tables: tuple[Costs, ...],
    number: str,
    title: str,
    caps: tuple[CapRow, ...],
    forecast: str,
) -> MoneyPage:
    used = tables[0].total.usage
    economy = report.economy if report.economy and report.economy.turns else None
    return MoneyPage(
        id=number,
        title=title,
        by=tables[0].by,
        tables=tables,
        buckets=(
            BucketRow("read from the cache", used.read),
            BucketRow("written, five minutes", used.write_5m),
            BucketRow("written, one hour", used.write_1h),
            BucketRow("sent uncached", used.uncached),
            BucketRow("answered", used.output),
        ),
        caps=caps,
        forecast=forecast,
        closing=tuple(closing_lines(report.spending, report.economy, report.quality)),
        proof=report.proof,
        reviewers=tuple(report.reviewers.together),
        advice=report.advice,
        limits=() if economy is None else tuple(limit_lines(economy)),
        charts=chart_tables(report) if number else (),
        draws=can_draw(),
        command=add_command("charts"),
        report=report_json(report),
    )
