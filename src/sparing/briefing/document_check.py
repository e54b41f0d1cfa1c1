"""Whether documents are fit to build on.

The committed text is checked. A missing document, a stub or one without sections goes back to its
author once; a section that is only expected leads to a warning, or sends it back if the original's
rules apply.

Problems of the document that an author has just written.

A person's comments that an author left unanswered: they are asked again.

Only once: what is still unanswered then is shown at the gate, where the person decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.artifact import ArtifactName
from sparing.config.settings import Settings
from sparing.context.documents.comments import comment_ids, only
from sparing.context.documents.validate import (
    REQUIRED_SECTIONS,
    SEED_SECTIONS,
    ValidationProblem,
    blocking,
    validate_artifact,
)
from sparing.feature import Feature
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import StageWork
from sparing.job import JobResult
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder
from sparing.review.answers import read_answers
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import DocumentProblems
from sparing.stages.place import Place, has_more_parts, stage_of
from sparing.stages.questions import NOTHING_CHANGED
from sparing.turn import TURNS, StageStep
from sparing.way import Policy
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import Repository


def unfit_documents(
    repository: Repository,
    row: FeatureRow,
    commit: str,
    have: Iterable[ArtifactName],
    one: Settings,
) -> tuple[tuple[ArtifactName, str], ...]:
    """Documents of the feature on which no stage can build, and why."""
    found: list[tuple[ArtifactName, str]] = []
    strict, folder = is_strict(one, row.feature), one.flow.folder_of(row.feature)
    for name in sorted(have):
        data = read_file(repository, commit, f"{folder}/{name.filename}")
        if serious := blocking(_problems(name, data, one, strict=strict), strict=strict):
            found.append((name, serious[0].what))
    return tuple(found)


def _problems(
    name: ArtifactName, data: bytes | None, settings: Settings, *, strict: bool
) -> tuple[ValidationProblem, ...]:
    text = None if data is None else data.decode("utf-8", "replace")
    usual = SEED_SECTIONS if strict else REQUIRED_SECTIONS
    return validate_artifact(name, text, {**usual, **settings.flow.required_sections})


def repair_of(feature: Feature, name: ArtifactName, *, there: bool = False) -> str:
    """The command that repairs a document: one that is there is changed, another is made again."""
    if there:
        return f"sparing edit {feature.id} {name.value}"
    made = (stage.name for stage in FLOWS[feature.flow].stages if stage.writes is name)
    return f"sparing rerun {feature.id} {next(made, '')}".rstrip()


def is_strict(settings: Settings, feature: Feature) -> bool:
    """The original demands its headings in its `feature` flow; its tiers know no such check."""
    return settings.review.policy is Policy.SEED and feature.flow not in TIERS


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
    found = _problems(stage.writes, data, settings, strict=strict)
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
