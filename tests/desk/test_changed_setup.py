"""What a branch changed about its set-up is shown before a person agrees to it. Covers: H9, K2."""

from __future__ import annotations

from pathlib import Path

from sparing.desk.office import open_office
from sparing.desk.setup.worktree_setup import changed_setup, decide_setup
from tests.desk.standing import started
from tests.repositories import commit_beside, git, make_repository


def test_only_files_that_the_set_up_is_made_of_are_asked_about(tmp_path: Path) -> None:
    """H9: with their diff; a yes is to these bytes, and to this commit."""
    base = {"requirements.txt": "click\n", "README.md": "# Sample\n"}
    checkout = make_repository(tmp_path / "repository", base)
    office = open_office(checkout, {"state.folder": str(tmp_path / "state")})
    row = started(office)
    assert changed_setup(office, row).files == ()
    new = {**base, "requirements.txt": "click\nevil\n", "README.md": "# Other\n"}
    head = commit_beside(checkout, row.feature.base_commit, new)
    git(checkout, "update-ref", f"refs/heads/{row.feature.branch}", head)
    found = changed_setup(office, row)
    assert (found.files, found.others) == (("requirements.txt",), ("README.md",))
    assert "+evil" in found.diff
    decide_setup(found, agreed=True)
    agreed = changed_setup(office, row)
    assert (agreed.files, agreed.found.agreed, agreed.found.known.commit) == ((), True, head)
