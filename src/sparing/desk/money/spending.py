"""What a feature spent, from the ledger, compared with the naive way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.config.settings import ClockKind
from sparing.desk.features.history import ledger_rows, verdict_rows
from sparing.desk.money.naive_estimate import naive_turns_of
from sparing.desk.money.predictions import predicted_nano
from sparing.desk.office import Office, settings_of
from sparing.dispatch_policy import Way
from sparing.economy.comparison.naive import naive_usage
from sparing.economy.levers import SheetUse
from sparing.economy.prices import Own, as_billed, cost_usd, own_prices
from sparing.money import to_usd, usd_or_none
from sparing.records.features import FeatureRow
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.records.totals import DOCTOR, RESUME_CHECK
from sparing.records.verdicts import VerdictRow
from sparing.report.baseline import NaiveBaseline, naive_name
from sparing.report.spending import Spending, SpendingRow, total
from sparing.report.turns import ReportedTurn
from sparing.usage import Usage


class Line(NamedTuple):
    """A ledger row, with the usage of the same turn sent the naive way."""

    row: LedgerRow
    naive: Usage
    guessed: bool = False
    """True if the naive way would have made different calls."""


def spending(office: Office, row: FeatureRow) -> Spending:
    lines = lines_of(office, row, ledger_rows(office, row), verdict_rows(office, row))
    return spent_on(lines, prices_of(office), baseline_of(office, row))


def lines_of(
    office: Office, row: FeatureRow, rows: Sequence[LedgerRow], verdicts: Sequence[VerdictRow]
) -> list[Line]:
    """Lines of one feature, in the order of their start."""
    counted = settings_of(office, row).engine.clock is ClockKind.COUNTED
    turns = naive_turns_of(rows, verdicts, counted=counted)
    pairs = zip(rows, turns, naive_usage(turns), strict=True)
    return [Line(one, bill, turn.guessed) for one, turn, bill in pairs]


def baseline_of(office: Office, row: FeatureRow) -> str:
    """Which naive way a feature is compared with: on the same client."""
    return naive_name(settings_of(office, row).agent.client.value)


def prices_of(office: Office) -> Own:
    return own_prices(office.loaded.settings.models.prices)


def prices_billed(own: Own, rows: Iterable[LedgerRow]) -> Own:
    """For what else a run could have cost."""
    known = ((row.attempt.model, row.result.usage) for row in rows if row.result)
    return as_billed(own, ((model, usage) for model, usage in known if usage))


def spent_on(lines: Sequence[Line], own: Own, baseline: str) -> Spending:
    own = prices_billed(own, [line.row for line in lines])
    groups: dict[tuple[str, str], list[Line]] = {}
    own_lines = [line for line in lines if not line.row.attempt.for_client]
    for line in own_lines:
        attempt = line.row.attempt
        groups.setdefault((attempt.stage, attempt.role), []).append(line)
    checks = [line for line in lines if line.row.attempt.for_client]
    results = [row.result for row, *_ in own_lines if row.result]
    origins = {result.origin.value for result in results if result.origin}
    return Spending(
        tuple(_row(stage, role, group, own) for (stage, role), group in groups.items()),
        " and ".join(sorted(origins)) or "nothing spent",
        NaiveBaseline(baseline, _bases(own_lines), any(_is_aided(line.row) for line in own_lines)),
        _row(DOCTOR, RESUME_CHECK, checks, own) if checks else None,
        any(line.guessed for line in own_lines),
    )


def _bases(lines: Sequence[Line]) -> tuple[int, ...]:
    """Tokens that the client sends before any prompt, one figure per tool set."""
    known = (row.attempt.naive.tools for row, *_ in lines)
    return tuple(sorted({tools[1] for tools in known if tools and tools[1]}))


def _is_aided(row: LedgerRow) -> bool:
    """Whether a fact sheet or map may have saved it from opening files; how many is unknown."""
    sent = row.attempt.sent
    return (sent.sheet == SheetUse.SHOWN and bool(sent.covered)) or bool(sent.mapped)


def turn_row(line: Line, own: Own) -> ReportedTurn:
    row, naive, _ = line
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
    known = [row.result for row, *_ in lines if row.outcome is AttemptState.KNOWN and row.result]
    bills = [result.nano_usd for result in known]
    naive = [cost_usd(row.attempt.model, usage, own) for row, usage, _ in lines]
    return SpendingRow(
        stage=stage,
        role=role,
        dispatches=len(lines),
        resumed=sum(row.attempt.way == Way.RESUME.value for row, *_ in lines),
        usage=sum((result.usage or Usage() for result in known), Usage()),
        unknown=len(lines) - len(known),
        cost_usd=total([None if bill is None else to_usd(bill) for bill in bills]),
        naive_usage=sum((usage for _, usage, _ in lines), Usage()),
        naive_usd=total(naive),
    )
