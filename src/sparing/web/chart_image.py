"""Reports and charts of a feature, made once for each state of its records."""

from __future__ import annotations

import hashlib

from sparing.desk.features.history import latest_event, ledger_rows
from sparing.desk.money.figures import feature_report
from sparing.errors import NotFound
from sparing.installation import add_command
from sparing.report.charts import CHARTS, chart_named
from sparing.report.drawing import can_draw
from sparing.report.figures import Report
from sparing.web.chart_tables import chart_tables
from sparing.web.visit import Visit


def chart_image(visit: Visit) -> str:
    name = visit.path["name"].removesuffix(".svg")
    if name not in CHARTS:
        raise NotFound("there is no such chart", f"charts: {', '.join(CHARTS)}")
    if all(table.name != name for table in chart_tables(report_of(visit))):
        raise _nothing_yet(visit)
    if not can_draw():
        raise NotFound("the library that draws charts is not installed", add_command("charts"))
    return visit.site.chart(f"{_stand(visit)} {name}", lambda: _drawn(visit, name))


def report_of(visit: Visit) -> Report:
    return visit.site.report(_stand(visit), lambda: feature_report(visit.records, visit.row))


def _stand(visit: Visit) -> str:
    """A digest that changes with everything a report is made from."""
    office, row = visit.records, visit.row
    ended = sum(one.result is not None for one in ledger_rows(office, row))
    stand = f"{row.feature.key} {row.leg_id} {ended} {row.head} {latest_event(office)}"
    return hashlib.sha256(stand.encode()).hexdigest()


def _drawn(visit: Visit, name: str) -> str:
    chart = chart_named(report_of(visit), name)
    if chart is None:
        raise _nothing_yet(visit)
    return chart.svg


def _nothing_yet(visit: Visit) -> NotFound:
    return NotFound("there is nothing to chart yet", f"sparing report {visit.row.feature.id}")
