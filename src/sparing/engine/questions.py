"""What an author's handoff block leads to: the work goes on, or a person is asked.

`blocked` stops the feature with the author's own words; `needs_intervention` and open questions
pause it until they are answered. A question that has its answer is never put again, however
often an author repeats it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from sparing.context.handoff import Handoff, Status, parse_handoff
from sparing.engine.jobs import Result, Turn
from sparing.engine.place import Place, Step, stage_of
from sparing.engine.source import Source
from sparing.engine.stories import Teller, tell
from sparing.engine.talk import Talk, question_key
from sparing.flow.flows import TIERS
from sparing.flow.stage import Work
from sparing.flow.state import Cause, Kind, Outcome
from sparing.records.folder import StateFolder

HANDOFF = "handoff"
MOST_QUESTIONS = 20
QUESTION_CHARS = 600
WORDS_CHARS = 300
AUTHORING = frozenset({Step.AUTHOR, Step.REPAIR})
MAKES = frozenset({Work.DOCUMENT, Work.BUILD})
"""Stages of a tier whose author ends with a handoff block."""


class Stop(NamedTuple):
    talk: Talk
    outcome: Outcome


def handoff_of(folder: StateFolder, place: Place, results: tuple[Result, ...]) -> Handoff:
    """The block with which an author of a tier has just ended; an empty one for everybody else."""
    tier = place.state.flow in TIERS and place.step in AUTHORING
    if not tier or stage_of(place).work not in MAKES or not results or not results[0].reply:
        return Handoff()
    return parse_handoff(folder.fetch(results[0].reply))


def stop_for(place: Place, handoff: Handoff) -> Stop | None:
    """None if the stage goes on."""
    new = unanswered(place.talk, handoff.open_questions)
    match handoff.status:
        case Status.BLOCKED:
            words = _said(handoff) or "it does not say by what"
            outcome = Outcome(Kind.FAILED, reason=f"blocked: {words}", cause=Cause.BLOCKED)
            return Stop(replace(place.talk, questions=new), outcome)
        case Status.NEEDS_INTERVENTION:
            asked = new or (_said(handoff) or "It needs a person and does not say what for.",)
            return _asking(place.talk, asked)
        case Status.COMPLETED:
            return _asking(place.talk, new) if new else None


def unanswered(talk: Talk, questions: tuple[str, ...]) -> tuple[str, ...]:
    new = {question_key(one): one[:QUESTION_CHARS] for one in questions}
    return tuple(one for key, one in new.items() if key not in talk.settled)[:MOST_QUESTIONS]


def tell_handoff(tx: sqlite3.Connection, teller: Teller, source: Source, reply: str) -> None:
    """Keep an author's block, for the stages that follow and for people who look."""
    found, job = _block(source, reply), source.job
    if found != Handoff():
        found = block_of(source, reply)
        data = {**handoff_data(found), "stage": job.stage, "dispatch": teller.id}
        tell(tx, teller, job, HANDOFF, text=found.summary, data=data)


def block_of(source: Source, reply: str) -> Handoff:
    """The block of a reply, without questions that have their answer: an author may list them."""
    found, talk = parse_handoff(source.fetch(reply)), Talk.load(source.row.place.get("talk", {}))
    return replace(found, open_questions=unanswered(talk, found.open_questions))


def may_leave(source: Source, reply: str) -> bool:
    """Whether an author may end a turn without a change: it asks, or an answer asked for none."""
    writes = source.stage.writes
    if source.job.turn is Turn.ANSWER and writes is not None:
        return source.artifact(writes) is not None
    return _block(source, reply).pauses


def wrote_nothing(place: Place, handoff: Handoff, result: Result) -> bool:
    """It has asked only what it knows, and done nothing: that is no stage."""
    writes = place.asked not in (Turn.ANSWER, Turn.REVISE, Turn.REPAIR_CHECKS)
    return handoff.pauses and writes and not result.changed


def nothing_changed(role: str) -> Result:
    return Result(failure="nothing changed", detail=f"{role} left no change")


def _block(source: Source, reply: str) -> Handoff:
    tier = source.row.feature.flow in TIERS and source.stage.work in MAKES
    return parse_handoff(source.fetch(reply)) if tier else Handoff()


def handoff_data(handoff: Handoff) -> dict[str, Any]:
    """As it is stored: lists and words."""
    return {**asdict(handoff), "status": handoff.status.value}


def _asking(talk: Talk, questions: tuple[str, ...]) -> Stop:
    count, first = len(questions), _short(questions[0])
    words = f"it asks: {first}" if count == 1 else f"it asks {count} questions, first: {first}"
    outcome = Outcome(Kind.FAILED, reason=words, cause=Cause.QUESTIONS)
    return Stop(replace(talk, questions=questions), outcome)


def _said(handoff: Handoff) -> str:
    """Why it stopped, in the author's words."""
    return _short("; ".join(filter(None, (handoff.summary, *handoff.warnings))))


def _short(text: str) -> str:
    return text if len(text) <= WORDS_CHARS else f"{text[: WORDS_CHARS - 1]}…"
