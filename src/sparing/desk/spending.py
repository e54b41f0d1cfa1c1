"""What a feature spent, out of the ledger, with the naive way beside it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from sparing.desk.history import ledger_rows
from sparing.desk.office import Office
from sparing.economy.naive import NaiveTurn, naive_usage
from sparing.economy.prices import cost_usd
from sparing.records.features import FeatureRow
from sparing.records.ledger import Row
from sparing.report.spending import Spending, SpendingRow
from sparing.usage import Usage
from sparing.way import Way

Line = tuple[Row, Usage]
"""A row of the ledger and the simulated usage of the same turn, sent the naive way."""


def spending(office: Office, row: FeatureRow) -> Spending:
    rows = ledger_rows(office, row)
    lines = list(zip(rows, naive_usage(map(_naive_turn, rows)), strict=True))
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        attempt = line[0].attempt
        groups.setdefault((attempt.stage, attempt.role), []).append(line)
    origins = {line[0].result.origin.value for line in lines if line[0].result}
    return Spending(
        tuple(_row(stage, role, group) for (stage, role), group in groups.items()),
        " and ".join(sorted(origins)) or "nothing spent",
    )


def _naive_turn(row: Row) -> NaiveTurn:
    naive = row.attempt.naive
    calls = [(call["added"], call["output"]) for call in row.result.calls] if row.result else []
    prompt, role, tools = (tuple(naive[name]) for name in ("prompt", "role", "tools"))
    return NaiveTurn(row.attempt.model, row.attempt.started, prompt, role, tools, calls)


def _row(stage: str, role: str, lines: Sequence[Line]) -> SpendingRow:
    results = [row.result for row, _ in lines if row.result]
    return SpendingRow(
        stage,
        role,
        len(lines),
        sum(row.attempt.way == Way.RESUME.value for row, _ in lines),
        sum((result.usage for result in results), Usage()),
        len(lines) - len(results),
        _cost([(r.attempt.model, r.result.usage) for r, _ in lines if r.result]),
        sum((naive for _, naive in lines), Usage()),
        _cost([(row.attempt.model, naive) for row, naive in lines]),
    )


def _cost(spent: Sequence[tuple[str, Usage]]) -> Decimal | None:
    total = Decimal(0)
    for model, usage in spent:
        cost = cost_usd(model, usage)
        if cost is None:
            return None
        total += cost
    return total
