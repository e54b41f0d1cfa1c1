"""Covers: E4. The counted clock goes on by what a drawn agent's turns and people take."""

from __future__ import annotations

from pathlib import Path

from sparing.clients.simulated_agent import taken_seconds
from sparing.double.agent.play import DrawnAgent
from sparing.double.agent_draws import human_seconds
from sparing.double.agent_kinds import AgentKind
from sparing.records import gates, ledger
from tests.records.attempts import FEATURE, NOON, WORST, attempt, result
from tests.records.rows import make_database


def test_turns_and_people_take_their_time(tmp_path: Path) -> None:
    """E4: turns that began together count once; a gate counts when it was answered."""
    agent, database = DrawnAgent(AgentKind.TYPICAL, 7), make_database(tmp_path)
    turns = {"one": (NOON, 30.0), "two": (NOON, 50.0), "three": (NOON + 60, 5.0)}
    with database.write() as tx:
        for name, (started, seconds) in turns.items():
            asked = attempt(name, started=started)
            ledger.finish(
                tx, asked.dispatch, ledger.begin(tx, asked, WORST), result(seconds=seconds)
            )
        for stage in ("specify", "design"):
            gate = gates.Gate(stage, FEATURE, stage, "gate", "", NOON)
            gates.open_gate(tx, gate)
        gates.answer(tx, "specify", "approve", "", "me", NOON)
    with database.read() as connection:
        taken = taken_seconds(connection, FEATURE, agent)
    assert taken == 55.0 + human_seconds(AgentKind.TYPICAL, 7, "specify")
