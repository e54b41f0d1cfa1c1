"""What every backend promises of a call that only keeps a session warm.

Covers: C6, E2, G1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.agents.backend import Access
from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from tests.agents.acts import Act, Backends
from tests.agents.backends import call, run, segments

LATER, LATE = 1280.0, 1560.0
"""Within five minutes of the call before, and not within five minutes of the first."""
STEP = 130
"""Some providers read from their caches in steps of 128 tokens."""


@pytest.mark.parametrize("writes", [True, False])
def test_a_ping_keeps_a_session_warm_and_leaves_it_as_it_was(
    backends: Backends, cwd: Path, writes: bool
) -> None:
    """C6: all of it is read, for one short answer; the next turn finds it warm and unchanged."""
    access = Access.WORKTREE if writes else Access.READ_ONLY
    schema = None if writes else SCHEMA
    backend = backends.make(Act(reply='{"approved": true, "findings": [], "summary": "good"}'))
    first = run(backend, call(cwd, access=access, schema=schema))
    ping = run(
        backend,
        call(
            cwd, id="p", prompt=segments("Reply with the one word ok."), resume=first.session,
            at=LATER, access=access, schema=schema, ping=True,
        ),
    )  # fmt: skip
    assert ping.failure is None, ping.detail
    assert ping.usage.read >= first.context_tokens - first.calls[-1].output - STEP
    assert ping.usage.write_5m + ping.usage.uncached < 600
    again = run(
        backend,
        call(
            cwd, id="n", prompt=segments("Once more."), resume=first.session, at=LATE,
            access=access, schema=schema,
        ),
    )  # fmt: skip
    assert again.failure is None, again.detail
    assert again.calls[0].usage is not None
    assert again.calls[0].usage.read >= first.context_tokens - first.calls[-1].output - STEP
    grown = again.calls[0].added
    assert grown < 600, "nothing of the ping is in it"


def test_a_ping_of_nothing_fails(backends: Backends, cwd: Path) -> None:
    """C6: as every other turn in a session that is not known."""
    ping = run(backends.make(), call(cwd, resume="0" * 32, ping=True))
    assert ping.failure is Failure.INVALID_SESSION
