"""What an agent does is told soon, each thing once, with or without a receipt.

Covers: A6, K1
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from sparing.agents.backend import AgentEvent
from sparing.records import events
from sparing.runtime.turn_listener import Listener
from sparing.turn_event import AgentAction
from tests.payment.spending import asking, new_feature, surroundings


def test_what_was_done_is_told_once_and_in_order(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    row = new_feature(around, 1)

    async def listened() -> None:
        asked = asking(around, row, "g0.0.1.0-one")
        listener = Listener(around.database, asked.ticket, asked.source.job, 1)
        listener(AgentEvent(AgentAction.READ, "a.py"))
        listener(AgentEvent(AgentAction.WRITE, "b.py"))
        listener.flush()
        listener.flush()
        listener(AgentEvent(AgentAction.READ, "a.py"))
        listener.flush()

    asyncio.run(listened())
    with around.database.read() as connection:
        told = [(one.kind, one.text) for one in events.since(connection, 0, row.feature.key)]
    assert told == [("read", "a.py"), ("write", "b.py"), ("read", "a.py")]
