"""A session's files are the same bytes wherever the session is resumed.

Covers: I4, I5, B6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.agents.scripted.backend import ScriptedBackend
from sparing.agents.scripted.script import Script
from sparing.clients.conversation_rows import ConversationRows
from sparing.clients.session_travel import SessionTravel
from sparing.records import conversations
from sparing.records.folder import StateFolder, open_folder
from sparing.redact import Redactor

SESSION = "0123456789abcdef" * 2
SECRET = "sk-ant-api03-" + "A1b2C3d4" * 12


class Machine:
    """A worker's disk; the records are the team's."""

    def __init__(self, records: StateFolder, place: Path, *, shared: bool = True) -> None:
        self.place = place
        self.file = place / "sessions" / f"{SESSION}.json"
        self.travel = SessionTravel(records, ScriptedBackend(Script(), place), shared)

    def turn(self, added: str) -> None:
        """A turn that resumes the session if there is one."""
        self.travel.lay_down(SESSION)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write(added)
        self.travel.keep(SESSION, "a-model", 5.0)


@pytest.fixture
def records(tmp_path: Path) -> StateFolder:
    return open_folder(tmp_path / "state", "repository", Redactor())


def machine(records: StateFolder, name: str) -> Machine:
    return Machine(records, records.path.parent / name)


def test_a_session_is_resumed_elsewhere_and_back(records: StateFolder) -> None:
    """I5: each turn stores what it added; what a dead turn left behind here is not resumed."""
    one, other = machine(records, "one"), machine(records, "other")
    one.turn("first\n")
    with one.file.open("a") as file:
        file.write("cut off\n")
    other.turn("second\n")
    assert other.file.read_text() == "first\nsecond\n"
    one.turn("third\n")
    assert one.file.read_text() == "first\nsecond\nthird\n"
    with records.database().read() as connection:
        row = conversations.get(connection, SESSION)
    assert row is not None
    assert (row.backend, row.model, row.turns) == ("scripted", "a-model", 3)
    assert other.file.stat().st_mode & 0o777 == 0o600


def test_what_this_machine_has_added_stays(records: StateFolder) -> None:
    """I1: a turn whose end was not stored goes on where it was."""
    one = machine(records, "one")
    one.turn("first\n")
    with one.file.open("a") as file:
        file.write("not stored\n")
    one.turn("second\n")
    assert one.file.read_text() == "first\nnot stored\nsecond\n"


def test_a_file_that_was_written_anew_travels_whole(records: StateFolder) -> None:
    one, other = machine(records, "one"), machine(records, "other")
    one.turn("first\n")
    one.file.write_text("compacted\n")
    one.travel.keep(SESSION, "a-model", 5.0)
    other.turn("second\n")
    assert other.file.read_text() == "compacted\nsecond\n"


def test_a_transcript_with_a_secret_stays_where_it_is(records: StateFolder) -> None:
    """H2: and is not resumed elsewhere with words taken out of it."""
    one, other = machine(records, "one"), machine(records, "other")
    one.turn("first\n")
    one.turn(f"the key is {SECRET}\n")
    other.travel.lay_down(SESSION)
    assert other.file.read_text() == "first\n"
    stored = b"".join(path.read_bytes() for path in records.path.rglob("blobs/*/*"))
    assert SECRET.encode() not in stored


def test_alone_nothing_is_stored_and_what_was_copied_here_is_resumed(records: StateFolder) -> None:
    """I4: after `sparing database copy --from`."""
    machine(records, "one").turn("first\n")
    alone = Machine(records, records.path.parent / "alone", shared=False)
    alone.turn("second\n")
    assert alone.file.read_text() == "first\nsecond\n"
    other = machine(records, "other")
    other.travel.lay_down(SESSION)
    assert other.file.read_text() == "first\n"


@pytest.mark.parametrize("name", ["../../outside.json", "/tmp/outside.json"])
def test_a_row_that_names_another_place_is_not_laid_down(records: StateFolder, name: str) -> None:
    one, other = machine(records, "one"), machine(records, "other")
    one.turn("first\n")
    rows = ConversationRows(records, "scripted")
    said = rows.load(SESSION)
    assert said is not None
    assert rows.save(SESSION, "m", said.text.replace(f"sessions/{SESSION}.json", name), 2, 6.0)
    other.travel.lay_down(SESSION)
    assert not list(records.path.parent.rglob("outside.json"))
    assert not Path("/tmp/outside.json").exists()
