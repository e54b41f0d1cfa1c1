"""A tier is proposed from the request and the repository, and what was taken is written down.

Covers: A2
"""

from __future__ import annotations

from pathlib import Path

from sparing.desk.office import Office, open_office
from sparing.desk.setup.tiers import proposal, tell_tier
from sparing.flow.propose import Proposal
from sparing.records import events
from tests.desk.standing import NOW, started
from tests.repositories import commit_files, make_repository


def test_the_repository_is_looked_at(tmp_path: Path) -> None:
    office = open_office(make_repository(tmp_path / "own", {"a.txt": "a"}))
    request = "Show a number in one.py, pkg/two.py, three.py and four.py"
    assert "it names" not in "; ".join(proposal(office, request).why)
    files = {"one.py": "", "pkg/two.py": "", "pkg/three.py": "", "four.py": "", "five.py": ""}
    commit_files(office.repository.checkout, files, "more")
    said = proposal(office, request)
    assert "it names 4 files" in said.why
    assert "the repository has no checks that could catch a mistake" in said.why


def test_what_was_taken_is_written_down(office: Office) -> None:
    row = started(office)
    found = Proposal("L3", ("it touches money ('price')",))
    tell_tier(office, row, found, "terminal", NOW)
    with office.database.read() as connection:
        told = events.last(connection, row.feature.key, "tier")
    assert told is not None
    assert told.text == "L3 was proposed: it touches money ('price'); L1 was taken"
    assert (told.data["proposed"], told.data["taken"], told.data["by"]) == ("L3", "L1", "terminal")
