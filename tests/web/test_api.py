"""The same values as the terminal's `--json`, documented; and what the page weighs. Covers: F8"""

from __future__ import annotations

import gzip
from pathlib import Path

from sparing.desk.office import Office
from sparing.web.chart_tables import chart_tables
from sparing.web.render import static_file
from sparing.web.views import VIEWS
from tests.desk.reviewing import CONCERN, DEFECT, looked
from tests.desk.standing import standing
from tests.report.reported import report
from tests.terminal import sparing
from tests.web.asking import Door

DOCS = Path(__file__).parents[2] / "docs" / "page.md"


def test_the_terminal_says_the_same(office: Office, door: Door) -> None:
    """F8: every figure under /api is one that a command prints."""
    row = standing(office, "at a gate")
    looked(office, row, "plan-reviewer", 1, DEFECT, CONCERN, stage="plan")
    standing(office, "stuck")
    where, home = office.repository.checkout, f"/api/r/{office.repository.key}/f/001"
    board = door.get("/api/board").json["repositories"][0]
    rows = [one["view"] for one in (*board["needs"], *board["busy"], *board["over"])]
    listed = sparing(where, "list", "--json").json["features"]
    assert sorted(rows, key=lambda one: one["id"]) == listed
    shown = sparing(where, "show", "1", "--json").json
    view = door.get(home).json["row"]["view"]
    assert view == {name: shown[name] for name in view}
    document = sparing(where, "show", "1", "plan", "--json").json
    assert door.get(f"{home}/doc/plan.md").json["text"] == document["text"]
    money = door.get(f"{home}/money").json
    told = sparing(where, "report", "1", "--json").json
    assert money["report"] == {name: told[name] for name in money["report"]}
    for table in money["tables"]:
        said = sparing(where, "cost", "1", "--by", table["by"], "--json").json
        costs = {one["name"]: one["nano_usd"] / 10**9 for one in table["rows"]}
        assert costs == {name: one["cost_usd"] for name, one in said["rows"].items()}


def test_every_address_is_documented() -> None:
    """F8"""
    text = DOCS.read_text("utf-8")
    for view in VIEWS:
        named = view.api.format(repo="KEY", id="001", name="spec.md", dispatch="DISPATCH")
        assert f"`{named}`" in text, named


def test_each_chart_has_its_table() -> None:
    """F8: the figures can be read where no chart can be seen."""
    for table in chart_tables(report()):
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.head)}, table.name


def test_scripts_and_styles_are_small() -> None:
    """F8: at most 600 lines of our own script; at most 40 kB of script and style, gzipped."""
    assert len(static_file("page.js").splitlines()) <= 600
    weight = sum(len(gzip.compress(static_file(name))) for name in ("page.js", "page.css"))
    assert weight <= 40_000
