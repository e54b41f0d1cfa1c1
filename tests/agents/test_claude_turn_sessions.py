"""Sessions of Claude Code: what breaks them, what does not, and that the check of them is right.

Covers: C3, C8, C15, G3
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentCall
from sparing.agents.checks.resume_check import CheckSetting, check_resume
from sparing.agents.claude.backend import ClaudeBackend
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.backends import MODEL, call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json

OK: Json = {"text": "ok"}


def go_on(cwd: Path, session: str, **changes: Any) -> AgentCall:
    return call(cwd, **{"id": "d2", "prompt": segments("Go on."), "resume": session, **changes})


def test_the_first_system_prompt_stays(claude: ClaudeDouble, cwd: Path) -> None:
    """C3: a resumed session keeps its own; a new one would not even be sent."""
    backend = claude.planned(OK, OK)
    first = run(backend, call(cwd, system="The first one. " * 20))
    second = run(backend, go_on(cwd, first.session, system="Another one. " * 20))
    sent = [record["request"]["system"][1]["text"] for record in claude.requests()]
    assert sent[0] == sent[1]
    assert second.usage.read == first.usage.input


@pytest.mark.parametrize(
    ("change", "share"),
    [
        pytest.param({}, 0.95, id="nothing"),
        pytest.param({"model": "claude-haiku-4-5"}, 0.0, id="model"),
        pytest.param({"access": Access.READ_ONLY}, 0.0, id="tools"),
    ],
)
def test_what_else_changes_costs_the_transcript(
    claude: ClaudeDouble, cwd: Path, change: Json, share: float
) -> None:
    """C3: the session goes on, but nothing of it is read from cache."""
    backend = claude.planned(OK, OK)
    first = run(backend, call(cwd))
    second = run(backend, go_on(cwd, first.session, **change))
    assert second.failure is None
    read = second.usage.read / first.usage.input
    assert read >= share if share else read == 0


def transcript(claude: ClaudeDouble, session: str) -> Path:
    (path,) = claude.config.glob(f"projects/*/{session}.jsonl")
    return path


def test_a_transcript_that_was_cut_off(claude: ClaudeDouble, cwd: Path) -> None:
    """G3: as a power cut leaves it: half a line at the end does no harm."""
    backend = claude.planned(OK, OK)
    session = run(backend, call(cwd)).session
    with transcript(claude, session).open("a") as file:
        file.write('{"type":"user","message":{"role":"us')
    assert run(backend, go_on(cwd, session)).failure is None


@pytest.mark.parametrize("text", ["", "no JSON at all\n"])
def test_a_transcript_that_is_damaged(claude: ClaudeDouble, cwd: Path, text: str) -> None:
    """C8: an invalid session, at no cost."""
    backend = claude.planned(OK, OK)
    session = run(backend, call(cwd)).session
    transcript(claude, session).write_text(text)
    reply = run(backend, go_on(cwd, session))
    assert (reply.failure, reply.usage, reply.session) == (Failure.INVALID_SESSION, Usage(), "")


def test_a_session_is_known_by_its_id_alone(claude: ClaudeDouble, cwd: Path) -> None:
    """C8: the client would take a title, and an id that it does not know costs it a start."""
    backend = claude.planned(OK)
    run(backend, call(cwd, prompt=segments("A title for you")))
    for name in ("A title for you", "01234567-0123-4123-8123-012345678901", "--fork-session"):
        assert run(backend, go_on(cwd, name)).failure is Failure.INVALID_SESSION
    assert len(claude.requests()) == 1


def test_five_turns_are_billed_one_by_one(claude: ClaudeDouble, cwd: Path) -> None:
    """E2: the client's own totals of money and models grow with the session; ours do not."""
    backend = claude.planned(*[OK] * 5)
    reply = run(backend, call(cwd))
    bills = [reply.usage]
    for number in range(4):
        turn = go_on(cwd, reply.session, prompt=segments(f"Turn {number}."), at=1010.0 + number)
        bills.append(run(backend, turn).usage)
    assert bills == [Usage(**record["bill"]) for record in claude.requests()]


def test_the_check_of_resume(claude: ClaudeDouble, cwd: Path) -> None:
    """C15: V1 to V4 hold on the real client, and V5: all that was sent is read from cache."""
    backend = ClaudeBackend(claude.setup())
    done = asyncio.run(check_resume(backend.name, backend.run, CheckSetting(cwd, MODEL, at=1000.0)))
    assert [item.good for item in done.items] == [True] * 4
    assert (done.reason, done.share) == ("", 1.0)
    assert done.usage == claude.bill()


def test_a_resume_that_starts_afresh_is_found_out(claude: ClaudeDouble, cwd: Path) -> None:
    """C15: the counter-example: a client whose transcript is lost between the turns."""

    class Forgetful(ClaudeBackend):
        async def run(self, call: AgentCall, events: Any) -> Any:
            return await super().run(replace(call, resume=""), events)

    client = Forgetful(claude.setup())
    done = asyncio.run(check_resume(client.name, client.run, CheckSetting(cwd, MODEL, at=1000.0)))
    assert done.reason == "V3: a file it read is forgotten"
