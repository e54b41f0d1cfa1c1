"""Marks approvals of sections that name a file changed by a base that was brought in.

A mark holds until its stage is passed again, and only while the feature contains that base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sparing.approval.sections import MOVED, Library, Passed, passed_with, reviewed_stages
from sparing.artifact import ArtifactName
from sparing.connection import Connection
from sparing.context.links.dependents import ChangeKind, PartChange, hashes_of
from sparing.context.links.section_files import sections_naming
from sparing.records.features import FeatureRow
from sparing.records.gates import ApprovalRow, approvals_of, keep_approval
from sparing.stages.place import Place
from sparing.workspace.git.repository import contains


def mark_approvals(
    tx: Connection, library: Library, row: FeatureRow, head: str, base: str, files: Sequence[str]
) -> tuple[str, ...]:
    """For each stage passed, mark the sections of its document that name a file which `base`
    changed, and return them. Repeating it marks the same ones."""
    place = Place.load({**row.place, "review": None})
    rows, marked = approvals_of(tx, row.feature.key), list[str]()
    for stage in reviewed_stages(place):
        passed = passed_with(library, place, rows, stage)
        if stage.writes is None or passed is None:
            continue
        found = sections_naming(library.text(head, stage.writes), files)
        if not found:
            continue
        new = {name: f"{base} {path}" for name, path in found.items()}
        seen = {**passed.seen, MOVED: {**passed.seen.get(MOVED, {}), **new}}
        at = rows[stage.name].at if stage.name in rows else row.updated
        keep_approval(tx, ApprovalRow(row.feature.key, stage.name, seen, passed.commit, at))
        marked += [f"{stage.writes.filename} § {name}" for name in found]
    return tuple(marked)


def moved_below(
    library: Library, head: str, passed: Passed, document: ArtifactName
) -> Mapping[str, PartChange]:
    """By section, the file that the base has changed since the section was approved. A section
    that was rewritten since no longer counts as that section."""
    marks, seen = passed.seen.get(MOVED, {}), passed.seen.get(document.filename, {})
    now = hashes_of(library.text(head, document)) if marks else {}
    found: dict[str, PartChange] = {}
    for section, value in marks.items():
        base, _, path = value.partition(" ")
        if section not in now or now[section] != seen.get(section):
            continue
        if library.has(base) and contains(library.repository, head, base):
            found[section] = PartChange(path, "", ChangeKind.CHANGED)
    return found
