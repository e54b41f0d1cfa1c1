"""One role's turns at one thing, in order: what was sent, and what fresh turns would have been.

Pure reading of ledger rows. A turn in which a reply was put into shape belongs to the look before
it and is no turn of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.records.ledger import LedgerRow
from sparing.segment import CHARS_PER_TOKEN
from sparing.way import Way

REPAIR = "repair_reply"
ITERATIONS = 5
"""How long a loop is by which the original measures its saving."""


class Turns(NamedTuple):
    """All attempts of one role in one stage, or at one task of it."""

    stage: str
    role: str
    rows: tuple[LedgerRow, ...]

    @property
    def chars(self) -> list[int]:
        return [row.attempt.prompt_chars for row in self.rows]

    @property
    def fresh_chars(self) -> list[int]:
        """Of each turn, had it been fresh: its own prompt, or the latest fresh one before it."""
        sizes: list[int] = []
        latest = 0
        for row in self.rows:
            latest = latest if is_resume(row) else row.attempt.prompt_chars
            sizes.append(latest or row.attempt.prompt_chars)
        return sizes

    @property
    def shorter(self) -> list[bool]:
        """Of each resumed turn with a fresh one before it: whether its prompt is shorter."""
        sizes = zip(self.rows, self.chars, self.fresh_chars, strict=True)
        begun = False
        found: list[bool] = []
        for row, chars, fresh in sizes:
            if is_resume(row) and begun:
                found.append(chars < fresh)
            begun = begun or not is_resume(row)
        return found

    @property
    def five(self) -> tuple[int, int]:
        """Characters of five iterations of this size: one fresh and four resumed, all fresh."""
        fresh = max(self.fresh_chars)
        resumed = [row.attempt.prompt_chars for row in self.rows if is_resume(row)]
        later = sum(resumed) // len(resumed) if resumed else fresh
        return fresh + (ITERATIONS - 1) * later, ITERATIONS * fresh

    @property
    def full_tokens(self) -> int:
        """With every document in full, as recorded with each turn."""
        return sum(full_tokens(row) for row in self.rows)

    @property
    def sent_tokens(self) -> int:
        return sum(-(-chars // CHARS_PER_TOKEN) for chars in self.chars)


def turns_of(rows: Iterable[LedgerRow]) -> tuple[Turns, ...]:
    groups: dict[tuple[str, str, str, str], list[LedgerRow]] = {}
    for row in rows:
        one = row.attempt
        if one.template != REPAIR:
            groups.setdefault((one.feature, one.stage, one.role, one.task), []).append(row)
    return tuple(Turns(key[1], key[2], tuple(group)) for key, group in groups.items())


def is_resume(row: LedgerRow) -> bool:
    return row.attempt.way == Way.RESUME.value


def full_tokens(row: LedgerRow) -> int:
    """Of the role and of every document in full; zero where they were not recorded."""
    recorded = (row.attempt.naive.get(name) for name in ("prompt", "role"))
    return sum(int(one[1]) for one in recorded if one)


def resumes(turns: Sequence[Turns]) -> list[LedgerRow]:
    return [row for one in turns for row in one.rows if is_resume(row)]


def fallbacks(turns: Sequence[Turns]) -> list[LedgerRow]:
    """Resumes that failed and gave way to a fresh turn of the same dispatch."""
    return [
        row
        for one in turns
        for row, after in zip(one.rows, one.rows[1:], strict=False)
        if is_resume(row)
        and not is_resume(after)
        and row.attempt.dispatch == after.attempt.dispatch
    ]
