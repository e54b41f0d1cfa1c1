"""The size guard of the original workflow: a delta that is too long goes fresh.

It counts characters of whole prompts, not tokens of a bill. It holds under `seed` only; the
default policy asks the prediction instead.
"""

from __future__ import annotations

from enum import StrEnum


class Diff(StrEnum):
    """What is known of the changes since the role last looked."""

    CHANGED = "changed"
    EMPTY = "empty"
    LOST = "lost"
    """The commit to compare with is not known any more."""
    FAILED = "failed"
    """The commit or the diff could not be made."""


class DeltaState(StrEnum):
    """What can be sent to a session that knows the rest."""

    FITS = "fits"
    TOO_LONG = "too long"
    ANSWERS = "answers only"
    """Nothing changed, but the author answered the findings."""
    EMPTY = "empty"
    LOST = "lost"
    FAILED = "failed"


def too_long(delta_chars: int, fresh_chars: int) -> bool:
    """More than half of the characters of the role's latest fresh prompt; half still fits."""
    return 2 * delta_chars > fresh_chars


def delta_of(diff: Diff, *, answers: bool, long: bool) -> DeltaState:
    if diff is Diff.LOST:
        return DeltaState.LOST
    if diff is Diff.FAILED:
        return DeltaState.FAILED
    if diff is Diff.EMPTY and not answers:
        return DeltaState.EMPTY
    if long:
        return DeltaState.TOO_LONG
    return DeltaState.ANSWERS if diff is Diff.EMPTY else DeltaState.FITS
