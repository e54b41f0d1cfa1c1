"""What a person reads about work that died: which feature, why, and how it continues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sparing.cli.screen import echo
from sparing.errors import StateError
from sparing.records.features import FeatureRow

RERUN = "sparing rerun FEATURE [STAGE]"


def failure_words(rows: Sequence[FeatureRow], failed: Mapping[str, str]) -> dict[str, str]:
    """For each failed run, by its id: which feature, and why."""
    return {
        row.leg_id: f"feature {row.feature.id} stopped: {_one_line(failed[row.leg_id])}"
        for row in rows
        if row.running and row.leg_id in failed
    }


def _one_line(error: str) -> str:
    """What is wrong and how to repair it, without a library's advertisement."""
    words = error.partition("\n(Background on")[0].splitlines()
    return "; ".join(line.strip() for line in words if line.strip())


def raise_failures(rows: Sequence[FeatureRow], failed: Mapping[str, str]) -> None:
    words = failure_words(rows, failed)
    for row in rows:
        if row.leg_id in words:
            echo(err=True)
            raise StateError(*_two_lines(words[row.leg_id], row.feature.id))


def _two_lines(words: str, feature: str) -> tuple[str, str]:
    """What is wrong, and the command that helps: the one that the error names, if a run won't."""
    what, _, repair = words.rpartition("; ")
    if RERUN in repair:
        # What died still counts as running, and only what rests can be redone.
        steps = "; ".join(f"sparing {one} {feature}" for one in ("pause", "run", "rerun", "run"))
        return what, f"to redo its stage: {steps}"
    return words, f"what was done is kept; to continue: sparing run {feature}"
