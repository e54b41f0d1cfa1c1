"""The handoff block that ends an author's turn in a tier: parsed, stored and announced."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, replace

from sparing.codec import JsonObject
from sparing.context.documents.handoff import Handoff, parse_handoff
from sparing.conversation import Conversation
from sparing.flow.flows import TIERS
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.records.folder import StateFolder
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.stages.place import Place, stage_of
from sparing.stages.questions import unanswered
from sparing.turn import StageStep, Turn

HANDOFF = "handoff"


AUTHORING = frozenset({StageStep.AUTHOR, StageStep.REPAIR})


MAKES = frozenset({StageWork.DOCUMENT, StageWork.BUILD})
"""Stages of a tier whose author ends with a handoff block."""


def handoff_of(folder: StateFolder, place: Place, results: tuple[JobResult, ...]) -> Handoff:
    """The block with which an author of a tier has just ended; an empty one for everybody else."""
    tier = place.state.flow in TIERS and place.step in AUTHORING
    if not tier or stage_of(place).work not in MAKES or not results or not results[0].reply:
        return Handoff()
    return parse_handoff(folder.fetch(results[0].reply))


def tell_handoff(tx: sqlite3.Connection, teller: Teller, source: Source, reply: str) -> None:
    """Keep an author's block, for the stages that follow and for people who look."""
    found, job = _block(source, reply), source.job
    if found != Handoff():
        found = block_of(source, reply)
        data = {**handoff_data(found), "stage": job.stage, "dispatch": teller.id}
        tell(tx, teller, job, HANDOFF, text=found.summary, data=data)


def block_of(source: Source, reply: str) -> Handoff:
    """The block of a reply, without questions that have their answer: an author may list them."""
    found, talk = (
        parse_handoff(source.fetch(reply)),
        Conversation.load(source.row.place.get("talk", {})),
    )
    return replace(found, open_questions=unanswered(talk, found.open_questions))


def may_leave(source: Source, reply: str) -> bool:
    """Whether an author may end a turn without a change: it asks, or an answer asked for none."""
    writes = source.stage.writes
    if source.job.turn is Turn.ANSWER and writes is not None:
        return source.artifact(writes) is not None
    return _block(source, reply).pauses


def _block(source: Source, reply: str) -> Handoff:
    tier = source.row.feature.flow in TIERS and source.stage.work in MAKES
    return parse_handoff(source.fetch(reply)) if tier else Handoff()


def handoff_data(handoff: Handoff) -> JsonObject:
    """As it is stored: lists and words."""
    return {**asdict(handoff), "status": handoff.status.value}
