"""The relay between an agent and its provider: which of the two is to blame for a cut line.

Covers: G3
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.agents.acp.answers import AnswerReader
from sparing.agents.acp.relay import AgentGone, Asked, Heard, Relay, Upstream
from sparing.agents.backend import TurnOutcome
from sparing.failure import Failure
from tests.agents.acp_double import SmallDouble
from tests.agents.doubled_client import KEY, Json


class Turn:
    """A turn whose agent stops listening after so many writes."""

    def __init__(self, address: str, writes: int) -> None:
        self.outcomes: list[TurnOutcome] = []
        self.bills: list[AnswerReader] = []
        self._left = writes
        self._relay = Relay(
            Upstream(address, "authorization", KEY),
            {},
            0,
            began=lambda: None,
            billed=self.bills.append,
            stop=lambda outcome, _: self.outcomes.append(outcome),
            now=lambda: time.time(),
        )

    def ask(self, body: Json) -> None:
        asked = Asked("POST", "/chat/completions", {}, json.dumps(body).encode())
        asyncio.run(self._relay.ask(asked, self._begin, self._give))

    async def _begin(self, heard: Heard) -> None:
        await self._give(heard.kind.encode())

    async def _give(self, piece: bytes) -> None:
        if not self._left:
            raise ConnectionResetError("Connection lost")
        self._left -= 1


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallDouble]:
    made = SmallDouble(tmp_path / "sessions")
    yield made
    made.close()


BODY: Json = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Go on."}]}


@pytest.mark.parametrize("writes", [0, 1])
def test_an_agent_that_is_gone_is_no_failed_network(small: SmallDouble, writes: int) -> None:
    """G3: its provider answered, and bills that; what became of the agent is told elsewhere."""
    small.double.control(plan=[{"text": "a long answer " * 100}])
    turn = Turn(f"{small.double.url}{small.wire.path}", writes)
    with pytest.raises(AgentGone):
        turn.ask(BODY)
    assert turn.outcomes == []
    assert len(turn.bills) == 1


def test_an_agent_that_is_gone_when_its_provider_refuses(small: SmallDouble) -> None:
    """G3: the refusal is told all the same."""
    small.double.control(plan=[{"error": 429, "message": "used up"}])
    turn = Turn(f"{small.double.url}{small.wire.path}", 0)
    with pytest.raises(AgentGone):
        turn.ask(BODY)
    assert [outcome.failure for outcome in turn.outcomes] == [Failure.QUOTA]


def test_a_provider_that_can_not_be_reached(small: SmallDouble) -> None:
    """G3: that is the network, and nothing was billed."""
    turn = Turn("http://127.0.0.1:1/v1", 9)
    with pytest.raises(ConnectionError):
        turn.ask(BODY)
    assert [outcome.failure for outcome in turn.outcomes] == [Failure.NETWORK]
    assert turn.bills == []
