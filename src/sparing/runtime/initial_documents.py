"""Documents a feature starts with: committed as its first change, before any other work."""

from __future__ import annotations

from sparing.job import Job
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.ticket import Ticket
from sparing.workspace.git.commit import commit_paths
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.leaks import refuse_secrets
from sparing.workspace.project.paths import Confined


def bring_given(
    around: Surroundings, row: FeatureRow, worktree: Worktree, job: Job, ticket: Ticket
) -> str:
    """The branch's tip with them; a repeated step finds the commit it made."""
    tip, base = worktree.tip(), row.feature.base_commit
    if not job.given or tip != base:
        return tip
    files, folder = Confined(worktree.path), around.feature_folder(row)
    paths = [f"{folder}/{name}" for name, _ in job.given]
    for path, (_, digest) in zip(paths, job.given, strict=True):
        files.write_text(path, around.folder.fetch(digest))
    refuse_secrets(worktree, base, paths, around.folder.redactor.known)
    names = " and ".join(name for name, _ in job.given)
    subject = f"sparing: {names} as given"
    change = commit_paths(worktree, base, paths, subject, row.feature.name, ticket.step, ticket.at)
    return change.commit
