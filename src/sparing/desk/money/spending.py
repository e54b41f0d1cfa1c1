"""What a feature spent, out of the ledger, with the naive way beside it."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.config.settings import ClockKind
from sparing.desk.features.history import ledger_rows, verdict_rows
from sparing.desk.money.naive_estimate import naive_bills_of
from sparing.desk.money.predictions import predicted_nano
from sparing.desk.office import Office, settings_of
from sparing.economy.levers import SheetUse
from sparing.economy.prices import Own, cost_usd, own_prices
from sparing.money import to_usd, usd_or_none
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.records.totals import DOCTOR, RESUME_CHECK
from sparing.records.verdicts import VerdictRow
from sparing.report.baseline import NaiveBaseline, naive_name
from sparing.report.spending import Spending, SpendingRow, total
from sparing.report.turns import ReportedTurn
from sparing.usage import Usage
from sparing.way import Way

Line = tuple[LedgerRow, Usage]
"""A row of the ledger and the simulated usage of the same turn, sent the naive way."""


def spending(office: Office, row: FeatureRow) -> Spending:
    lines = lines_of(office, row, ledger_rows(office, row), verdict_rows(office, row))
    return spent_on(lines, prices_of(office), baseline_of(office, row))


def lines_of(
    office: Office, row: FeatureRow, rows: Sequence[LedgerRow], verdicts: Sequence[VerdictRow]
) -> list[Line]:
    """Of one feature, in the order of their start."""
    counted = settings_of(office, row).engine.clock is ClockKind.COUNTED
    return list(zip(rows, naive_bills_of(rows, verdicts, counted=counted), strict=True))


def baseline_of(office: Office, row: FeatureRow) -> str:
    """Which naive way a feature is compared with: on the same client."""
    return naive_name(settings_of(office, row).agent.client.value)


def prices_of(office: Office) -> Own:
    return own_prices(office.loaded.settings.models.prices)


def spent_on(lines: Sequence[Line], own: Own, baseline: str) -> Spending:
    groups: dict[tuple[str, str], list[Line]] = {}
    own_lines = [line for line in lines if not line[0].attempt.for_client]
    for line in own_lines:
        attempt = line[0].attempt
        groups.setdefault((attempt.stage, attempt.role), []).append(line)
    checks = [line for line in lines if line[0].attempt.for_client]
    results = [row.result for row, _ in own_lines if row.result]
    origins = {result.origin.value for result in results if result.origin}
    return Spending(
        tuple(_row(stage, role, group, own) for (stage, role), group in groups.items()),
        " and ".join(sorted(origins)) or "nothing spent",
        NaiveBaseline(baseline, _bases(own_lines), any(_is_aided(row) for row, _ in own_lines)),
        _row(DOCTOR, RESUME_CHECK, checks, own) if checks else None,
    )


def _bases(lines: Sequence[Line]) -> tuple[int, ...]:
    """What the client sends before any prompt, by tool set."""
    known = (row.attempt.naive.get("tools", ("", 0))[1] for row, _ in lines)
    return tuple(sorted({int(tokens) for tokens in known if tokens}))


def _is_aided(row: LedgerRow) -> bool:
    """It may have left files unopened that it was told of; nobody saw it without."""
    sent = row.attempt.sent
    return (sent.sheet == SheetUse.SHOWN and bool(sent.covered)) or bool(sent.mapped)


def turn_row(line: Line, own: Own) -> ReportedTurn:
    row, naive = line
    attempt, result = row.attempt, row.result
    bill = None if result is None else result.nano_usd
    plain = cost_usd(attempt.model, naive, own)
    expected = predicted_nano(row)
    return ReportedTurn(
        started=attempt.started,
        seconds=result.seconds if result else 0.0,
        feature=attempt.feature,
        stage=attempt.stage,
        role=attempt.role,
        iteration=attempt.iteration,
        task=attempt.task,
        way=attempt.way,
        model=attempt.model,
        usage=result.usage if result else None,
        origin=result.origin.value if result and result.origin else "",
        cost_usd=usd_or_none(bill),
        naive_usd=None if plain is None else float(plain),
        predicted_usd=usd_or_none(expected),
    )


def _row(stage: str, role: str, lines: Sequence[Line], own: Own) -> SpendingRow:
    known = [row.result for row, _ in lines if row.outcome is AttemptState.KNOWN and row.result]
    bills = [result.nano_usd for result in known]
    naive = [cost_usd(row.attempt.model, usage, own) for row, usage in lines]
    return SpendingRow(
        stage=stage,
        role=role,
        dispatches=len(lines),
        resumed=sum(row.attempt.way == Way.RESUME.value for row, _ in lines),
        usage=sum((result.usage or Usage() for result in known), Usage()),
        unknown=len(lines) - len(known),
        cost_usd=total([None if bill is None else to_usd(bill) for bill in bills]),
        naive_usage=sum((usage for _, usage in lines), Usage()),
        naive_usd=total(naive),
    )
