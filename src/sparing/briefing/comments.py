"""A person's comments that an author left unanswered: they are asked again.

Once, and not until it obeys: what is still unanswered then is shown at the gate, where the
person decides.
"""

from __future__ import annotations

from sparing.context.documents.comments import comment_ids, only
from sparing.job import JobResult
from sparing.records.folder import StateFolder
from sparing.review.answers import read_answers
from sparing.stages.place import Place
from sparing.turn import TURNS, StageStep

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
