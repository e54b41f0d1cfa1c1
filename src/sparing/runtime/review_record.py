"""First looks of reviewers with our tools and without, with the fact sheet and without."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from sparing.economy.levers import SheetUse
from sparing.economy.review_quality import FirstLook, fallen
from sparing.records import verdicts
from sparing.records.verdicts import LookRow
from sparing.review.quotes import QuoteCheck

MOST_LOOKS = 600
"""Older looks count no more, so a lever that was lost is tried again one day."""


def looks_by_tools(connection: sqlite3.Connection, backend: str) -> list[FirstLook]:
    rows = verdicts.first_looks(connection, backend, MOST_LOOKS)
    return list(_looks(rows, [bool(row.sent.get("own") or row.opened) for row in rows]))


def looks_by_sheet(connection: sqlite3.Connection, backend: str) -> list[FirstLook]:
    rows = verdicts.first_looks(connection, backend, MOST_LOOKS)
    return list(_looks(rows, [row.sent.get("sheet") == SheetUse.SHOWN for row in rows]))


def lost_by_look(connection: sqlite3.Connection, backend: str) -> dict[str, str]:
    """Models whose readers reviewed worse with our tools, and what fell."""
    return fallen(looks_by_tools(connection, backend))


def lost_by_sheet(connection: sqlite3.Connection, backend: str) -> dict[str, str]:
    return fallen(looks_by_sheet(connection, backend))


def _looks(rows: Sequence[LookRow], aided: Sequence[bool]) -> Iterator[FirstLook]:
    for row, with_it in zip(rows, aided, strict=True):
        quotes = [one for one in row.quotes if one != QuoteCheck.NONE]
        verified = sum(one == QuoteCheck.FOUND for one in quotes)
        yield FirstLook(row.model, with_it, row.findings, len(quotes), verified)
