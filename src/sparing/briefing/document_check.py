"""Whether documents are fit to build on.

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
from sparing.way import Policy
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import Repository


def unfit_documents(
    repository: Repository, commit: str, folder: str, have: Iterable[ArtifactName], one: Settings
) -> tuple[tuple[ArtifactName, str], ...]:
    """Of the documents that a feature has: those on which no stage can build, and why."""
    found: list[tuple[ArtifactName, str]] = []
    for name in sorted(have):
        problems = document_problems(repository, commit, f"{folder}/{name.filename}", name, one)
        if serious := blocking(problems, strict=is_strict(one)):
            found.append((name, serious[0].what))
    return tuple(found)


def document_problems(
    repository: Repository, commit: str, path: str, name: ArtifactName, settings: Settings
) -> tuple[ValidationProblem, ...]:
    data = read_file(repository, commit, path)
    text = None if data is None else data.decode("utf-8", "replace")
    usual = SEED_SECTIONS if is_strict(settings) else REQUIRED_SECTIONS
    return validate_artifact(name, text, {**usual, **settings.flow.required_sections})


def is_strict(settings: Settings) -> bool:
    return settings.review.policy is Policy.SEED
