"""What ends an author's turn: the handoff block in a tier, open questions in the flow `feature`."""

from __future__ import annotations

from dataclasses import asdict, replace

from sparing.codec import JsonObject
from sparing.connection import Connection
from sparing.context.documents.fix_summary import fix_words
from sparing.context.documents.handoff import (
    Handoff,
    before_block,
    parse_handoff,
    parse_questions,
)
from sparing.conversation import Conversation
from sparing.flow.flows import TIERS
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.records.folder import StateFolder
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.stages.place import Place, stage_of
from sparing.stages.questions import unanswered
from sparing.turn import TURNS, StageStep, Turn

HANDOFF = "handoff"


AUTHORING = frozenset({StageStep.AUTHOR, StageStep.REPAIR})
ASKS_AT = frozenset({StageStep.AUTHOR, StageStep.PART, StageStep.TASK})


MAKES = frozenset({StageWork.DOCUMENT, StageWork.BUILD})
"""Stages of a tier whose author ends with a handoff block."""
ASKING = frozenset({StageWork.DOCUMENT, StageWork.IMPLEMENT})
"""Stages of the other flows whose author may ask."""


def handoff_of(folder: StateFolder, place: Place, results: tuple[JobResult, ...]) -> Handoff:
    """The handoff of the author's turn that just ended; an empty one for other roles."""
    steps = AUTHORING if place.state.flow in TIERS else ASKS_AT
    if place.step not in steps or not results or not results[0].reply:
        return Handoff()
    found = _ended(place.state.flow, stage_of(place).work, folder.fetch(results[0].reply))
    due = place.talk.block_due and place.step is StageStep.AUTHOR
    return found if due else replace(found, missing=False)


def questions_of(
    folder: StateFolder, place: Place, results: tuple[JobResult, ...]
) -> tuple[tuple[str, ...], ...]:
    """The questions of each task that was worked on in parallel."""
    if place.step is not StageStep.WAVE:
        return ()
    return tuple(
        parse_questions(folder.fetch(one.reply)) if one.reply and not one.failure else ()
        for one in results
    )


def changes_said(folder: StateFolder, place: Place, results: tuple[JobResult, ...]) -> list[str]:
    """What an author in a loop says it changed, or one whose work a tier's judge has sent back; a
    line each."""
    tells = place.step in AUTHORING and TURNS[place.asked].tells_changes
    in_tier = place.step is StageStep.AUTHOR and place.state.flow in TIERS
    asked = tells and place.loop is not None or (in_tier and bool(place.open))
    if not asked or not results or not results[0].reply:
        return []
    text = fix_words(before_block(folder.fetch(results[0].reply)))
    plain = (line.strip().lstrip("-* ") for line in text.splitlines())
    return [line for line in plain if line and not line.startswith("#")]


def _ended(flow: str, work: StageWork, reply: str) -> Handoff:
    if flow in TIERS:
        return parse_handoff(reply) if work in MAKES else Handoff()
    return Handoff(open_questions=parse_questions(reply)) if work in ASKING else Handoff()


def tell_handoff(tx: Connection, teller: Teller, source: Source, reply: str) -> None:
    """Keep an author's block, for the stages that follow and for people who look."""
    found, job = _block(source, reply), source.job
    if replace(found, unreadable="", missing=False) != Handoff():
        found = block_of(source, reply)
        data = {**handoff_data(found), "stage": job.stage, "dispatch": teller.id}
        tell(tx, teller, job, HANDOFF, text=found.summary, data=data)


def block_of(source: Source, reply: str) -> Handoff:
    """The block of a reply, without questions that were already answered."""
    tier, text = source.row.feature.flow in TIERS, source.recall(reply)
    found = parse_handoff(text) if tier else Handoff(open_questions=parse_questions(text))
    talk = Conversation.load(source.row.place.get("talk", {}))
    return replace(found, open_questions=unanswered(talk, found.open_questions))


def may_leave(source: Source, reply: str) -> bool:
    """Whether an author may end a turn without a change: it asks, or an answer asked for none."""
    writes = source.stage.writes
    if source.job.turn is Turn.ANSWER and writes is not None:
        return source.artifact(writes) is not None
    return _block(source, reply).pauses


def _block(source: Source, reply: str) -> Handoff:
    return _ended(source.row.feature.flow, source.stage.work, source.recall(reply))


def handoff_data(handoff: Handoff) -> JsonObject:
    """The block as stored: lists and strings."""
    known = {**asdict(handoff), "status": handoff.status.value}
    return {name: value for name, value in known.items() if name not in ("unreadable", "missing")}
