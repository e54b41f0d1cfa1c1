"""Whether the base branch has moved since a feature began, and what of the feature that touches.

Told at every gate: who approves should know that the code below has changed meanwhile. Reads
only; no merge is tried here.
"""

from __future__ import annotations

from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.repository import branch_commit, contains

MOST_NAMES = 5


def moved_base_notes(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """One line, or nothing where the branch is as it was."""
    feature, repo = row.feature, office.repository
    tip = branch_commit(repo, feature.base_branch) if feature.base_branch else None
    if tip is None or tip == feature.base_commit or contains(repo, row.head, tip):
        return ()
    if not contains(repo, tip, feature.base_commit):
        began = feature.base_commit[:10]
        return (
            f"{feature.base_branch} was rewritten: it no longer holds {began},"
            " the commit that this feature began with",
        )
    count = repo.git().text("rev-list", "--count", f"{feature.base_commit}..{tip}").strip()
    commits = f"{count} commit{'' if count == '1' else 's'}"
    there = {one.path for one in changed_files(repo, feature.base_commit, tip)}
    here = {one.path for one in changed_files(repo, feature.base_commit, row.head)}
    return (
        f"{feature.base_branch} has moved on: {commits} since this feature began;"
        f" {_overlap(sorted(there & here))}",
    )


def _overlap(paths: list[str]) -> str:
    if not paths:
        return "none of them touches a file that this feature changes"
    more = f" and {len(paths) - MOST_NAMES} more" if len(paths) > MOST_NAMES else ""
    return f"both changed {', '.join(paths[:MOST_NAMES])}{more}"
