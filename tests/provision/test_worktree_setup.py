"""A worktree is made usable after a person has agreed, and reviewers never see what was lent.

Covers: K2, H5, H6
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sparing.config.sources import sources_here
from sparing.desk.features.history import events_since
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.setup.repository_scan import agree, prospect
from sparing.errors import SparingError
from sparing.job import Job, JobKind, Ticket
from sparing.provision.worktree_setup import lend_to, outfit
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.worktree import Worktree
from tests.repositories import make_repository
from tests.workspace.features import commit

AT = 1_767_225_600.0


class Scene:
    def __init__(self, folder: Path, setup: str) -> None:
        settings = '[workspace]\ncopy = [".env"]\n'
        files = {"Makefile": f"setup:\n\t{setup}\n", "sparing.toml": settings}
        path = make_repository(folder / "sample", {**files, ".gitignore": ".env\n"})
        (path / ".env").write_text("TOKEN=1\n")
        self.office: Office = open_office(path)
        self.row: FeatureRow = answers.start(self.office, "Greet by name", "L1", {}, AT)
        self.around = Surroundings(
            self.office.folder, self.office.database, self.office.repository, sources_here(path),
            headless=True, environ={"PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        self.worktree: Worktree = self.around.worktree(self.row, self.row.head)

    def opened(self) -> list[tuple[str, str]]:
        """What was told."""
        job = Job(JobKind.OPEN, "plan", self.row.head, "open")
        ticket = Ticket(f"{self.row.feature.key}.g0.0.1.0-open", self.row.feature.key, AT)
        outfit(self.around, self.row, self.worktree, ticket, job)
        return [(one.kind, one.text) for one in events_since(self.office, 0)]

    def agree(self, *, agreed: bool = True) -> None:
        agree(self.office, prospect(self.office).setup, agreed=agreed)

    @property
    def lent(self) -> bool:
        return (self.worktree.path / ".env").exists()


def test_nothing_happens_before_a_person_agrees(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "touch made")
    assert [kind for kind, _ in scene.opened()] == ["warning"]
    lend_to(scene.around, scene.row, scene.worktree, writes=True)
    assert not scene.lent
    assert not (scene.worktree.path / "made").exists()


def test_a_no_is_remembered(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "touch made")
    scene.agree(agreed=False)
    assert scene.opened() == []


def test_it_runs_once_and_copies_come_and_go(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "cat .env >> made")
    scene.agree()
    assert scene.opened() == [("setup", "make setup")]
    assert scene.opened() == [("setup", "make setup")]
    assert (scene.worktree.path / "made").read_text() == "TOKEN=1\n"
    lend_to(scene.around, scene.row, scene.worktree, writes=False)
    assert not scene.lent
    lend_to(scene.around, scene.row, scene.worktree, writes=True)
    assert scene.lent


def test_secrets_in_copies_are_known_also_when_they_change(tmp_path: Path) -> None:
    """H5: when a command starts, and each time the files are copied."""
    scene = Scene(tmp_path, "true")
    scene.agree()
    checkout, values = scene.office.repository.checkout, ["v1-c0ffee-5even", "v2-7ables-c0ffee"]
    (checkout / ".env").write_text(f"TOKEN={values[0]}\nDEBUG=true\n")
    assert values[0] in open_office(checkout).folder.redactor.known
    redactor = scene.around.folder.redactor
    assert redactor.clean(values[1]) == values[1]
    (checkout / ".env").write_text(f"TOKEN={values[1]}\nDEBUG=true\n")
    lend_to(scene.around, scene.row, scene.worktree, writes=True)
    assert redactor.clean(f"{values[1]}, DEBUG=true") == "[redacted], DEBUG=true"


def test_a_set_up_that_fails_stops_the_feature(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "echo no network; exit 1")
    scene.agree()
    with pytest.raises(SparingError, match="set-up failed: make setup"):
        scene.opened()


def test_a_worktree_that_vanished_is_set_up_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "touch made")
    scene.agree()
    scene.opened()
    shutil.rmtree(scene.worktree.path)
    scene.worktree = scene.around.worktree(scene.row, scene.row.head)
    assert not (scene.worktree.path / "made").exists()
    scene.opened()
    assert (scene.worktree.path / "made").exists()


def test_a_set_up_that_nobody_agreed_to_stops_nothing_when_it_changes(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "touch made")
    (scene.worktree.path / "Makefile").write_text("setup:\n\ttouch more\n")
    commit(scene.worktree)
    assert [kind for kind, _ in scene.opened()] == ["warning"]
