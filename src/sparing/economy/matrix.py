"""The template decision matrix of the original workflow, as one table.

The first row that fits a dispatch says which template it gets, whether the role's kept session is
replaced, and whether a marker goes into the review history. `None` in a column fits everything.
Rows that no policy may overrule (a lost session, nothing to tell) are the same for all policies;
the size guard is the one column that only `seed` fills in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sparing.economy.guard import DeltaState, Diff, delta_of, too_long
from sparing.turn_kind import Actor


class Template(StrEnum):
    FULL = "full"
    """Everything the role must know."""
    DELTA = "delta"
    """Into its session: what changed since it last looked."""
    FINAL = "final"
    """Into its session: what changed since it passed, to be checked once more."""
    FALLBACK = "fallback"
    """Full, with a line that the earlier session is not available, and the earlier findings."""
    FIX = "fix"
    """Everything, all files, the findings."""
    FIX_DELTA = "fix delta"
    """Into its session: new findings, changed files, all files."""

    @property
    def resumes(self) -> bool:
        return self in (Template.DELTA, Template.FINAL, Template.FIX_DELTA)


@dataclass(frozen=True, slots=True)
class Moment:
    """A dispatch about to be sent, as the matrix sees it."""

    actor: Actor
    first: bool
    """The role has not been asked yet in this loop; a rerun begins anew."""
    session: bool = False
    """Its session is known."""
    can_resume: bool = True
    """The backend passed the resume check."""
    resume_error: str = ""
    """Why the session could not be resumed a moment ago."""
    final: bool = False
    """Final validation of a reviewer that has passed."""
    diff: Diff = Diff.CHANGED
    answers: bool = False
    delta_chars: int = 0
    """Of the whole delta prompt."""
    fresh_chars: int = 0
    """Of the role's latest fresh prompt."""

    def delta(self, *, guarded: bool) -> DeltaState:
        long = guarded and too_long(self.delta_chars, self.fresh_chars)
        return delta_of(self.diff, answers=self.answers, long=long)


class MatrixRow(NamedTuple):
    scenario: str
    template: Template
    actor: Actor
    first: bool | None = None
    can_resume: bool | None = None
    error: bool | None = None
    session: bool | None = None
    final: bool | None = None
    delta: DeltaState | None = None
    reset: bool = False
    """The kept session is replaced by the new one."""
    marker: bool = False
    """The review history says that resume fell back."""


REVIEWER, FIXER = Actor.REVIEWER, Actor.FIXER
MATRIX: tuple[MatrixRow, ...] = (
    MatrixRow("a role that is always fresh", Template.FULL, Actor.LONE),
    MatrixRow("first look", Template.FULL, REVIEWER, first=True),
    MatrixRow("the backend can't resume", Template.FULL, REVIEWER, can_resume=False),
    MatrixRow("final validation, resume failed", Template.FALLBACK, REVIEWER,
        error=True, final=True, reset=True, marker=True),
    MatrixRow("resume failed", Template.FALLBACK, REVIEWER, error=True, reset=True, marker=True),
    MatrixRow("session lost", Template.FALLBACK, REVIEWER, session=False, reset=True, marker=True),
    MatrixRow("commit of its last look lost", Template.FALLBACK, REVIEWER,
        delta=DeltaState.LOST, reset=True, marker=True),
    MatrixRow("commit or diff failed",
    Template.FULL, REVIEWER, delta=DeltaState.FAILED, reset=True),
    MatrixRow("final validation", Template.FINAL, REVIEWER, final=True),
    MatrixRow("nothing changed, nothing answered", Template.FULL, REVIEWER,
        delta=DeltaState.EMPTY, reset=True),
    MatrixRow("delta over half of the fresh prompt", Template.FULL, REVIEWER,
        delta=DeltaState.TOO_LONG, reset=True),
    MatrixRow("only answers", Template.DELTA, REVIEWER, delta=DeltaState.ANSWERS),
    MatrixRow("failed before, delta fits", Template.DELTA, REVIEWER, delta=DeltaState.FITS),
    MatrixRow("first fix", Template.FIX, FIXER, first=True),
    MatrixRow("fix, the backend can't resume", Template.FIX, FIXER, can_resume=False),
    MatrixRow("fix, resume failed", Template.FIX, FIXER, error=True, reset=True, marker=True),
    MatrixRow("fix, session lost", Template.FIX, FIXER, session=False, reset=True, marker=True),
    MatrixRow("fix, commit of its last turn lost", Template.FIX, FIXER,
        delta=DeltaState.LOST, reset=True, marker=True),
    MatrixRow("fix, commit or diff failed",
    Template.FIX, FIXER, delta=DeltaState.FAILED, reset=True),
    MatrixRow("fix, nothing to tell", Template.FIX, FIXER, delta=DeltaState.EMPTY, reset=True),
    MatrixRow("fix, delta over half of the fresh prompt", Template.FIX, FIXER,
        delta=DeltaState.TOO_LONG, reset=True),
    MatrixRow("later fix, delta fits", Template.FIX_DELTA, FIXER),
)  # fmt: skip


def row_for(moment: Moment, *, guarded: bool) -> MatrixRow:
    """The first row that fits; `guarded` counts characters as the original workflow does."""
    delta = moment.delta(guarded=guarded)
    seen = (
        moment.actor, moment.first, moment.can_resume, bool(moment.resume_error), moment.session,
        moment.final, delta,
    )  # fmt: skip
    return next(row for row in MATRIX if _fits(row, seen))


def _fits(row: MatrixRow, seen: tuple[object, ...]) -> bool:
    wanted = (row.actor, row.first, row.can_resume, row.error, row.session, row.final, row.delta)
    return all(want is None or want == have for want, have in zip(wanted, seen, strict=True))
