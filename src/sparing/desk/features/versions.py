"""A feature's documents, and every version of each."""

from __future__ import annotations

from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.desk.features.history import events_since
from sparing.desk.office import Office
from sparing.errors import NotFound
from sparing.event import EditEvent
from sparing.records.features import FeatureRow
from sparing.turn_event import CommitEvent
from sparing.workspace.git.commit import list_folder, read_file

OTHERS = ("implementation-log.md", ".review-history.md", "retro.md")
"""Files kept in a feature's folder besides its artifacts."""


class DocumentVersion(NamedTuple):
    number: int
    commit: str
    at: float
    by: str
    """The role that wrote it, or the person."""
    note: str


class VersionedDocument(NamedTuple):
    name: str
    path: str
    versions: tuple[DocumentVersion, ...]
    """In order; the last is the current one."""


def document_names(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """The documents that exist, artifacts in the order of the flow."""
    folder = office.loaded.settings.flow.folder_of(row.feature)
    there = set(list_folder(office.repository, row.head, folder))
    known = [name.filename for name in ArtifactName]
    return tuple(name for name in (*dict.fromkeys((*known, *OTHERS)),) if name in there)


def document_path(office: Office, row: FeatureRow, name: str) -> str:
    known = {one.filename for one in ArtifactName} | set(OTHERS)
    wanted = name if name in known else f"{name}.md"
    if wanted not in known:
        raise NotFound(f"there is no document '{name}'", f"documents: {', '.join(sorted(known))}")
    return f"{office.loaded.settings.flow.folder_of(row.feature)}/{wanted}"


def text_at(office: Office, commit: str, path: str) -> str | None:
    data = read_file(office.repository, commit, path)
    return None if data is None else data.decode("utf-8", "replace")


def versions_of(office: Office, row: FeatureRow, name: str) -> VersionedDocument:
    """One version for each commit of the feature that changed the document's bytes."""
    path = document_path(office, row, name)
    found: list[DocumentVersion] = []
    before: bytes | None = None
    for event in events_since(office, 0, row.feature.key):
        what = event.what
        if not isinstance(what, CommitEvent | EditEvent):
            continue
        data = read_file(office.repository, what.commit, path)
        if data is None or data == before:
            continue
        before = data
        by = f"you ({what.by})" if isinstance(what, EditEvent) else event.role or "Sparing"
        found.append(DocumentVersion(len(found) + 1, what.commit, event.at, by, event.text))
    if not found and read_file(office.repository, row.head, path) is not None:
        found = [DocumentVersion(1, row.head, row.updated, "given at the start", "")]
    return VersionedDocument(path.rpartition("/")[2], path, tuple(found))
