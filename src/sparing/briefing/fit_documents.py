"""Whether documents are fit to build on.

The committed text is checked. A missing document, a stub or one without sections goes back to its
author once; a section that is only expected leads to a warning, or sends it back if the original's
rules apply. Doors ask this before they accept an answer, so it loads nothing of a run.
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
from sparing.dispatch_policy import Policy
from sparing.feature import Feature
from sparing.flow.flows import FLOWS, TIERS
from sparing.records.features import FeatureRow
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
        if serious := blocking(problems_in(name, data, one, strict=strict), strict=strict):
            found.append((name, serious[0].what))
    return tuple(found)


def problems_in(
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
