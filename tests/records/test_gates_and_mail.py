"""Answers: the first one counts, each request counts once, and they are read in order.

Covers: A6, I1
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.database import Database
from sparing.records import gates, mailbox
from sparing.records.gates import Gate
from sparing.records.mailbox import Letter
from tests.records.rows import IntegrityErrors, feature_row, make_database, waiting_row

KEY = feature_row().feature.key
GATE = Gate(f"{KEY}.g0.0", KEY, "plan", "gate", "", 200.0)
LETTER = Letter(0, KEY, "approve", GATE.id, "", "terminal")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path, waiting_row(), feature_row(2))


def waiting(database: Database, feature: str = KEY) -> Gate | None:
    with database.read() as connection:
        return gates.waiting(connection, feature)


def unread(database: Database) -> list[Letter]:
    with database.read() as connection:
        return mailbox.unread(connection)


def test_a_gate_waits_until_it_is_answered(database: Database) -> None:
    with database.write() as tx:
        gates.open_gate(tx, GATE)
    assert waiting(database) == GATE
    assert waiting(database, "r-002") is None
    with database.write() as tx:
        assert gates.answer(tx, GATE.id, "reject", "shorter", "page", 201.0)
    assert waiting(database) is None
    with database.read() as connection:
        answered = gates.latest(connection, KEY)
    assert answered == replace(GATE, answer="reject", feedback="shorter", answered_by="page")


def test_the_first_answer_wins(database: Database) -> None:
    """A6: from whichever door the second one comes."""
    with database.write() as tx:
        gates.open_gate(tx, GATE)
        assert gates.answer(tx, GATE.id, "reject", "shorter", "page", 201.0)
        assert not gates.answer(tx, GATE.id, "approve", "", "terminal", 202.0)
        found = gates.latest(tx, KEY)
    assert found == replace(GATE, answer="reject", feedback="shorter", answered_by="page")


def test_opening_a_gate_again_keeps_its_answer(database: Database) -> None:
    """I1: the step that opens it may be repeated."""
    with database.write() as tx:
        gates.open_gate(tx, GATE)
        gates.answer(tx, GATE.id, "approve", "", "page", 201.0)
        gates.open_gate(tx, replace(GATE, reason="again"))
    assert waiting(database) is None


def test_a_gate_that_is_not_there_can_not_be_answered(database: Database) -> None:
    with database.write() as tx:
        assert not gates.answer(tx, "r-001.g0.7", "approve", "", "page", 201.0)


@pytest.mark.parametrize("opened", [150.0, 200.0, 300.0])
def test_the_latest_gate_is_the_one_opened_last(database: Database, opened: float) -> None:
    """I1: also where the machine's clock was set back in between."""
    second = replace(GATE, id=f"{KEY}.g0.1", stage="implement", opened=opened)
    with database.write() as tx:
        gates.open_gate(tx, GATE)
        gates.answer(tx, GATE.id, "approve", "", "page", 201.0)
        gates.open_gate(tx, second)
        assert gates.latest(tx, KEY) == gates.waiting(tx, KEY) == second


def test_a_gate_belongs_to_a_feature(database: Database) -> None:
    with pytest.raises(IntegrityErrors), database.write() as tx:
        gates.open_gate(tx, replace(GATE, feature="nobody"))


def test_letters_are_read_in_the_order_they_were_sent(database: Database) -> None:
    """A6: by number, not by the senders' clocks."""
    with database.write() as tx:
        for number, (verb, at) in enumerate([("start", 9.0), ("approve", 3.0), ("reject", 6.0)], 1):
            assert mailbox.post(tx, f"k{number}", replace(LETTER, verb=verb), at)
    expected = [
        replace(LETTER, n=number, verb=verb)
        for number, verb in enumerate(("start", "approve", "reject"), 1)
    ]
    assert unread(database) == expected


def test_a_repeated_request_counts_once(database: Database) -> None:
    """A6: a double click, or a door that was killed after it had written."""
    with database.write() as tx:
        assert mailbox.post(tx, "k", LETTER, 1.0)
        assert not mailbox.post(tx, "k", replace(LETTER, body="other"), 2.0)
    assert unread(database) == [replace(LETTER, n=1)]


def test_an_obeyed_letter_is_not_read_again(database: Database) -> None:
    """I1: and its key stays taken, so that it can't be sent again."""
    with database.write() as tx:
        mailbox.post(tx, "k", LETTER, 1.0)
        mailbox.obeyed(tx, 1, "answered", 2.0)
        assert not mailbox.post(tx, "k", LETTER, 3.0)
        assert mailbox.pending(tx, GATE.id) is None
    assert unread(database) == []


def test_the_first_letter_to_a_gate_is_the_pending_one(database: Database) -> None:
    """A6"""
    with database.write() as tx:
        mailbox.post(tx, "elsewhere", replace(LETTER, gate="r-001.g0.9"), 1.0)
        mailbox.post(tx, "first", replace(LETTER, body="a"), 2.0)
        mailbox.post(tx, "second", replace(LETTER, body="b"), 1.5)
        assert mailbox.pending(tx, GATE.id) == replace(LETTER, n=2, body="a")
        mailbox.obeyed(tx, 2, "answered", 3.0)
        assert mailbox.pending(tx, GATE.id) == replace(LETTER, n=3, body="b")
