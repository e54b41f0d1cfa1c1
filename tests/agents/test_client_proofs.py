"""What is proven on each real client: its resume check, its shared trunk, its bill, its base.

Covers: B5, C3, C6, C15, E1, E2, G1, G2
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentReply
from sparing.agents.checks.resume_check import CheckSetting, check_resume
from sparing.segment import estimate_tokens
from sparing.usage import Usage
from tests.agents.backends import MODEL, call, run, segments
from tests.agents.doubled_client import Json
from tests.agents.every_client import EveryClient

OK: Json = {"text": "ok"}
PATIENT = 600.0
"""Seconds for a turn: some clients take several of processor time to start."""
TRUNK = "A long design that all must know. " * 1200
Record = Callable[[str, object], None]


def test_the_resume_check_passes(client: EveryClient, cwd: Path) -> None:
    """C15, E2: V1 to V5; its bill is the provider's."""
    around = client.around
    backend = around.planned()
    setting = CheckSetting(cwd, MODEL, at=1000.0, limit_seconds=PATIENT)
    found = asyncio.run(check_resume(backend.name, backend.run, setting))
    assert [(item.name, item.good) for item in found.items] == [
        (f"V{number}", True) for number in range(1, 5)
    ], found.items
    assert (found.share or 0) > 0.9, "V5"
    assert found.usage == around.bill()


def test_a_trunk_is_shared_over_worktrees_and_billed_to_the_token(
    client: EveryClient, cwd: Path, tmp_path: Path
) -> None:
    """B5, C3, C6, E2: another worktree, a resumed session, a fork and a keep-alive each read at
    least 95 % of it; the sum of all is the provider's bill."""
    other = tmp_path / "other"
    other.mkdir()

    def asked(folder: Path, id: str, text: str, **changes: Any) -> AgentReply:
        prompt = segments(text) if "resume" in changes else segments(TRUNK, text)
        return run(
            client.around.planned(OK),
            call(folder, id=id, prompt=prompt, access=Access.READ_ONLY, at=1000.0 + 10 * int(id),
                 limit_seconds=PATIENT, **changes),
        )  # fmt: skip

    first = asked(cwd, "1", "First.")
    later = [
        asked(other, "2", "Second."),
        asked(other, "3", "Once more.", resume=first.session),
        asked(cwd, "4", "What would you say?", resume=first.session, fork=True),
        asked(cwd, "5", "Reply with ok.", resume=first.session, ping=True),
    ]
    assert [one.failure for one in (first, *later)] == [None] * 5
    for reply in later:
        assert reply.usage.read >= 0.95 * segments(TRUNK)[0].tokens
    assert sum((one.usage for one in (first, *later)), Usage()) == client.around.bill()


@pytest.mark.parametrize("access", [Access.READ_ONLY, Access.WORKTREE])
def test_what_is_sent_before_any_prompt(
    client: EveryClient, cwd: Path, access: Access, record_property: Record
) -> None:
    """E1: forecasts assume it, so it must be what the double counts, to a tenth."""
    backend = client.around.planned(OK)
    asked = call(cwd, prompt=segments("Hello."), access=access, limit_seconds=PATIENT)
    reply = run(backend, asked)
    assert reply.failure is None, reply.detail
    ours = estimate_tokens(asked.system) + sum(one.tokens for one in asked.prompt)
    measured = reply.usage.input - ours
    can = backend.capabilities
    record_property(f"base-{access}", measured)
    record_property("can", json.dumps(_abilities(backend)))
    assumed = can.base_of(writes=access.writes, model=asked.model)
    assert measured == pytest.approx(assumed, rel=0.1)


def _abilities(backend: Any) -> Json:
    can = backend.capabilities
    return {
        "version": backend.version,
        "marks": can.marks,
        "two lives": can.two_lives,
        "schema": can.schema,
        "hour": can.primes,
        "searches": can.searches,
        "own tools": can.own_readers,
    }
