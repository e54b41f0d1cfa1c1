"""What is sent to the model double behind a client, and how long its turns take."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from sparing.agents.backend import AgentCall, AgentReply
from sparing.double.agent.play import DrawnAgent
from sparing.double.agent_draws import TurnIdentity

QUESTION_SECONDS = 1.0
"""Duration of a call in which an agent is only asked a question."""


def drawn_reply(agent: DrawnAgent | None, call: AgentCall, reply: AgentReply) -> AgentReply:
    if agent is None:
        return reply
    asks = call.ping or not call.folder
    each = QUESTION_SECONDS if asks else agent.needs(_identity(call)).call_seconds
    return replace(reply, seconds=each * len(reply.calls))


def told_to_double(call: AgentCall) -> Mapping[str, str]:
    """Headers with what a prompt does not always contain and a script may need."""
    return {
        "x-virtual-time": f"{call.at:.3f}",
        "x-feature-folder": quote(call.folder),
        "x-worktree": quote(str(call.cwd)),
        "x-turn": quote(json.dumps(_identity(call))),
    }


def _identity(call: AgentCall) -> TurnIdentity:
    return TurnIdentity(call.role, call.stage, call.task, call.iteration)
