"""Records that were emptied and texts that were deleted: each says which command repairs it, and
that command does.

Covers: I3, K1
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sparing.records.daily_backup import copies, copy_daily
from tests.conftest import UserRepository
from tests.engine.capped import capped_work
from tests.repositories import git

pytestmark = pytest.mark.long


def test_an_emptied_database_comes_back_and_the_feature_goes_on(
    tmp_path: Path, user_repository: UserRepository
) -> None:
    """I3"""
    work = capped_work(tmp_path, user_repository)
    assert work.say("run").code == 2
    assert work.say("approve", "1").code == 0
    assert work.say("run").code == 2
    (state,) = (one.parent for one in Path.home().glob(".local/state/sparing/*/sparing.db"))
    for morning in copies(state):
        morning.unlink()
    assert copy_daily(state, 0.0)
    refused = work.say("doctor", "--restore")
    assert (refused.code, "are intact" in refused.err) == (64, True)
    (state / "sparing.db").write_bytes(b"")
    lost = work.say("status")
    assert (lost.code, lost.complaint[1]) == (1, "fix: sparing doctor --restore")
    assert work.say("doctor", "--restore", "--json").json["restored"] == "1970-01-01"
    assert work.run().code == 0
    assert [one["status"] for one in work.say("list", "--json").json["features"]] == ["completed"]


def test_a_copy_that_is_older_than_the_branch_is_gone_on_from(
    tmp_path: Path, user_repository: UserRepository
) -> None:
    """I3: the branch goes back to where the records have it, its commits stay under a ref; an
    author who was asked once more on top of its own work had nothing to change, and was stuck."""
    work = capped_work(tmp_path, user_repository)
    assert work.say("run").code == 2
    (state,) = (one.parent for one in Path.home().glob(".local/state/sparing/*/sparing.db"))
    for morning in copies(state):
        morning.unlink()
    assert copy_daily(state, 0.0)
    assert work.say("approve", "1").code == 0
    assert work.say("run").code == 2
    branch = "feature/001-make-a-file"
    ahead = git(work.path, "rev-parse", branch)
    (back,) = work.say("doctor", "--restore", "--yes", "--json").json["branches"]
    assert (back["feature"], back["branch"]) == ("001", branch)
    assert git(work.path, "rev-parse", back["ref"]) == ahead
    assert git(work.path, "rev-parse", branch) != ahead
    assert work.run().code == 0
    assert [one["status"] for one in work.say("list", "--json").json["features"]] == ["completed"]


def test_deleted_texts_do_not_keep_a_stage_from_running_again(
    tmp_path: Path, user_repository: UserRepository
) -> None:
    """I3: what a turn can do without is left out, what the checks had said is asked again."""
    work = capped_work(tmp_path, user_repository)
    assert work.say("run").code == 2
    (blobs,) = Path.home().glob(".local/state/sparing/*/blobs")
    shutil.rmtree(blobs)
    work.run()
    work.say("rerun", "1", "--yes")
    assert work.run().code == 0
