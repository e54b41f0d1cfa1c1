"""What stages left besides their documents: handoffs, and gates that passed by rule."""

from __future__ import annotations

from typing import NamedTuple

from sparing.codec import JsonObject, dump
from sparing.conversation import Conversation
from sparing.desk.features.history import events_since
from sparing.desk.office import Office
from sparing.event import AnswerEvent, FeatureEvent
from sparing.flow.flows import FLOWS
from sparing.flow.state import OutcomeKind
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.turn_event import HandoffEvent


class Note(NamedTuple):
    stage: str
    handoff: HandoffEvent | None
    """The stage's last handoff."""
    passed: str
    """Why its gate was passed without a person; empty if it was not."""
    ends: bool = False
    """No stage follows it."""
    assumed: tuple[str, ...] = ()
    """What it asked without anybody to answer, each with the default that was taken."""


def stage_notes(office: Office, row: FeatureRow) -> dict[str, Note]:
    """Notes by stage, without those that a rerun has undone."""
    found: dict[str, Note] = {}
    names = FLOWS[row.feature.flow].names
    for event in events_since(office, 0, row.feature.key):
        if _is_rerun(event):
            again = names[names.index(event.stage) :]
            found = {name: note for name, note in found.items() if name not in again}
            continue
        note = found.get(event.stage, Note(event.stage, None, "", event.stage == names[-1]))
        match event.what:
            case HandoffEvent() as handoff:
                found[event.stage] = note._replace(handoff=handoff)
            case FeatureEvent.PASSED:
                found[event.stage] = note._replace(passed=event.text)
            case _:
                pass
    for line in Conversation.load(row.place.get("talk", {})).assumed:
        stage, _, asked = line.partition(": ")
        if stage in found:
            found[stage] = found[stage]._replace(assumed=(*found[stage].assumed, asked))
    return found


def _is_rerun(event: Event) -> bool:
    return isinstance(event.what, AnswerEvent) and event.what.answer == OutcomeKind.RERUN


def note_lines(note: Note) -> list[str]:
    """The note for people, as lines."""
    handoff = note.handoff
    lines = [handoff.summary] if handoff and handoff.summary else []
    lists = _lists(handoff, ends=note.ends) if handoff else {}
    lines += [f"{name}: {'; '.join(items)}" for name, items in lists.items() if items]
    lines += [f"it asked: {one}" for one in note.assumed]
    return [*lines, *([f"passed by rule: {note.passed}"] if note.passed else [])]


def note_data(note: Note) -> JsonObject:
    """The note for programs, as JSON."""
    handoff = dump(note.handoff) if note.handoff else {}
    assumed = {"assumed": list(note.assumed)} if note.assumed else {}
    return {"stage": note.stage, "handoff": handoff, "passed": note.passed, **assumed}


def _lists(handoff: HandoffEvent, *, ends: bool) -> dict[str, tuple[str, ...]]:
    """The lists of a handoff that are shown beside its summary; `ends`: no stage follows."""
    return {
        "key decisions": handoff.key_decisions,
        "the next stage needs": () if ends else handoff.next_stage_needs,
        "warnings": handoff.warnings,
    }
