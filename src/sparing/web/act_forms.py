"""Forms and results of actions on the page, and whether an action may still be done.

An action on a feature says which state of it the person had seen; if that is outdated, it is
refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.context.documents.comments import Comment
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.gates.stale_answer import refuse_stale
from sparing.errors import UsageError
from sparing.web.cap_form import CapForm
from sparing.web.visit import Visit


@dataclass(frozen=True)
class Seen:
    """Which state of the feature was on the page."""

    shown: str = ""
    gate: str = ""


@dataclass(frozen=True)
class Judged(Seen):
    said: str = ""
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True)
class Edited(Seen):
    document: str = ""
    """Empty for the files in the feature's worktree."""
    text: str = ""


@dataclass(frozen=True)
class Words(Seen):
    words: str = ""
    number: int | None = None
    """Which question is answered; None for all."""


@dataclass(frozen=True)
class Ruled(Seen):
    finding: str = ""
    stage: str = ""
    ruling: str = ""
    words: str = ""


@dataclass(frozen=True)
class ToStage(Seen):
    stage: str = ""


@dataclass(frozen=True)
class Accepted(Seen):
    about: str = ""
    """What the offer was about."""


@dataclass(frozen=True)
class Raised(Seen):
    caps: CapForm = CapForm()


@dataclass(frozen=True)
class Draft:
    text: str = ""


class ActReceipt(NamedTuple):
    words: str
    runs: bool
    """True if an engine is running and continues on its own."""
    next_command: str
    notes: tuple[str, ...] = ()


class Preview(NamedTuple):
    html: str


def checked(visit: Visit, seen: Seen) -> None:
    if not seen.shown:
        raise UsageError(
            "the request does not say what was shown", "reload the page, then try again"
        )
    refuse_stale(visit.records, visit.row, seen.shown, seen.gate)


def told(visit: Visit, words: str, *notes: str) -> ActReceipt:
    runs, number = engine_runs(visit.records), visit.row.feature.id
    command = f"sparing watch {number}" if runs else f"sparing run {number}"
    return ActReceipt(words, runs, command, notes)
