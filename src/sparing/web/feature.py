"""One feature: what it needs, what was made, said and spent, and what happens now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.desk.features.board import BoardRow, board_row
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.history import last_events, latest_event
from sparing.desk.features.merge_status import finished_feature
from sparing.desk.features.session_fill import SessionRoom, rich_handoff_layers, session_room
from sparing.desk.features.timeline import StageStory, timeline
from sparing.desk.features.versions import document_names, versions_of
from sparing.desk.features.view import waiting_gate
from sparing.desk.gates.gate import GateView, gate_view
from sparing.desk.gates.handoffs import note_lines, stage_notes
from sparing.desk.gates.line_comments import AnsweredComment, last_comments
from sparing.desk.gates.offers import ActionOffer, offers
from sparing.desk.gates.open_questions import Question, questions
from sparing.desk.gates.stale_answer import seen_digest
from sparing.desk.money.cost import By, feature_costs
from sparing.desk.money.price_of_waiting import price_of_waiting, waiting_words
from sparing.desk.reviews.finding_history import FollowedFinding, followed
from sparing.errors import SparingError
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState
from sparing.report.cost import CapRow
from sparing.web.stream import event_json
from sparing.web.visit import Visit

EVENTS = 200


class StageNote(NamedTuple):
    stage: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class FeaturePage:
    row: BoardRow
    runs: bool
    shown: str
    """Digest of what the person judges by; sent back with an answer."""
    gate_id: str
    gate: GateView | None
    asks_handoff: bool
    makes: str
    """The document that the current stage makes; empty for code."""
    versions: int
    """Number of versions of that document."""
    waiting: str
    """What it costs to wait here; empty if nothing waits."""
    offers: tuple[ActionOffer, ...]
    questions: tuple[Question, ...]
    findings: tuple[FollowedFinding, ...]
    comments: tuple[AnsweredComment, ...]
    stages: tuple[StageStory, ...]
    documents: tuple[str, ...]
    notes: tuple[StageNote, ...]
    handoff: tuple[str, ...]
    """The rich handoff, layer by layer."""
    session: SessionRoom | None
    caps: tuple[CapRow, ...]
    events: tuple[JsonObject, ...]
    last_event: int
    finished: tuple[str, ...]
    """State of a finished branch, and the commands left to run."""
    problem: str = ""
    """Why a part of this can't be shown."""


def feature_page(visit: Visit) -> FeaturePage:
    office, row = visit.office, visit.row
    last = latest_event(office)
    gate = waiting_gate(office, row) if not row.running else None
    state = FlowState.load(row.place["state"])
    stage = FLOWS[row.feature.flow].stage(state.stage)
    shown, problem = _gate(visit)
    events = (event_json(one) for one in last_events(office, row, EVENTS))
    notes = stage_notes(office, row)
    documents = document_names(office, row)
    makes = stage.writes.filename if stage.writes else ""
    return FeaturePage(
        row=board_row(office, row, visit.at),
        runs=engine_runs(office),
        shown=seen_digest(office, row),
        gate_id=gate.id if gate else "",
        gate=shown,
        asks_handoff=state.cause is Cause.HANDOFF,
        makes=makes,
        versions=len(versions_of(office, row, makes).versions) if makes in documents else 0,
        waiting=waiting_words(price_of_waiting(office, row, visit.at)) if gate else "",
        offers=_offers(visit),
        questions=questions(office, row),
        findings=followed(office, row),
        comments=last_comments(office, row, state.stage),
        stages=timeline(office, row),
        documents=documents,
        notes=tuple(StageNote(name, tuple(note_lines(note))) for name, note in notes.items()),
        handoff=rich_handoff_layers(office, row),
        session=session_room(office, row),
        caps=feature_costs(office, row, By.FEATURE, visit.at).caps,
        events=tuple(one for one in events if one is not None),
        last_event=last,
        finished=_finished(visit),
        problem=problem,
    )


def _gate(visit: Visit) -> tuple[GateView | None, str]:
    gate = None if visit.row.running else waiting_gate(visit.office, visit.row)
    if gate is None:
        return None, ""
    try:
        return gate_view(visit.office, visit.row, gate, visit.at), ""
    except SparingError as error:
        return None, f"{error.what}; {error.repair}"


def _offers(visit: Visit) -> tuple[ActionOffer, ...]:
    """Empty while an answer waits to be processed."""
    if not visit.row.running and waiting_gate(visit.office, visit.row) is None:
        begun = visit.row.status is FeatureStatus.ACTIVE
        return () if begun else offers(visit.office, visit.row, visit.at)
    return offers(visit.office, visit.row, visit.at)


def _finished(visit: Visit) -> tuple[str, ...]:
    if visit.row.status is not FeatureStatus.COMPLETED:
        return ()
    found = finished_feature(visit.office, visit.row)
    return (found.words, *found.commands)
