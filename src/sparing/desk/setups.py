"""The set-up of a feature's worktree, where the feature itself has changed what it does."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.workspace.commit import diff, read_file
from sparing.workspace.ingredients import changed, fingerprint, reader
from sparing.workspace.setup import Plan, answer_to, keep_answer, plan_setup


class ChangedSetup(NamedTuple):
    plan: Plan
    files: tuple[str, ...]
    """Those that say something else than at the feature's base."""
    diff: str
    digest: str
    agreed: bool | None
    """What a person said to exactly this; None if nobody was asked."""


def changed_setup(office: Office, row: FeatureRow) -> ChangedSetup:
    settings, base = office.loaded.settings.workspace, row.feature.base_commit
    folder = office.folder.worktree(row.feature.name)
    plan = plan_setup(folder, settings.setup, settings.copy)
    now = reader(folder)
    files = changed(plan, lambda name: read_file(office.repository, base, name), now)
    digest = fingerprint(plan, now)
    shown = diff(office.repository, base, row.head, files, context=3) if files else ""
    return ChangedSetup(plan, files, shown, digest, answer_to(office.folder.path, digest))


def decide_setup(office: Office, found: ChangedSetup, *, agreed: bool) -> None:
    keep_answer(office.folder.path, found.digest, agreed=agreed)
