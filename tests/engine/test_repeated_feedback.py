"""An author is told when a person has to say the same again. Covers: F7."""

from __future__ import annotations

from pathlib import Path

from sparing.approval.repeated_feedback import feedback_with_note
from sparing.database import Database
from sparing.records import gates
from sparing.records.gates import Gate
from tests.records.rows import feature_row, make_database, waiting_row

KEY = feature_row().feature.key


def rejected(database: Database, leg: int, words: str, stage: str = "plan", gen: int = 0) -> Gate:
    gate = Gate(f"{KEY}.g{gen}.{leg}", KEY, stage, "gate", "", 200.0 + leg)
    with database.write() as tx:
        gates.open_gate(tx, gate)
        assert gates.answer(tx, gate.id, "reject", words, "terminal", 300.0 + leg)
        found = gates.latest(tx, KEY)
    assert found is not None
    return found


def told(database: Database, gate: Gate) -> str:
    with database.read() as connection:
        return feedback_with_note(connection, waiting_row(gate_leg(gate)), gate)


def gate_leg(gate: Gate) -> int:
    return int(gate.id.rpartition(".")[2])


def test_the_same_again_gets_a_note(tmp_path: Path) -> None:
    """F7: the words stay as they were; the program's own stand behind them and say so."""
    database = make_database(tmp_path, waiting_row())
    first = rejected(database, 0, "name the output file made.txt")
    assert told(database, first) == "name the output file made.txt"
    other = rejected(database, 1, "handle an empty input")
    assert told(database, other) == "handle an empty input"
    again = rejected(database, 2, "You still don't name the output file!")
    said = told(database, again)
    assert said.startswith("You still don't name the output file!\n\n(The program notes: ")
    assert "Take a different approach" in said


def test_what_was_said_of_another_stage_or_before_a_rerun_does_not_count(tmp_path: Path) -> None:
    """C12: a rerun begins anew."""
    database = make_database(tmp_path, waiting_row())
    rejected(database, 0, "name the output file", stage="brainstorm")
    rejected(database, 1, "name the output file", gen=1)
    here = rejected(database, 2, "name the output file")
    assert told(database, here) == "name the output file"


def test_only_a_rejection_gets_one(tmp_path: Path) -> None:
    database = make_database(tmp_path, waiting_row())
    rejected(database, 0, "name the file")
    gate = Gate(f"{KEY}.g0.1", KEY, "plan", "gate", "", 201.0, "answer", "name the file")
    assert told(database, gate) == "name the file"
