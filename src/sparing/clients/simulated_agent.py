"""Claude Code with the model double behind it: all is real but the model and its bill.

The double is a process of ours on this machine. It plays the same script as the scripted agent, or
works like real agents of a kind; it keeps a log of every request with its cost beside the state,
and counts time by the engine's clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparing.config.settings import AgentSettings, DoubledAgent
from sparing.connection import Connection
from sparing.records import gates, ledger

if TYPE_CHECKING:  # else every command that asks for a backend would load the double
    from sparing.double.agent.play import DrawnAgent


def agent_of(settings: AgentSettings) -> DrawnAgent | None:
    """The agent that the double simulates; None if it plays a script."""
    if settings.double is DoubledAgent.SCRIPT:
        return None
    from sparing.double.agent.play import DrawnAgent
    from sparing.double.agent_kinds import AgentKind

    drawn = (settings.double_seed, settings.double_trust, settings.double_files)
    return DrawnAgent(AgentKind(settings.double.value), *drawn)


def taken_seconds(connection: Connection, feature: str, agent: DrawnAgent) -> float:
    """How long the feature's turns and the people at its gates have taken so far.

    Turns that began at the same time ran in parallel.
    """
    from sparing.double.agent_draws import human_seconds

    turns: dict[float, float] = {}
    for row in ledger.of_feature(connection, feature):
        if row.result is not None:
            begun = row.attempt.started
            turns[begun] = max(turns.get(begun, 0.0), row.result.seconds)
    waits = (
        human_seconds(agent.kind, agent.seed, stage)
        for stage in gates.answered(connection, feature)
    )
    return sum(turns.values()) + sum(waits)
