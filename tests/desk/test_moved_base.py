"""A base branch that moves while a feature is under way.

Covers: A9
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.desk.gates.gate import gate_view
from sparing.desk.office import Office, open_office
from sparing.desk.upstream.moved_base import moved_base_notes
from sparing.records import gates
from tests.desk.standing import NOW, standing
from tests.repositories import git, make_repository

DOCUMENT = "docs/features/001-feature-that-is-at-a-gate/plan.md"


@pytest.fixture
def office(tmp_path: Path) -> Office:
    repository = make_repository(tmp_path / "repository", {"README.md": "# Sample\n"})
    return open_office(repository, {"state.folder": str(tmp_path / "state")})


def committed(office: Office, path: str) -> None:
    """A commit of somebody else's on the base branch."""
    checkout = office.repository.checkout
    target = checkout / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"another {path}\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", f"change {path}")


def test_nothing_is_said_while_the_base_is_as_it_was(office: Office) -> None:
    """A9."""
    assert moved_base_notes(office, standing(office, "at a gate")) == ()


def test_commits_that_touch_nothing_of_the_feature(office: Office) -> None:
    """A9: told at the gate, in its notes."""
    row = standing(office, "at a gate")
    committed(office, "other.txt")
    with office.database.read() as connection:
        gate = gates.waiting(connection, row.feature.key)
    assert gate is not None
    assert gate_view(office, row, gate, NOW).notes[-2:] == (
        "main has moved on: 1 commit since this feature began;"
        " none of them touches a file that this feature changes",
        "to bring it in: sparing sync 001",
    )


def test_files_that_both_changed_are_named(office: Office) -> None:
    """A9."""
    row = standing(office, "at a gate")
    committed(office, DOCUMENT)
    committed(office, "other.txt")
    assert moved_base_notes(office, row) == (
        f"main has moved on: 2 commits since this feature began; both changed {DOCUMENT}",
        "to bring it in: sparing sync 001",
    )


def test_a_base_that_was_rewritten_is_said_to_be(office: Office) -> None:
    """A9."""
    row = standing(office, "at a gate")
    git(office.repository.checkout, "commit", "-q", "--amend", "-m", "anew", at=1_700_000_900)
    began = row.feature.base_commit[:10]
    assert moved_base_notes(office, row) == (
        f"main was rewritten: it no longer contains {began}, the commit that this feature started"
        " from; 1 commit since their common ancestor;"
        " none of them touches a file that this feature changes",
        "to bring it in: sparing sync 001",
    )


def test_a_base_branch_that_is_gone_says_nothing(office: Office) -> None:
    row = standing(office, "at a gate")
    git(office.repository.checkout, "checkout", "-q", "--detach")
    git(office.repository.checkout, "branch", "-D", "main")
    assert moved_base_notes(office, row) == ()
