"""What stages left besides their documents: handoffs, and gates that passed by rule."""

from __future__ import annotations

from typing import Any, NamedTuple

from sparing.desk.features.history import events_since
from sparing.desk.office import Office
from sparing.flow.flows import FLOWS
from sparing.records.events import Event
from sparing.records.features import FeatureRow

SHOWN = ("key_decisions", "next_stage_needs", "warnings")
"""Of a handoff, beside its summary."""


class Note(NamedTuple):
    stage: str
    handoff: dict[str, Any]
    """The last one of the stage, field by field; empty if there is none."""
    passed: str
    """Why its gate was passed without a person; empty if it was not."""


def stage_notes(office: Office, row: FeatureRow) -> dict[str, Note]:
    """By stage; what a rerun has taken back does not count."""
    found: dict[str, Note] = {}
    names = FLOWS[row.feature.flow].names
    for event in events_since(office, 0, row.feature.key):
        if _is_rerun(event):
            again = names[names.index(event.stage) :]
            found = {name: note for name, note in found.items() if name not in again}
            continue
        note = found.get(event.stage, Note(event.stage, {}, ""))
        if event.kind == "handoff":
            found[event.stage] = note._replace(handoff=event.data)
        elif event.kind == "passed":
            found[event.stage] = note._replace(passed=event.text)
    return found


def _is_rerun(event: Event) -> bool:
    return event.kind == "answered" and event.data.get("answer") == "rerun"


def note_lines(note: Note) -> list[str]:
    """For people, a line each."""
    handoff = note.handoff
    lines = [str(handoff["summary"])] if handoff.get("summary") else []
    for name in SHOWN:
        if handoff.get(name):
            lines.append(f"{name.replace('_', ' ')}: {'; '.join(handoff[name])}")
    return [*lines, *([f"passed by rule: {note.passed}"] if note.passed else [])]
