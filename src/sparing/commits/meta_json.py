"""`.meta.json`: what the database knows of a feature, written down beside its documents.

A projection: nothing ever reads it back. Equal rows give equal bytes.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sparing.artifact import META
from sparing.codec import JsonObject
from sparing.commit_purpose import Purpose
from sparing.commits.message import commit_stamp
from sparing.config.settings import Settings
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.state import Position
from sparing.records.features import FeatureRow
from sparing.stages.place import Mark, Place
from sparing.workspace.git.commit import commit_paths, read_file
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import Confined

DEFERRED = "r1_deferred_reason"


def write_meta(
    worktree: Worktree, folder: str, row: FeatureRow, place: Place, deferred: str = ""
) -> str:
    """`deferred` says why the client's sessions are not resumed, if they are not."""
    path = f"{folder}/{META}"
    Confined(worktree.path).write_text(path, _text(project(row, place, deferred)))
    return path


def commit_meta(
    worktree: Worktree, settings: Settings, row: FeatureRow, place: Place, step: str, at: float
) -> str:
    """Commit the file as the database has it; returns the head itself if nothing changed.

    The reason why sessions are not resumed is kept: there was no turn since.
    """
    path = f"{settings.flow.folder_of(row.feature)}/{META}"
    data = read_file(worktree.repository, place.head, path)
    known: JsonObject = json.loads(data) if data else {}
    text = _text(project(row, place, known.get(DEFERRED) or ""))
    if data == text.encode():
        return place.head
    Confined(worktree.path).write_text(path, text)
    over = place.state.position is Position.ABANDONED
    words = "abandon the feature" if over else f"record the {place.state.stage} stage"
    why = Purpose("chore", words)
    stamp = commit_stamp(worktree.repository, settings, row.feature, why, step, at)
    return commit_paths(worktree, place.head, (path,), stamp).commit


def _text(known: JsonObject) -> str:
    return json.dumps(known, indent=2) + "\n"


def project(row: FeatureRow, place: Place, deferred: str = "") -> JsonObject:
    feature, state = row.feature, place.state
    tier = feature.flow if feature.flow in TIERS else None
    names = FLOWS[state.flow].names
    # A person who went back has those after it before them again.
    so_far = names[: names.index(state.stage) + 1]
    done = [name for name in so_far if _done(place.marks.get(name))]
    status = _status(place)
    over = status is FeatureStatus.COMPLETED
    last = place.marks.get(names[-1]) if over else None
    ended = last.completed if last else None
    return {
        "id": feature.id,
        "slug": feature.slug,
        "title": feature.title,
        "description": row.background.description or feature.title,
        "flow": feature.flow,
        "tier": tier,
        "priority": row.background.priority.value,
        "status": status.value,
        "created": _iso(feature.created),
        "completed": None if ended is None else _iso(ended),
        "branch": feature.branch,
        "brainstorm_source": row.background.source or None,
        "project_id": row.background.project or None,
        "depends_on_features": list(row.background.depends_on),
        "lastCompletedPhase": done[-1] if done else None,
        "skippedPhases": [{"phase": s.stage, "toPhase": s.to} for s in state.skipped],
        DEFERRED: deferred or None,
        "phases": {stage: _phase(stage, mark, place) for stage, mark in place.marks.items()},
    }


def _status(place: Place) -> FeatureStatus:
    """The status to write; at the close of the last stage it is what the base branch gets."""
    if place.state.position is Position.ABANDONED:
        return FeatureStatus.ABANDONED
    closed = _done(place.marks.get(FLOWS[place.state.flow].names[-1]))
    over = closed or place.state.position in (Position.DONE, Position.HANDOVER)
    return FeatureStatus.COMPLETED if over else FeatureStatus.ACTIVE


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
