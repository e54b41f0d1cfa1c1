"""Ledger notes: what a role saw and said in its last turn, for a session that does not know it.

A fresh session that is told what it found, what it opened and what changed since need not explore
again. All of this is in the ledger already; no model is asked to write notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.economy.cost_model import Rates, TurnWork, turn_cost
from sparing.segment import CHARS_PER_TOKEN

LIMIT_TOKENS = 600
BENEFIT_OF_DOUBT = 1.02
"""Factor by which notes may cost more: a role that knows its last verdict judges more evenly."""
_MOST_FILES = 40


class NotedLook(NamedTuple):
    round: int
    said: str
    """Its verdict's summary and evidence, or an author's report."""
    opened: Sequence[tuple[str, int]]
    """Files read in that turn, with their lines; 0 if the client does not report them."""


def notes_pay(
    rates: Rates, context: float, tokens: float, noted: TurnWork, forgotten: TurnWork
) -> bool:
    """Whether `tokens` of notes cost less than what they save a turn with that context."""
    told = turn_cost(rates, context + tokens, tokens, noted)
    return told < BENEFIT_OF_DOUBT * turn_cost(rates, context, 0, forgotten)


def notes_text(look: NotedLook, limit_tokens: int = LIMIT_TOKENS) -> str:
    """Notes within the limit; long text is cut at its end: verdicts start with the main points."""
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
