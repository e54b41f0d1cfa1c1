"""Acting on the mailbox: what people asked for becomes the next leg.

Each letter is handled in one transaction of ours; starting the leg comes after and is found again
from the feature's row, so a crash in between loses nothing and repeats nothing.
"""

from __future__ import annotations

from sparing import codec
from sparing.approval import repeated_feedback
from sparing.approval.later_edits import edit_since, void
from sparing.connection import Connection
from sparing.engine.decision import LegStart
from sparing.engine.orders import ORDERS
from sparing.engine.unfinished_leg import LastDecision
from sparing.event import HANDOFF, AnswerEvent, SayEvent
from sparing.flow.state import ANSWERS, Cause, FlowState, Position
from sparing.records import events, features, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.mailbox import SAY, Letter
from sparing.runtime.surroundings import Surroundings

START = "start"
AIMED = frozenset({"skip", "back", "sync"})
"""Answers whose words name a stage, or a commit."""
GATE_ANSWERS = frozenset(kind.value for kind in ANSWERS) - ORDERS.keys()


def obey_all(around: Surroundings, at: float) -> None:
    with around.database.read() as connection:
        letters = mailbox.unread(connection)
    for letter in letters:
        edit = edit_since(around, letter, at)
        with around.database.write() as tx:
            if not mailbox.is_unread(tx, letter.n):
                continue  # another worker was quicker
            if edit is not None and void(tx, letter, edit, at):
                continue
            result = _obey(tx, letter, at)
            mailbox.obeyed(tx, letter.n, result, at)


def _obey(tx: Connection, letter: Letter, at: float) -> str:
    row = features.get(tx, letter.feature)
    if row is None:
        return "no such feature"
    if letter.verb == START:
        begun = (
            row.leg == 0
            and not row.running
            and features.set_running(tx, row.feature.key, (row.generation, 0), at)
        )
        return "started" if begun else "already started"
    if letter.verb in GATE_ANSWERS:
        return _answer(tx, row, letter, at)
    if letter.verb in ORDERS:
        return "noted"  # read where the next move is decided
    if letter.verb == SAY:
        return _said(tx, row, letter, at)
    return f"unknown verb {letter.verb}"


def _said(tx: Connection, row: FeatureRow, letter: Letter, at: float) -> str:
    key, stage = row.feature.key, FlowState.load(row.place["state"]).stage
    told = SayEvent(letter.sender, letter.n)
    name = f"{key}.said.{letter.n}"
    events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=stage, text=letter.body))
    return "noted"


def _answer(tx: Connection, row: FeatureRow, letter: Letter, at: float) -> str:
    """The first answer to a gate counts; it belongs to that gate and no other."""
    if letter.gate != row.leg_id or row.running:
        return "that gate is closed"
    if not gates.answer(tx, letter.gate, letter.verb, letter.body, letter.sender, at):
        return "already answered"
    features.next_leg(tx, row, at)
    state = FlowState.load(row.place["state"])
    about = HANDOFF if state.cause is Cause.HANDOFF else ""
    told = AnswerEvent(by=letter.sender, answer=letter.verb, commit=row.head, about=about)
    name, key = f"{letter.gate}.answered", row.feature.key
    said, stage = letter.body, state.stage
    events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=stage, text=said))
    return "answered"


def legs_to_start(around: Surroundings, executor: str) -> list[FeatureRow]:
    """Features whose leg has to run here; starting one twice is harmless, its id is the same."""
    with around.database.read() as connection:
        return features.list_running(connection, executor)


def start_of(around: Surroundings, row: FeatureRow) -> codec.JsonObject:
    """What a leg is given, out of our own tables alone."""
    answer, feedback, noted = "", "", ""
    if FlowState.load(row.place["state"]).position in (Position.GATE, Position.STUCK):
        with around.database.read() as connection:
            gate = gates.latest(connection, row.feature.key)
            if gate is not None:
                answer, feedback = gate.answer, gate.feedback
                noted = repeated_feedback.feedback_with_note(connection, row, gate)
    start = LegStart(
        feature=row.feature.key,
        generation=row.generation,
        leg=row.leg,
        id=row.leg_id,
        place=row.place,
        answer=answer,
        reason=feedback,
        feedback=around.folder.keep(noted) if noted and answer not in AIMED else "",
        asked=codec.load(LastDecision, row.asked) if row.asked else None,
    )
    return codec.dump(start)
