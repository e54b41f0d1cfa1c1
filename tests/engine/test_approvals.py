"""A person who changes what they have approved is asked again.

Covers: A6, H1
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.config.sources import sources_here
from sparing.desk.gates import answers
from sparing.desk.gates.edits import draft, take_files, take_text
from sparing.desk.office import Office, open_office
from sparing.engine.mail import obey_all
from sparing.errors import FeatureError, UsageError
from sparing.records import features, gates
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import commit_paths, read_file
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from tests.conftest import UserRepository
from tests.desk.standing import DOCUMENT, NOW, reload, standing
from tests.repositories import git, write_files

MINE = f"# My plan\n{DOCUMENT}"


class Scene(NamedTuple):
    office: Office
    around: Surroundings
    worktree: Worktree
    row: FeatureRow
    plan: str

    def approve(self) -> FeatureRow:
        """An engine reads the approval, some time after it was given."""
        answers.approve(self.office, reload(self.office, self.row), "terminal", NOW + 20)
        return self.obey()

    def obey(self) -> FeatureRow:
        obey_all(self.around, NOW + 21)
        return reload(self.office, self.row)

    def waits(self) -> bool:
        with self.office.database.read() as connection:
            return gates.waiting(connection, self.row.feature.key) is not None


@pytest.fixture
def scene(user_repository: UserRepository) -> Scene:
    """A plan is written, committed and shown at its gate."""
    office = open_office(user_repository())
    row = standing(office, "at a gate")
    feature = row.feature
    path = office.folder.worktree(feature.name)
    worktree = ensure_worktree(office.repository, path, feature.branch, feature.base_commit)
    plan = f"docs/features/{feature.name}/plan.md"
    write_files(worktree.path, {plan: DOCUMENT})
    made = commit_paths(
        worktree, worktree.tip(), [plan], CommitStamp("plan", feature.name, "s", NOW)
    )
    with office.database.write() as tx:
        assert features.move(tx, row, {**row.place, "head": made.commit}, made.commit, NOW)
    around = Surroundings(
        office.folder, office.database, office.repository,
        sources_here(office.repository.checkout), headless=True, environ={},
    )  # fmt: skip
    return Scene(office, around, worktree, reload(office, row), plan)


def test_an_approval_of_what_stands_there_counts(scene: Scene) -> None:
    """Files that are no part of the feature's folder may be what a check has left."""
    write_files(scene.worktree.path, {"report.xml": "left\n"})
    now = scene.approve()
    assert (now.running, now.head) == (True, scene.row.head)


def edit_file(scene: Scene) -> None:
    write_files(scene.worktree.path, {scene.plan: MINE})


def edit_and_commit(scene: Scene) -> None:
    edit_file(scene)
    git(scene.worktree.path, "commit", "--quiet", "-m", "mine", "--", scene.plan)


@pytest.mark.parametrize("edit", [edit_file, edit_and_commit])
def test_an_edit_between_approval_and_next_step_voids_the_approval(
    scene: Scene, edit: object
) -> None:
    """Their version is a commit of its own, the gate asks again, and about that."""
    assert callable(edit)
    answers.approve(scene.office, scene.row, "terminal", NOW + 20)
    edit(scene)
    now = scene.obey()
    assert (now.running, scene.waits()) == (False, True)
    assert now.head == now.place["head"] == scene.worktree.tip() != scene.row.head
    assert git(scene.worktree.path, "rev-parse", f"{now.head}^") == scene.row.head
    assert read_file(scene.office.repository, now.head, scene.plan) == MINE.encode()
    assert scene.obey() == now
    again = scene.approve()
    assert (again.running, again.head) == (True, now.head)


def test_an_edit_by_our_own_door_is_refused_once_an_answer_is_given(scene: Scene) -> None:
    given = draft(scene.office, scene.row)
    assert given is not None
    answers.approve(scene.office, scene.row, "terminal", NOW + 20)
    with pytest.raises(FeatureError, match="is already answered"):
        take_text(scene.office, scene.row, given, "# Another\n", "terminal", NOW + 21)
    assert scene.obey().head == scene.row.head


def test_files_of_one_name_are_named_once(scene: Scene) -> None:
    """A11: such as one that was moved to another folder."""
    write_files(scene.worktree.path, {"old/check.js": "1\n", "new/check.js": "1\n"})
    take_files(scene.office, scene.row, "terminal", NOW + 20)
    subject = git(scene.worktree.path, "log", "-1", "--format=%s")
    assert subject == "Edit check.js by hand (001)"


def test_an_edit_that_no_commit_may_hold_is_left_to_the_next_turn(scene: Scene) -> None:
    """H5: the approval is for the commit, which is unchanged; the file is set aside there."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write_files(scene.worktree.path, {scene.plan: f"token = '{secret}'\n"})
    now = scene.approve()
    assert (now.running, scene.worktree.tip()) == (True, scene.row.head)
    assert secret in (Path(scene.worktree.path) / scene.plan).read_text()


def test_a_secret_in_a_persons_version_is_not_committed(scene: Scene) -> None:
    """H5: told by its place, never by its value."""
    given = draft(scene.office, scene.row)
    assert given is not None
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(UsageError) as caught:
        take_text(scene.office, scene.row, given, f"# Plan\ntoken = '{secret}'\n", "me", NOW + 20)
    assert f"{scene.plan}, line 2" in caught.value.what
    assert secret not in caught.value.what
    assert scene.worktree.tip() == reload(scene.office, scene.row).head == scene.row.head
