"""What several dispatches share is paid once, and what breaks the sharing is seen in the bill.

Covers: B1, B5, E2, G2
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.agents.acp.stream import FORM
from sparing.agents.backend import Access, AgentCall, AgentReply, Backend
from sparing.backend_name import SCRIPTED
from sparing.review.verdict import SCHEMA
from tests.agents.acts import Act, Backends
from tests.agents.backends import call, run, segments

TRUNK = "A long design that all reviewers must know. " * 900
ROLES = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")
TRUNK_TOKENS = segments(TRUNK)[0].tokens
VERDICT = Act(reply='{"approved": true, "findings": [], "summary": "fine"}')


def reviewer(cwd: Path, number: int, **changes: object) -> AgentCall:
    """A reviewer's turn: the trunk they all share, then the text of its own role."""
    role = ROLES[number]
    usual: dict[str, object] = {
        "id": f"review-{number}",
        "role": role,
        "access": Access.READ_ONLY,
        "schema": SCHEMA,
        "prompt": segments(TRUNK, f"Your role: {role}. " * 20),
        "at": 1000.0 + 5 * number,
    }
    return call(cwd, **{**usual, **changes})


def review(backend: Backend, cwd: Path, number: int, **changes: object) -> AgentReply:
    return run(backend, reviewer(cwd, number, **changes))


def test_reviewers_of_one_change_share_its_trunk(backends: Backends, cwd: Path) -> None:
    """B5: the second and third read at least 95 % of it from cache."""
    backend = backends.make(VERDICT)
    first, *others = [review(backend, cwd, number) for number in range(3)]
    assert first.usage.read == 0
    assert [reply.failure for reply in others] == [None, None]
    for reply in others:
        assert reply.usage.read >= 0.95 * TRUNK_TOKENS
        own = reply.usage.input - reply.usage.read - _words_of_form(backend)
        assert own < 0.05 * TRUNK_TOKENS


OTHER_SCHEMA = {**SCHEMA, "properties": {**SCHEMA["properties"], "mine": {"type": "string"}}}
"""Not only another title, which a library may put in place of ours."""


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"system": "You are a security reviewer. " * 8}, id="role in system prompt"),
        pytest.param({"access": Access.WORKTREE}, id="other tools"),
        pytest.param({"model": "claude-haiku-4-5"}, id="other model"),
        pytest.param({"schema": OTHER_SCHEMA}, id="schema of its own"),
        pytest.param({"prompt": segments("x" + TRUNK, "role")}, id="other trunk"),
        pytest.param({"at": 1000.0 + 301}, id="too late"),
    ],
)
def test_what_leaves_the_group_pays_for_the_trunk_again(
    backends: Backends, cwd: Path, changes: dict[str, object]
) -> None:
    """B5: the counter-examples; at most what stands before the trunk is read."""
    backend = backends.make(VERDICT)
    review(backend, cwd, 0)
    second = review(backend, cwd, 1, **changes)
    assert second.failure is None
    if _comes_later(backend, changes):
        assert second.usage.read >= 0.95 * TRUNK_TOKENS
        return
    before_trunk = second.context_tokens - sum(made.added for made in second.calls)
    assert second.usage.read <= before_trunk
    assert second.usage.input - second.usage.read >= TRUNK_TOKENS


def _comes_later(backend: Backend, changes: dict[str, object]) -> bool:
    """A form that is asked for in words stands behind the trunk, and an agent of the user's own
    lists the same tools whoever may use them."""
    in_words = "schema" in changes and _words_of_form(backend) > 0
    return in_words or ("access" in changes and backend.name == "acp")


def _words_of_form(backend: Backend) -> int:
    """What a form takes behind the trunk; the scripted agent has it among its tools."""
    if backend.capabilities.schema or backend.name == SCRIPTED:
        return 0
    return segments(FORM + json.dumps(SCHEMA, separators=(",", ":")))[0].tokens


def test_siblings_that_start_at_the_same_moment_share_nothing(
    backends: Backends, cwd: Path
) -> None:
    """B5: a trunk can be read when the first answer has begun, not before."""
    backend = backends.make(replace(VERDICT, held=True))

    async def both() -> list[AgentReply]:
        turns = [
            asyncio.create_task(backend.run(reviewer(cwd, number, at=1000.0), lambda _: None))
            for number in range(2)
        ]
        await asyncio.to_thread(backends.release, 2)
        return await asyncio.gather(*turns)

    assert [reply.usage.read for reply in asyncio.run(both())] == [0, 0]
