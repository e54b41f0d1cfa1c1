"""Dependencies between features: those that must be finished and in the base branch first.

Where possible, completion is read from that branch, so that colleagues' work counts, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, cast

from sparing.artifact import META
from sparing.desk.office import Office
from sparing.feature import FeatureStatus
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import contains

NOT_HERE = "not begun"


class LandedFeatures(NamedTuple):
    """A snapshot of the base branch, together with our own feature rows."""

    office: Office
    branch: str
    commit: str
    rows: dict[str, FeatureRow]
    """By a feature's name and by its number."""

    def standing(self, name: str) -> str:
        """`completed`, or why the feature does not count as done."""
        row = self.rows.get(name) or self.rows.get(name.partition("-")[0])
        if self._recorded(row.feature.name if row else name):
            return FeatureStatus.COMPLETED.value
        if row is None:
            return NOT_HERE
        if row.status is not FeatureStatus.COMPLETED:
            return row.status.value
        if contains(self.office.repository, self.commit, row.head):
            return FeatureStatus.COMPLETED.value
        return f"done, not in {self.branch} yet"

    def _recorded(self, name: str) -> bool:
        """Whether the base branch itself says that it is done."""
        folder = self.office.loaded.settings.flow.features_folder
        data = read_file(self.office.repository, self.commit, f"{folder}/{name}/{META}")
        try:
            found: object = json.loads(data or b"{}")
        except (ValueError, RecursionError):
            return False
        fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        return fields.get("status") == FeatureStatus.COMPLETED.value


def landed_features(office: Office) -> LandedFeatures:
    base = resolve_base(office.repository, office.loaded.settings.workspace.base_branch)
    with office.database.read() as connection:
        rows = features.list_all(connection)
    named = {key: row for row in rows for key in (row.feature.name, row.feature.id)}
    return LandedFeatures(office, base.branch or "HEAD", base.commit, named)


def unmet(row: FeatureRow, now: LandedFeatures) -> tuple[str, ...]:
    """The dependencies it still waits for and why; empty once it has begun."""
    if row.status is not FeatureStatus.PLANNED:
        return ()
    found = [(name, now.standing(name)) for name in row.background.depends_on]
    return tuple(f"{name} ({why})" for name, why in found if why != FeatureStatus.COMPLETED.value)


class ReadyAndWaiting(NamedTuple):
    ready: list[FeatureRow]
    waiting: list[tuple[FeatureRow, tuple[str, ...]]]


def sort_ready(office: Office, rows: Sequence[FeatureRow]) -> ReadyAndWaiting:
    """Split features into ready and waiting; a ready one that had to wait gets the current base."""
    if not any(row.background.depends_on and row.status is FeatureStatus.PLANNED for row in rows):
        return ReadyAndWaiting(list(rows), [])
    now = landed_features(office)
    found = ReadyAndWaiting([], [])
    for row in rows:
        missing = unmet(row, now)
        if missing:
            found.waiting.append((row, missing))
        else:
            found.ready.append(_caught_up(office, row, now))
    return found


def _caught_up(office: Office, row: FeatureRow, now: LandedFeatures) -> FeatureRow:
    if row.status is not FeatureStatus.PLANNED or not row.background.depends_on:
        return row
    with office.database.write() as tx:
        features.rebase(tx, row, now.commit)
        return features.get(tx, row.feature.key) or row
