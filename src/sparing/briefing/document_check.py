"""Whether documents are fit to build on: after an author's turn, and before the next stage.

What is read is what was committed. Absence, a stub and a document without sections send it back
to its author once; a section that is only expected is told as a warning, or sends it back where
the original's rules decide.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.artifact import ArtifactName
from sparing.config.settings import Settings
from sparing.context.documents.validate import (
    REQUIRED_SECTIONS,
    SEED_SECTIONS,
    ValidationProblem,
    blocking,
    validate_artifact,
)
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import DocumentProblems
from sparing.stages.place import Place, stage_of
from sparing.stages.questions import NOTHING_CHANGED
from sparing.turn import TURNS, StageStep
from sparing.way import Policy
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import Repository

WRITTEN = (StageStep.AUTHOR, StageStep.PART)


def problems_of_turn(
    around: Surroundings, row: FeatureRow, place: Place, results: tuple[JobResult, ...]
) -> DocumentProblems:
    """What is wrong with the document that an author has just finished; nothing if it goes on."""
    stage = stage_of(place)
    if place.step not in WRITTEN or stage.work is not StageWork.DOCUMENT or stage.writes is None:
        return DocumentProblems()
    more = TURNS[place.asked].by_parts and place.part + 1 < len(stage.parts)
    if more or not results or results[0].failure not in ("", NOTHING_CHANGED):
        return DocumentProblems()
    settings = around.settings(row)
    path = f"{around.feature_folder(row)}/{stage.writes.filename}"
    commit = results[0].commit or place.head
    found = _problems(around.repository, commit, path, stage.writes, settings)
    serious = blocking(found, strict=_strict(settings))
    words = tuple(one.what for one in serious)
    lines = "".join(f"- {one}\n" for one in words)
    told = f"The next stage can't build on {path} as it is:\n{lines}Write the whole document."
    return DocumentProblems(
        words,
        tuple(one.what for one in found if one not in serious),
        around.folder.keep(told) if words else "",
    )


def unfit_documents(
    repository: Repository, commit: str, folder: str, have: Iterable[ArtifactName], one: Settings
) -> tuple[tuple[ArtifactName, str], ...]:
    """Of the documents that a feature has: those on which no stage can build, and why."""
    found: list[tuple[ArtifactName, str]] = []
    for name in sorted(have):
        problems = _problems(repository, commit, f"{folder}/{name.filename}", name, one)
        if serious := blocking(problems, strict=_strict(one)):
            found.append((name, serious[0].what))
    return tuple(found)


def _problems(
    repository: Repository, commit: str, path: str, name: ArtifactName, settings: Settings
) -> tuple[ValidationProblem, ...]:
    data = read_file(repository, commit, path)
    text = None if data is None else data.decode("utf-8", "replace")
    usual = SEED_SECTIONS if _strict(settings) else REQUIRED_SECTIONS
    return validate_artifact(name, text, {**usual, **settings.flow.required_sections})


def _strict(settings: Settings) -> bool:
    return settings.review.policy is Policy.SEED
