"""The set-up of a feature's worktree, where the feature itself has changed what it does."""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.workspace.git.commit import changed_files, diff
from sparing.workspace.git.repository import branch_commit
from sparing.workspace.setup.consent import Consent, SetupQuestion, consent, decide
from sparing.workspace.setup.setup_plan import SetupPlan


class ChangedSetup(NamedTuple):
    asked: SetupQuestion
    found: Consent
    files: tuple[str, ...]
    """Files whose contents differ from what was agreed to."""
    others: tuple[str, ...]
    """Other changed files: a set-up that runs the repository's own code may read any of them."""
    diff: str

    @property
    def plan(self) -> SetupPlan:
        return self.found.now.plan


def changed_setup(office: Office, row: FeatureRow) -> ChangedSetup:
    """As of the feature's last commit; uncommitted files in its worktree don't count."""
    repo, settings = office.repository, office.loaded.settings.workspace
    asked = SetupQuestion.of(repo, office.folder.path, row.feature, settings)
    found = consent(asked, branch_commit(repo, row.feature.branch) or row.head)
    files, known, now = found.changed, found.known.commit, found.now.commit
    if not files:
        return ChangedSetup(asked, found, files, (), "")
    everything = (one.path for one in changed_files(repo, known, now))
    others = tuple(path for path in everything if path not in files)
    return ChangedSetup(asked, found, files, others, diff(repo, known, now, files, context=3))


def decide_setup(found: ChangedSetup, *, agreed: bool) -> None:
    decide(found.asked, found.found, agreed=agreed)
