"""Loops that lead nowhere: when to stop asking and show a person what happened."""

from __future__ import annotations

from dataclasses import dataclass

IDLE_ROUNDS = 2
"""So many turns in a row in which an author changed nothing end a loop."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits after which the work stops."""

    seconds: float
    """Of agents' work on a stage since a person last answered."""
    reply_chars: int


def overdue(stage: str, seconds: float, patience: Patience) -> str:
    """Called before a turn: the reason to stop, or empty."""
    if seconds < patience.seconds:
        return ""
    return (
        f"agents have worked {seconds:,.0f} s on {stage} since a person last answered,"
        f" the limit is {patience.seconds:,.0f} s"
    )


def fruitless(role: str, reply_chars: int, patience: Patience, *, repeated: bool) -> str:
    """Called after a turn: the reason to stop, or empty."""
    if reply_chars > patience.reply_chars:
        return (
            f"{role} answered with {reply_chars:,} characters, the limit is"
            f" {patience.reply_chars:,}"
        )
    return f"{role} was asked the same twice and answered the same twice" if repeated else ""


def idle(role: str, rounds: int) -> str:
    """Called after an author's turn; `rounds` in a row changed nothing, including the last."""
    if rounds < IDLE_ROUNDS:
        return ""
    return f"{role} changed nothing in {rounds} rounds"
