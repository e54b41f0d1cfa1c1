"""One role's turns at one thing, in order: what was sent, and what fresh turns would have been.

Only reads ledger rows. A turn in which a reply was put into shape belongs to the review before it
and does not count as a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.dispatch_policy import Way
from sparing.records.ledger import LedgerRow
from sparing.segment import CHARS_PER_TOKEN
from sparing.sent import REPAIR

CONTINUED = frozenset((Way.RESUME.value, Way.FORK.value))
"""Ways of sending that continue a session, which already has its system prompt."""
ITERATIONS = 5
"""Length of the loop by which the original measures its saving."""


class Turns(NamedTuple):
    """All attempts of one role in one stage, or at one task of it."""

    stage: str
    role: str
    rows: tuple[LedgerRow, ...]

    @property
    def is_loop(self) -> bool:
        """Whether it was asked again after a review; mere consecutive turns are no loop."""
        iterations = {row.attempt.iteration for row in self.rows}
        return len(self.rows) > 1 and (len(iterations) > 1 or any(map(is_resume, self.rows)))

    @property
    def chars(self) -> list[int]:
        return [row.attempt.prompt_chars for row in self.rows]

    @property
    def fresh_chars(self) -> list[int]:
        """Size of each turn if fresh: its own prompt, or the latest fresh one before it."""
        sizes: list[int] = []
        latest = 0
        for row in self.rows:
            latest = latest if is_resume(row) else row.attempt.prompt_chars
            sizes.append(latest or row.attempt.prompt_chars)
        return sizes

    @property
    def shorter(self) -> list[bool]:
        """For each resumed turn with a fresh one before it: whether its prompt is shorter."""
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
        """Characters of five such iterations: one fresh and four resumed, and all fresh."""
        fresh = max(self.fresh_chars)
        resumed = [row.attempt.prompt_chars for row in self.rows if is_resume(row)]
        later = sum(resumed) // len(resumed) if resumed else fresh
        return fresh + (ITERATIONS - 1) * later, ITERATIONS * fresh

    @property
    def full_tokens(self) -> int:
        """Tokens with every document in full, as recorded with each turn."""
        return sum(full_tokens(row) for row in self.rows)

    @property
    def sent_tokens(self) -> int:
        """Tokens of the prompts, each with the system prompt of the session it opens."""
        return sum(map(sent_tokens, self.rows))


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
    """Tokens of the role and every document in full; zero if they were not recorded."""
    naive = row.attempt.naive
    return sum(one[1] for one in (naive.prompt, naive.role) if one)


def sent_tokens(row: LedgerRow) -> int:
    return -(-row.attempt.prompt_chars // CHARS_PER_TOKEN) + system_tokens(row)


def system_tokens(row: LedgerRow) -> int:
    """Tokens of the system prompt that opens a session: the neutral one, or the role's own. Full
    injection has the role there, so both sides count it. Zero if it was not recorded."""
    naive = row.attempt.naive
    if row.attempt.way in CONTINUED or naive.sent_tools is None:
        return 0
    return (naive.before or 0) - naive.sent_tools + (naive.own_system or 0)


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
