"""A finished branch is not forgotten before it is home, and what is left of it can go.

Covers: A6, H3
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparing.desk.features.cleanup import CleanupResult, clean
from sparing.desk.features.merge_status import (
    FinishedFeature,
    MergeStatus,
    finished_feature,
    finished_features,
)
from sparing.desk.office import Office, every_row, open_office
from sparing.errors import FeatureError
from sparing.records import events, features
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.worktree import ensure_worktree
from tests.desk.standing import NOW, STATES, reload, settled, standing, started
from tests.repositories import commit_files, git, make_repository

MERGE = "git merge --no-ff feature/001-add-rate-limiting"


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return open_office(make_repository(tmp_path / "r"))


@pytest.fixture
def row(office: Office) -> FeatureRow:
    """Completed, with one commit that its base lacks, and handed over as commands."""
    row = started(office)
    branch, checkout = row.feature.branch, office.repository.checkout
    git(checkout, "switch", "--quiet", "--create", branch)
    commit_files(checkout, {"made.txt": "made"}, "made")
    head = git(checkout, "rev-parse", "HEAD")
    git(checkout, "switch", "--quiet", "main")
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW)
    row = settled(office, row, STATES["done"])
    handed: dict[str, Any] = {"merged": False, "commands": [f"cd {checkout}", MERGE], "url": ""}
    with office.database.write() as tx:
        tx.execute("update features set head = ?", (head,))
        events.add(tx, Event("h", row.feature.key, NOW, "handover", text="ready", data=handed))
    ensure_worktree(office.repository, worktree(office, row), branch, head)
    return reload(office, row)


def worktree(office: Office, row: FeatureRow) -> Path:
    return office.folder.worktree(row.feature.name)


def merge(office: Office, row: FeatureRow, *how: str) -> None:
    git(office.repository.checkout, "merge", "--quiet", *how, row.feature.branch)


def only(office: Office) -> FinishedFeature:
    (found,) = finished_features(office, every_row(office))
    return found


def test_a_branch_that_is_not_home(office: Office, row: FeatureRow) -> None:
    """With the command that merges it, where one stands already."""
    found = only(office)
    assert (found.home, found.commands) == (MergeStatus.READY, (MERGE,))
    assert found.words == f"{row.feature.branch} is ready to be merged into main"
    one = finished_feature(office, row)
    assert one.home is MergeStatus.READY
    (command,) = one.commands  # no `cd` into where the person is
    assert command.endswith(row.feature.branch)


def test_a_branch_that_a_person_has_merged(office: Office, row: FeatureRow) -> None:
    """Nothing calls it ready any more; its worktree goes, its branch stays."""
    why = clean(office, row, NOW, named=False).stays
    assert why.startswith(f"{row.feature.branch} has unmerged commits")
    merge(office, row, "--no-ff", "-m", "merged")
    for found in (only(office), finished_feature(office, row)):
        assert (found.home, found.commands) == (MergeStatus.MERGED, ())
        assert found.words == f"{row.feature.branch} is merged into main"
        assert found.worktree == str(worktree(office, row))
    assert clean(office, row, NOW, named=False) == CleanupResult("", branch=True)
    assert not worktree(office, row).exists()
    assert only(office).worktree == ""
    assert git(office.repository.checkout, "rev-parse", row.feature.branch) == row.head


def test_a_branch_that_came_home_unseen(office: Office, row: FeatureRow) -> None:
    """Git can't see a squash: who names the feature says that it is settled."""
    merge(office, row, "--squash")
    git(office.repository.checkout, "commit", "--quiet", "-m", "squashed")
    assert only(office).home is MergeStatus.READY
    assert clean(office, row, NOW, named=True).stays == ""
    assert only(office).home is MergeStatus.SETTLED
    assert not worktree(office, row).exists()


def test_a_branch_that_is_gone(office: Office, row: FeatureRow) -> None:
    clean(office, row, NOW, named=True)
    git(office.repository.checkout, "branch", "-D", row.feature.branch)
    found = finished_feature(office, row)
    assert (found.home, row.head[:10] in found.words) == (MergeStatus.GONE, True)
    assert only(office).home is MergeStatus.MERGED
    assert clean(office, row, NOW, named=True) == CleanupResult("", branch=False)


def test_work_in_no_commit_is_never_cleaned_away(office: Office, row: FeatureRow) -> None:
    """H3"""
    (worktree(office, row) / "mine.txt").write_text("mine")
    assert "1 file is uncommitted" in clean(office, row, NOW, named=True).stays
    assert (worktree(office, row) / "mine.txt").read_text() == "mine"
    assert only(office).home is MergeStatus.READY


def test_a_feature_that_is_under_way_keeps_its_worktree(office: Office) -> None:
    with pytest.raises(FeatureError, match="is not finished"):
        clean(office, standing(office, "at a gate"), NOW, named=True)


def test_a_pull_request_is_somewhere_else(office: Office, row: FeatureRow) -> None:
    url = "https://example.com/pull/1"
    data: dict[str, Any] = {"merged": False, "commands": [], "url": url}
    with office.database.write() as tx:
        events.add(tx, Event("h2", row.feature.key, NOW, "handover", text="pushed", data=data))
    assert (only(office).home, url in only(office).words) == (MergeStatus.REQUESTED, True)
