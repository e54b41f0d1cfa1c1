"""The seed's order and templates: role and rubric, artifacts, lists and schema, then what changes.

Fresh prompts follow the original skeleton, resumed ones its delta templates. The deviations of
single roles (coda, check lists, levels, no iteration section) come from their texts and from
`turns`; nothing here is true of one role only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparing.context.prompt import pieces, turns
from sparing.context.prompt.brief import REVIEWS, Brief
from sparing.context.prompt.nested import Layout, nested_again
from sparing.segment import Segment
from sparing.turn_kind import TurnKind
from sparing.way import Way


def seed(brief: Brief, way: Way) -> Layout:
    by_path = way is Way.REFERENCE
    return Layout(
        (
            *pieces.rubric(brief),
            *pieces.stage_texts(brief),
            *pieces.rules(brief),
            *_artifacts(brief, by_path=by_path),
            *pieces.project(brief),
            *pieces.request(brief),
            *pieces.handed(brief),
            *pieces.checks(brief),
            *pieces.schema(brief, form=True),
        ),
        (
            *_at_hand(brief, by_path=by_path),
            *pieces.facts(brief),
            *pieces.scope(brief),
            *pieces.outcome(brief),
            *pieces.materials(brief),
            *pieces.noted(brief),
            *_closing(brief),
        ),
    )


def seed_again(brief: Brief) -> tuple[Segment, ...]:
    """The original's resumed messages; kinds it does not know are said as in the nested order."""
    match brief.asked.kind:
        case TurnKind.REVIEW | TurnKind.VALIDATE if brief.delta:
            told = [
                *pieces.delta(brief),
                *pieces.facts(brief),
                *_headed("## Previous Issues", pieces.recalled(brief)),
                *_headed("## Fix Summary", pieces.fix_summary(brief)),
            ]
        case TurnKind.FIX:
            told = [
                *_headed("## New Issues to Fix", pieces.findings(brief)),
                *_headed("## Changed Files to Re-read", pieces.changed_files(brief)),
                *_headed("## All Implementation Files (for reference)", pieces.files(brief)),
                *pieces.materials(brief),
            ]
        case _:
            return nested_again(brief)
    opening = _headed(turns.seed_opening(brief).rstrip("\n"), told[:1])
    return (*opening, *told[1:], *pieces.turn(turns.seed_closing(brief)))


def _artifacts(brief: Brief, *, by_path: bool) -> list[Segment]:
    if by_path:
        return pieces.references(brief)
    return [*_headed("## Required Artifacts", pieces.documents(brief)), *pieces.goals(brief)]


def _at_hand(brief: Brief, *, by_path: bool) -> list[Segment]:
    """The artifact or the files under review."""
    if brief.code is not None:
        diff = [] if by_path else pieces.code(brief)
        return [*_headed("## Implementation Files", pieces.files(brief)), *diff]
    if brief.subject is None or (by_path and pieces.by_reference(brief)):
        return []
    return _headed(f"## {brief.subject.name.filename} under review", pieces.subject(brief))


def _closing(brief: Brief) -> list[Segment]:
    if brief.asked.kind in REVIEWS:
        text = turns.seed_iteration(brief)
        return [*pieces.turn(text), *(pieces.findings(brief) if text else [])]
    found = _headed("## Issues to Fix", pieces.findings(brief))
    return [*found, *pieces.turn(turns.seed_iteration(brief)), *pieces.names_facts(brief)]


def _headed(heading: str, segments: Sequence[Segment]) -> list[Segment]:
    if not segments:
        return []
    first, *rest = segments
    return [replace(first, text=f"{heading}\n{first.text}"), *rest]
