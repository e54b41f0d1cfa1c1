"""The figures behind each chart as a table: for people who can't see charts, or without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.money import dollars, to_nano
from sparing.report.charts import BUCKETS, CHARTS
from sparing.report.figures import Report
from sparing.report.spending import tokens
from sparing.report.turns import ReportedTurn
from sparing.usage import Usage

Cells = tuple[str, ...]


class ChartTable(NamedTuple):
    name: str
    """Name of the chart, which its picture's address contains."""
    title: str
    head: Cells
    rows: tuple[Cells, ...]


def chart_tables(report: Report) -> tuple[ChartTable, ...]:
    """Tables for all charts that have something to show, in order."""
    makers = (_spend, _tokens, _loops, _predictions, _limits)
    found = (make(name, report) for name, make in zip(CHARTS, makers, strict=True))
    return tuple(one for one in found if one.rows)


def _spend(name: str, report: Report) -> ChartTable:
    rows: list[Cells] = []
    whole, naive = 0.0, 0.0
    for turn in report.turns:
        if turn.cost_usd is None:
            continue
        whole += turn.cost_usd
        naive += turn.naive_usd or 0.0
        there = "unknown" if turn.naive_usd is None else _usd(naive)
        rows.append((turn.stage, turn.role, _usd(turn.cost_usd), _usd(whole), there))
    head = ("stage", "role", "turn", "added up", "naive prompting, cumulative (simulated)")
    return ChartTable(name, "Spend over time, by role", head, tuple(rows))


def _tokens(name: str, report: Report) -> ChartTable:
    spending = report.spending
    used: dict[str, Usage] = {}
    for row in spending.rows:
        used[row.stage] = used.get(row.stage, Usage()) + row.usage
    every = {**used, "all": spending.usage, "all, naive prompting": spending.naive_usage}
    rows = tuple(
        (stage, *(tokens(getattr(usage, bucket)) for _, bucket, _ in BUCKETS))
        for stage, usage in every.items()
        if spending.usage.total
    )
    head = ("stage", *(label for label, _, _ in BUCKETS))
    return ChartTable(name, "Tokens of each stage by cache outcome", head, rows)


def _loops(name: str, report: Report) -> ChartTable:
    groups: dict[tuple[str, str], list[ReportedTurn]] = {}
    for turn in report.turns:
        if turn.cost_usd is not None and not turn.task:
            groups.setdefault((turn.stage, turn.role), []).append(turn)
    rows = tuple(
        (stage, role, ", ".join(_usd(one.cost_usd) for one in turns), *_sums(turns))
        for (stage, role), turns in groups.items()
        if len(turns) > 1
    )
    head = ("stage", "role", "turn by turn", "together", "naive prompting (simulated)")
    return ChartTable(name, "What review loops cost", head, rows)


def _sums(turns: Sequence[ReportedTurn]) -> tuple[str, str]:
    costs = sum(one.cost_usd or 0 for one in turns)
    return _usd(costs), _usd(sum(one.naive_usd or 0 for one in turns))


def _predictions(name: str, report: Report) -> ChartTable:
    rows = tuple(
        (one.stage, one.role, one.way, _usd(one.predicted_usd), _usd(one.cost_usd))
        for one in report.turns
        if one.predicted_usd and one.cost_usd
    )
    head = ("stage", "role", "way", "predicted (estimated)", f"billed ({report.spending.origin})")
    return ChartTable(name, "Predicted and actual cost", head, rows)


def _limits(name: str, report: Report) -> ChartTable:
    economy = report.economy
    rows: list[Cells] = []
    if economy is not None and economy.turns:
        compared = (
            *((f"{one.name} ({one.origin})", one.cost) for one in economy.ladders),
            (f"this run ({economy.origin})", economy.billed),
            ("best choices in hindsight (simulated)", economy.best),
            ("lower bound (simulated)", economy.bound),
        )
        for what, cost in compared:
            share = f"{cost / economy.billed:.2f} ×" if economy.billed else ""
            rows.append((what, economy.amount(cost), share))
    head = ("the same work", "cost", "of this run's cost")
    return ChartTable(name, "Distance from the lower bound", head, tuple(rows))


def _usd(amount: float | None) -> str:
    return "unknown" if amount is None else dollars(to_nano(amount))
