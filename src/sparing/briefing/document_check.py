"""Problems of the document that an author has just written.

And a person's comments that an author left unanswered: they are asked again, but only once. What is
still unanswered then is shown at the gate, where the person decides.
"""

from __future__ import annotations

from sparing.briefing.fit_documents import is_strict, problems_in
from sparing.context.documents.comments import comment_ids, only
from sparing.context.documents.validate import blocking
from sparing.flow.stage import StageWork
from sparing.job import NOTHING_CHANGED, JobResult
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder
from sparing.review.answers import read_answers
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import DocumentProblems
from sparing.stages.place import Place, has_more_parts, stage_of
from sparing.turn import TURNS, StageStep
from sparing.workspace.git.commit import read_file

WRITTEN = (StageStep.AUTHOR, StageStep.PART)


def problems_of_turn(
    around: Surroundings, row: FeatureRow, place: Place, results: tuple[JobResult, ...]
) -> DocumentProblems:
    """Problems of the document that an author has just finished; none while it is still writing."""
    stage = stage_of(place)
    if place.step not in WRITTEN or stage.work is not StageWork.DOCUMENT or stage.writes is None:
        return DocumentProblems()
    if has_more_parts(place) or not results or results[0].failure not in ("", NOTHING_CHANGED):
        return DocumentProblems()
    settings = around.settings(row)
    path = f"{around.feature_folder(row)}/{stage.writes.filename}"
    data = read_file(around.repository, results[0].commit or place.head, path)
    strict = is_strict(settings, row.feature)
    found = problems_in(stage.writes, data, settings, strict=strict)
    serious = blocking(found, strict=strict)
    words = tuple(one.what for one in serious)
    lines = "".join(f"- {one}\n" for one in words)
    told = f"The next stage can't build on {path} as it is:\n{lines}Write the whole document."
    return DocumentProblems(
        words,
        tuple(one.what for one in found if one not in serious),
        around.folder.keep(told) if words else "",
    )


AGAIN = "These comments have no answer yet. Deal with each of them, and answer it by its id."


def unanswered(folder: StateFolder, place: Place, results: tuple[JobResult, ...]) -> str:
    """Hash of what is to be put again; empty if each comment has its answer or was put twice."""
    if place.step is not StageStep.AUTHOR or not TURNS[place.asked].answers_comments:
        return ""
    if not place.feedback or not results or not results[0].reply:
        return ""
    said = folder.fetch(place.feedback)
    asked = () if said.startswith(AGAIN) else comment_ids(said)
    if not asked:
        return ""
    answers = read_answers(folder.fetch(results[0].reply), asked)
    left = set(asked) - {one.id for one in answers}
    return folder.keep(f"{AGAIN}\n\n{only(said, left)}") if left else ""
