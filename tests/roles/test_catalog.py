"""Which roles are in force: shipped, trusted ones of the repository, the user's own.

Covers: B5
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparing.roles import trust
from sparing.roles.catalog import Catalog, load_catalog
from sparing.roles.files import SIZE_LIMIT, repository_files, user_files
from sparing.roles.trust import RoleTrust

ROLE = "---\nname: spec-reviewer\ntools: Read, Grep\nmodel: opus\n---\n{text}\n"


class Place:
    """A repository, a user's folder and a state folder."""

    def __init__(self, where: Path) -> None:
        self.repository, self.user, self.state = (where / name for name in ("r", "u", "s"))
        for folder in (self.repository, self.user, self.state):
            folder.mkdir()

    def write(self, path: str, text: str) -> Path:
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def trust(self) -> None:
        trust.trust(self.state, repository_files(self.repository))

    @property
    def catalog(self) -> Catalog:
        return load_catalog(self.user, self.repository, self.state)

    @property
    def words(self) -> str:
        return self.catalog.role("spec-reviewer").text.splitlines()[-1]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_files_the_roles_are_those_that_ship(place: Place) -> None:
    assert place.catalog.own == {}
    assert place.catalog.role("spec-reviewer").origin == "shipped"
    assert place.catalog.warnings == ()


def test_the_user_s_own_file_counts_at_once(place: Place) -> None:
    (place.user / "spec-reviewer.md").write_text(ROLE.format(text="Mine."))
    assert place.words == "Mine."


@pytest.mark.parametrize("folder", [".sparing/roles", ".claude/agents"])
def test_a_repository_s_file_counts_only_when_trusted(place: Place, folder: str) -> None:
    """B5: and every change takes it back."""
    file = place.write(f"{folder}/spec-reviewer.md", ROLE.format(text="Theirs."))
    assert place.catalog.role("spec-reviewer").origin == "shipped"
    assert place.catalog.warnings == (f"{folder}/spec-reviewer.md is not trusted: sparing trust",)
    place.trust()
    assert place.words == "Theirs."
    assert place.catalog.untrusted == ()
    file.write_text(ROLE.format(text="Theirs, now worse."))
    assert place.catalog.role("spec-reviewer").origin == "shipped"
    assert place.catalog.untrusted == (f"{folder}/spec-reviewer.md",)
    file.write_text(ROLE.format(text="Theirs."))
    assert place.words == "Theirs."


def test_the_user_s_word_is_the_last(place: Place) -> None:
    place.write(".claude/agents/spec.md", ROLE.format(text="Agents."))
    place.trust()
    assert place.words == "Agents."
    place.write(".sparing/roles/spec.md", ROLE.format(text="Theirs."))
    place.trust()
    assert place.words == "Theirs."
    (place.user / "spec.md").write_text(ROLE.format(text="Mine."))
    assert place.words == "Mine."


def test_trust_is_of_this_path_and_these_bytes(place: Place) -> None:
    place.write(".sparing/roles/a.md", ROLE.format(text="A."))
    (file,) = repository_files(place.repository)
    assert trust.standing(file, {}) is RoleTrust.NEW
    assert trust.standing(file, {file.where: "0" * 64}) is RoleTrust.CHANGED
    assert trust.standing(file, {file.where: file.digest}) is RoleTrust.TRUSTED
    assert trust.standing(file, {"elsewhere.md": file.digest}) is RoleTrust.NEW


def test_what_is_trusted_is_what_was_shown(place: Place) -> None:
    """A file that changes between the look and the yes is not trusted."""
    path = place.write(".sparing/roles/a.md", ROLE.format(text="Shown."))
    shown = repository_files(place.repository)
    path.write_text(ROLE.format(text="Swapped."))
    trust.trust(place.state, shown)
    assert place.catalog.own == {}


def test_trust_can_be_taken_back(place: Place) -> None:
    place.write(".sparing/roles/a.md", ROLE.format(text="A."))
    place.trust()
    assert trust.revoke(place.state) == 1
    assert place.catalog.own == {}
    assert oct((place.state / trust.NAME).stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}', "\x00", "[" * 5000])
def test_a_broken_store_trusts_nothing(place: Place, content: str) -> None:
    place.write(".sparing/roles/a.md", ROLE.format(text="A."))
    (place.state / trust.NAME).write_text(content)
    assert place.catalog.own == {}


def test_a_broken_file_leaves_the_role_below_in_force(place: Place) -> None:
    """A run under way does not die of an edit; a door shows the problem first."""
    (place.user / "spec-reviewer.md").write_text("no head")
    place.write(".sparing/roles/b.md", "no head")
    place.trust()
    assert place.catalog.role("spec-reviewer").origin == "shipped"
    assert [error.what for error in place.catalog.problems] == [
        f"the role {place.user}/spec-reviewer.md has no head between two lines +++"
    ]
    assert place.catalog.ignored == (
        "the role .sparing/roles/b.md has no head between two lines +++: left out",
    )


def test_links_pipes_and_giants_are_no_role_files(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(ROLE.format(text="Outside."))
    place.write(".sparing/roles/good.md", ROLE.format(text="Good."))
    folder = place.repository / ".sparing/roles"
    (folder / "link.md").symlink_to(outside)
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    (folder / "giant.md").write_text("x" * (SIZE_LIMIT + 1))
    (folder / "other.txt").write_text("x")
    assert [file.where for file in repository_files(place.repository)] == [".sparing/roles/good.md"]


def test_a_folder_that_is_a_link_is_not_followed(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "roles").mkdir(parents=True)
    (elsewhere / "roles" / "a.md").write_text(ROLE.format(text="Outside."))
    (place.repository / ".sparing").symlink_to(elsewhere)
    assert repository_files(place.repository) == ()


def test_no_folder_no_files(tmp_path: Path) -> None:
    assert user_files(None) == ()
    assert user_files(tmp_path / "none") == ()
    assert repository_files(tmp_path) == ()
