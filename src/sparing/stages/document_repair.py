"""A document on which nothing can be built: its author is told once, then a person decides."""

from __future__ import annotations

from dataclasses import replace

from sparing.job import JobResult
from sparing.stages import review_rounds
from sparing.stages.failure import failing
from sparing.stages.moves import Happened, Next, StageRules, ask_for
from sparing.stages.place import Place, stage_of
from sparing.turn import Turn


def sent_back(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Send it back to its author with the exact complaint; its answers to findings are kept."""
    problems, reply = happened.document, happened.results[0].reply
    why = "; ".join(problems.blocking)
    review = review_rounds.answered(place.review, happened.said.answers)
    told = replace(
        place, review=review, note=reply, feedback=problems.feedback, repairs=place.repairs + 1
    )
    if not place.repairs:
        notes = ((stage_of(place).author, f"{why}: asked once to repair it"),)
        return ask_for(told, Turn.REDO)._replace(notes=notes)
    return failing(told, JobResult(failure=why), rules, now)


def left_unfit(place: Place, happened: Happened, failed: JobResult) -> JobResult:
    """If an author was asked for a repair and changed nothing: the failure names the problem."""
    if not place.repairs or not happened.document.blocking:
        return failed
    return replace(failed, failure="; ".join(happened.document.blocking), detail="")
