"""What every backend promises of a trunk that is sent ahead for an hour, and how that is checked.

Covers: E9, C15, E2, G1
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sparing.agents.backend import Access, AgentReply
from sparing.agents.checks.hour_check import YES, with_hour
from sparing.agents.checks.resume_check import CheckSetting, Item, ResumeCheck
from sparing.review.verdict import SCHEMA
from sparing.usage import Origin, Usage
from tests.agents.acts import Act, Backends
from tests.agents.backends import MODEL, call, run, segments

TRUNK = "The design. " * 2000
TRUNK_TOKENS = len(TRUNK) // 4
AT, LATE, LATER = 1000.0, 1900.0, 4000.0
"""A quarter of an hour, and fifty minutes, after the trunk was sent."""
VERDICT = '{"approved": true, "findings": [], "summary": "good"}'


def primed(hour_backends: Backends, cwd: Path, *, writes: bool) -> AgentReply:
    return run(
        hour_backends.make(Act(reply="ok" if writes else VERDICT)),
        call(
            cwd, id="p", prompt=segments(TRUNK, "Reply with the one word ok."), at=AT - 2,
            access=Access.READ_ONLY, shown=Access.WORKTREE if writes else None,
            schema=None if writes else SCHEMA, life="1h", ping=True,
        ),
    )  # fmt: skip


@pytest.mark.parametrize("writes", [True, False])
def test_what_was_sent_ahead_is_read_for_an_hour(
    hour_backends: Backends, cwd: Path, writes: bool
) -> None:
    """E9, E2: by turns of five minutes, with a form and without, that go on as ever; and all of it
    is on the bill, to the token."""
    ahead = primed(hour_backends, cwd, writes=writes)
    assert ahead.failure is None, ahead.detail
    assert ahead.usage.write_1h >= TRUNK_TOKENS
    assert ahead.usage.write_5m < 50, "the words behind it"
    assert len(ahead.calls) == 1
    access = Access.WORKTREE if writes else Access.READ_ONLY
    schema = None if writes else SCHEMA
    backend = hour_backends.make(Act(reply=VERDICT))
    replies = [ahead]
    for number, at in enumerate((AT, LATE, LATER)):
        asked = call(
            cwd, id=f"t{number}", prompt=segments(TRUNK, f"Do task {number}."), at=at,
            access=access, schema=schema,
        )  # fmt: skip
        reply = run(backend, asked)
        assert reply.failure is None, reply.detail
        first = reply.calls[0].usage
        assert first is not None
        assert first.read >= TRUNK_TOKENS, f"at {at}"
        assert first.write_1h == 0, "only what was sent ahead lives for an hour"
        replies.append(reply)
    again = run(
        backend,
        call(
            cwd, id="r", prompt=segments("Once more."), resume=replies[-1].session, at=LATER + 60,
            access=access, schema=schema,
        ),
    )  # fmt: skip
    assert again.failure is None, again.detail
    assert again.usage.read > TRUNK_TOKENS
    replies.append(again)
    assert sum((one.usage for one in replies), Usage()) == hour_backends.bill()


ASKED = ResumeCheck((Item("V1", True, "an id came back"),), 1.0, Usage(), Origin.SIMULATED, 1.0, 1,
                    certain=True)  # fmt: skip


def asked_of(hour_backends: Backends, cwd: Path) -> ResumeCheck:
    place = CheckSetting(cwd, MODEL, at=AT)
    backend = hour_backends.make(Act(reply="ok"))
    return asyncio.run(with_hour(ASKED, backend.run, place))


def test_the_client_is_asked_whether_it_is_read(hour_backends: Backends, cwd: Path) -> None:
    """E9, C15: V6, in two short turns that are on the bill."""
    found = asked_of(hour_backends, cwd)
    assert found.items[1:] == (Item("V6", True, YES),)
    assert found.usage == hour_backends.bill()
    assert found.passed
