"""`.meta.json`: what the database knows of a feature, written down beside its documents.

A projection: nothing ever reads it back. Equal rows give equal bytes.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from sparing.codec import JsonObject
from sparing.flow.flows import FLOWS
from sparing.flow.state import Position
from sparing.records.features import FeatureRow
from sparing.stages.place import Mark, Place
from sparing.workspace.project.paths import Confined


def write_meta(
    worktree: Path, folder: str, row: FeatureRow, place: Place, deferred: str = ""
) -> str:
    """`deferred` says why the client's sessions are not resumed, if they are not."""
    path, known = f"{folder}/.meta.json", project(row, place, deferred)
    Confined(worktree).write_text(path, json.dumps(known, indent=2) + "\n")
    return path


def project(row: FeatureRow, place: Place, deferred: str = "") -> JsonObject:
    feature, state = row.feature, place.state
    tier = feature.flow if feature.flow in ("L1", "L2", "L3") else None
    done = [name for name in FLOWS[feature.flow].names if _done(place.marks.get(name))]
    # What is written when the last stage closes is what the base branch gets.
    last = FLOWS[feature.flow].names[-1] in done
    over = last or state.position in (Position.DONE, Position.HANDOVER)
    ended = place.marks[done[-1]].completed if over and done else None
    return {
        "id": feature.id,
        "slug": feature.slug,
        "title": feature.title,
        "description": row.background.description or feature.title,
        "flow": feature.flow,
        "tier": tier,
        "priority": row.background.priority.value,
        "status": "completed" if over else "active",
        "created": _iso(feature.created),
        "completed": None if ended is None else _iso(ended),
        "branch": feature.branch,
        "brainstorm_source": row.background.source or None,
        "project_id": row.background.project or None,
        "depends_on_features": list(row.background.depends_on),
        "lastCompletedPhase": done[-1] if done else None,
        "skippedPhases": [{"phase": s.stage, "toPhase": s.to} for s in state.skipped],
        "r1_deferred_reason": deferred or None,
        "phases": {stage: _phase(stage, mark, place) for stage, mark in place.marks.items()},
    }


def _phase(stage: str, mark: Mark, place: Place) -> JsonObject:
    return {
        "started": _iso(mark.started),
        "completed": None if mark.completed is None else _iso(mark.completed),
        "iterations": mark.iterations,
        "capReached": mark.cap_reached,
        "reviewerNotes": _notes(stage, mark, place),
    }


def _notes(stage: str, mark: Mark, place: Place) -> list[str]:
    if mark.notes:
        return list(mark.notes)
    return [f"{stage} was accepted with open findings"] if stage in place.state.concerns else []


def _done(mark: Mark | None) -> bool:
    return mark is not None and mark.completed is not None


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
