"""Ledger notes: what a role saw and said at its last look, for a session that forgot it.

A fresh session that is told what it found, what it opened and what changed since need not look
around again. All of it stands in the ledger already; no model is asked to write notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.economy.cost_model import Rates, TurnWork, turn_cost
from sparing.segment import CHARS_PER_TOKEN

LIMIT_TOKENS = 600
BENEFIT_OF_DOUBT = 1.02
"""Who knows what it said the last time judges more evenly; that may cost a little."""
_MOST_FILES = 40


class NotedLook(NamedTuple):
    round: int
    said: str
    """Its verdict's summary and evidence, or an author's report."""
    opened: Sequence[tuple[str, int]]
    """Files read in that turn, with their lines; 0 where the client does not tell."""


def notes_pay(
    rates: Rates, context: float, tokens: float, noted: TurnWork, forgotten: TurnWork
) -> bool:
    """Whether so many tokens of notes are worth what they spare a turn on that context."""
    told = turn_cost(rates, context + tokens, tokens, noted)
    return told < BENEFIT_OF_DOUBT * turn_cost(rates, context, 0, forgotten)


def notes_text(look: NotedLook, limit_tokens: int = LIMIT_TOKENS) -> str:
    """At most so many tokens; of too long words the beginning, since verdicts begin with most."""
    rows = [_row(path, lines) for path, lines in look.opened[:_MOST_FILES]]
    left_out = len(look.opened) - len(rows)
    if left_out:
        rows.append(f"- and {left_out} more")
    files = "\n".join(["Opened:", *rows, ""]) if rows else ""
    head = f"Round {look.round}.\n"
    room = max(0, limit_tokens * CHARS_PER_TOKEN - len(head) - len(files) - 1)
    said = look.said.strip()
    if len(said) > room:
        said = said[: max(0, room - 1)].rstrip() + "…"
    return f"{head}{said}\n{files}" if said else f"{head}{files}"


def _row(path: str, lines: int) -> str:
    return f"- {path} ({lines} lines)" if lines else f"- {path}"
