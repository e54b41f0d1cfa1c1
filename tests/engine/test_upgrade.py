"""What an earlier version left is gone on with: never a step that does not match, nothing lost.

The states are those of the last commit before engine revisions, kept in `old_states`.
Covers: I4, I7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.old_state import OldState, load
from tests.engine.other_revision import ANEW, commits, contents, undisturbed_tier
from tests.engine.small import SCRIPT
from tests.repositories import git

pytestmark = pytest.mark.files


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> OldState:
    return undisturbed_tier(tmp_path_factory.mktemp("whole"))


def went_on(name: str, folder: Path, whole: OldState) -> tuple[OldState, str]:
    """Its story, after what must hold of every state."""
    old = load(name, folder)
    (folder / "script.toml").write_text(SCRIPT)  # today's agent: its turns end with a block
    before = commits(old.repository)
    said = old.sparing("run", "--yes")
    assert said.code == 0, said.err
    assert commits(old.repository)[: len(before)] == before
    assert contents(old.repository) == contents(whole.repository)
    assert (old.state / "sparing.db.schema-6").is_file()
    return old, said.err


@pytest.mark.long
def test_a_feature_parked_at_a_gate_goes_on(tmp_path: Path, whole: OldState) -> None:
    """I4: its leg has ended, so nothing was recorded that could not be understood."""
    old, story = went_on("tier-gate", tmp_path, whole)
    assert ANEW not in story
    assert len(commits(old.repository)) == len(commits(whole.repository))


def test_a_feature_killed_between_a_turn_and_its_commit_goes_on(
    tmp_path: Path, whole: OldState
) -> None:
    """I4, I7, F5: told in one line; the turn is not paid for again, and its commit says the same.
    Its recorded reply has no handoff block, and no turn is paid to ask for one."""
    old, story = went_on("tier-commit", tmp_path, whole)
    assert [line for line in story.splitlines() if "continues from" in line] == [f"  ~ {ANEW}"]
    first, wanted = (
        git(one.repository, "log", "-1", "--format=%B", commits(one.repository)[1][0])
        for one in (old, whole)
    )
    assert first == wanted
    paid = "select stage, role, outcome from ledger order by started"
    assert old.rows(paid) == whole.rows(paid)
