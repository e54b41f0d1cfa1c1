"""What is wrong with the document that an author has just written."""

from __future__ import annotations

from sparing.briefing.document_check import document_problems, is_strict
from sparing.context.documents.validate import blocking
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import DocumentProblems
from sparing.stages.place import Place, has_more_parts, stage_of
from sparing.stages.questions import NOTHING_CHANGED
from sparing.turn import StageStep

WRITTEN = (StageStep.AUTHOR, StageStep.PART)


def problems_of_turn(
    around: Surroundings, row: FeatureRow, place: Place, results: tuple[JobResult, ...]
) -> DocumentProblems:
    """What is wrong with the document that an author has just finished; nothing if it goes on."""
    stage = stage_of(place)
    if place.step not in WRITTEN or stage.work is not StageWork.DOCUMENT or stage.writes is None:
        return DocumentProblems()
    if has_more_parts(place) or not results or results[0].failure not in ("", NOTHING_CHANGED):
        return DocumentProblems()
    settings = around.settings(row)
    path = f"{around.feature_folder(row)}/{stage.writes.filename}"
    commit = results[0].commit or place.head
    found = document_problems(around.repository, commit, path, stage.writes, settings)
    serious = blocking(found, strict=is_strict(settings))
    words = tuple(one.what for one in serious)
    lines = "".join(f"- {one}\n" for one in words)
    told = f"The next stage can't build on {path} as it is:\n{lines}Write the whole document."
    return DocumentProblems(
        words,
        tuple(one.what for one in found if one not in serious),
        around.folder.keep(told) if words else "",
    )
