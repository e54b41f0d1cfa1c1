"""What the ledger shows of levers here: turns with and without them, groups and plain prompts.

Also reviewers' first reviews with and without our tools, and with and without the fact sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sparing.connection import Connection
from sparing.dispatch_policy import Lever, Way
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL, Expected, turn_tokens
from sparing.economy.expected_work import seen_work
from sparing.economy.levers import (
    SPARES,
    AidedTurn,
    CoveredTurn,
    PaidGroup,
    SheetEffect,
    SheetUse,
    sheet_effect,
    sheet_use,
    trunk_lost,
    why_off,
)
from sparing.economy.review_quality import FirstLook, fallen
from sparing.records import ledger, verdicts
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import LookRow
from sparing.review.quotes import QuoteCheck
from sparing.runtime.turn_history import errand_of

MOST_TURNS = 240
"""Older turns count no more, so a lever that is off is tried again one day."""
FIVE_MINUTES = 300.0
FRESH = (Way.COMPOSE.value, Way.PLAIN.value, Way.REFERENCE.value)


def off_by_record(
    connection: Connection, backend: str, feature: int, named: Iterable[str] = ()
) -> dict[Lever, str]:
    """Levers that are not used here, with the reason; never one that the user has named."""
    rows = [row for row in ledger.of_backend(connection, backend, MOST_TURNS) if row.attempt.sent]
    found = {lever: why_off(lever, list(_turns(rows, lever)), feature) for lever in SPARES}
    found[Lever.TRUNK] = trunk_lost(groups_of(rows))
    found[Lever.SHEET] = sheet_use(sheet_effect(list(covered_turns(rows))), feature)[1]
    return {lever: why for lever, why in found.items() if why and lever.value not in named}


def _turns(rows: Iterable[LedgerRow], lever: Lever) -> Iterable[AidedTurn]:
    for row in rows:
        one, sent = row.attempt, row.attempt.sent
        errand = errand_of(one.template, one.stage)
        if errand is None or row.result is None or one.way not in FRESH or not row.result.calls:
            continue
        if lever is Lever.NOTES and one.iteration < 2:
            continue  # nobody has notes of a first look
        aided = sent.noted if lever is Lever.NOTES else sent.mapped
        yield AidedTurn(errand, bool(aided), len(row.result.calls))


def covered_turns(rows: Iterable[LedgerRow]) -> Iterable[CoveredTurn]:
    """Fresh turns of features in which the sheet was shown, or kept to compare with."""
    for row in rows:
        one, sent = row.attempt, row.attempt.sent
        errand = errand_of(one.template, one.stage)
        if errand is None or row.result is None or not sent.sheet or one.way not in FRESH:
            continue
        covered = sent.covered or ()
        read = row.result.files_read
        opened = sum(any(_is_file(one, path) for one in read) for path in covered)
        yield CoveredTurn(errand, sent.sheet == SheetUse.SHOWN, len(covered), opened)


def _is_file(told: str, path: str) -> bool:
    """Whether a path reported by a tool, absolute or relative to the repository, is this file."""
    return told == path or told.endswith(f"/{path}")


def effect_of_sheet(connection: Connection, backend: str) -> SheetEffect:
    return sheet_effect(list(covered_turns(ledger.of_backend(connection, backend, MOST_TURNS))))


def groups_of(rows: Iterable[LedgerRow]) -> list[PaidGroup]:
    """Fresh turns that share a trunk key in one feature; resumed turns did other work."""
    paid: dict[str, list[float]] = {}
    last: dict[str, float] = {}
    for row in rows:
        plain = row.attempt.sent.ways.get(Way.PLAIN)
        usable = row.result is not None and row.result.usage is not None and row.result.calls
        if row.attempt.way != Way.COMPOSE or plain is None or plain.base is None or not usable:
            continue
        assert row.result is not None
        assert row.result.usage is not None
        group = f"{row.attempt.feature} {row.attempt.trunk} {row.attempt.sent.group or ''}"
        found = paid.setdefault(group, [0.0, 0.0])
        found[0] += TYPICAL.price(row.result.usage)
        size = sum(tokens for _, tokens, _, _ in plain.blocks)
        found[1] += _plainly(row, Base(*plain.base), size, last)
    return [PaidGroup(key, *both) for key, both in paid.items()]


def _plainly(row: LedgerRow, base: Base, size: int, last: dict[str, float]) -> float:
    """Cost of the same calls after the plain prompt; a role asked recently finds its base
    cached."""
    assert row.result is not None
    at, name = row.attempt.started, f"{row.attempt.feature} {base.key}"
    cached = base.tokens if at - last.get(name, -FIVE_MINUTES) < FIVE_MINUTES else 0
    last[name] = at + row.result.seconds
    context = base.tokens + size
    work = seen_work([(call["added"], call["output"]) for call in row.result.calls])
    return TYPICAL.price(turn_tokens(Expected(read=cached, write_5m=context - cached), work))


MOST_LOOKS = 600
"""Older reviews no longer count, so that a lever that was lost is tried again one day."""


def looks_by_tools(connection: Connection, backend: str) -> list[FirstLook]:
    rows = verdicts.first_looks(connection, backend, MOST_LOOKS)
    return list(_looks(rows, [bool(row.sent.own or row.opened) for row in rows]))


def looks_by_sheet(connection: Connection, backend: str) -> list[FirstLook]:
    rows = verdicts.first_looks(connection, backend, MOST_LOOKS)
    return list(_looks(rows, [row.sent.sheet == SheetUse.SHOWN for row in rows]))


def lost_by_look(connection: Connection, backend: str) -> dict[str, str]:
    """Models whose readers reviewed worse with our tools, and what fell."""
    return fallen(looks_by_tools(connection, backend))


def lost_by_sheet(connection: Connection, backend: str) -> dict[str, str]:
    return fallen(looks_by_sheet(connection, backend))


def _looks(rows: Sequence[LookRow], aided: Sequence[bool]) -> Iterator[FirstLook]:
    for row, with_it in zip(rows, aided, strict=True):
        quotes = [one for one in row.quotes if one != QuoteCheck.NONE]
        verified = sum(one == QuoteCheck.FOUND for one in quotes)
        yield FirstLook(row.model, with_it, row.findings, len(quotes), verified)
