"""Agents that speak the Agent Client Protocol, without a real one: what each part holds.

Covers: C8, E2, G1, G2, G3, H6
"""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.acp.answers import AnswerReader
from sparing.agents.acp.backend import AcpBackend
from sparing.agents.acp.relay import Upstream
from sparing.agents.acp.stream import AcpWatch
from sparing.agents.backend import Access
from sparing.agents.own_tools import ToolDesk
from sparing.failure import Failure
from sparing.usage import Origin, Usage
from tests.agents.acp_double import SmallDouble, small_agent
from tests.agents.backends import call, run, segments
from tests.agents.doubled_client import KEY

Json = dict[str, Any]
OK: Json = {"text": "ok"}


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallDouble]:
    made = SmallDouble(tmp_path / "sessions")
    yield made
    made.close()


def faulty(small: SmallDouble, fault: str, *planned: Json) -> AcpBackend:
    found = small_agent(fault)
    return small.planned(*(planned or (OK,)), agent=found.agent, program=found.program)


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        ("garbage", Failure.CRASHED),
        ("half", Failure.CRASHED),
        ("no-session", Failure.CRASHED),
        ("hang", Failure.TIMED_OUT),
    ],
)
def test_an_agent_that_is_none(small: SmallDouble, cwd: Path, fault: str, failure: Failure) -> None:
    """G3: garbage, half a message, no session and silence are words of the closed set."""
    reply = run(faulty(small, fault), call(cwd, limit_seconds=3.0 if fault == "hang" else 600.0))
    assert (reply.failure, bool(reply.detail), reply.session) == (failure, True, "")


@pytest.mark.parametrize("fault", ["other-session", "no-load"])
def test_another_session_than_the_one_asked_for(small: SmallDouble, cwd: Path, fault: str) -> None:
    """G3, C8: the wrong session is none, and nothing is sent."""
    session = run(small.planned(OK), call(cwd)).session
    reply = run(faulty(small, fault), call(cwd, id="2", resume=session))
    assert (reply.failure, reply.session) == (Failure.INVALID_SESSION, "")
    assert len(small.requests()) == 1
    assert run(small.planned(OK), call(cwd, id="3", resume=session)).failure is None


def test_a_quota_with_and_without_a_time(small: SmallDouble, cwd: Path) -> None:
    """G1: one request, however often the agent would like to try; the time where it is told."""
    quota = {"error": 429, "message": "used up"}
    for headers, known in (({}, False), ({"retry-after": "3600"}, True)):
        reply = run(small.planned({**quota, "headers": headers}, retries=4), call(cwd))
        assert (reply.failure, reply.usage.total) == (Failure.QUOTA, 0)
        assert (reply.resets_at is not None, "until" in reply.detail) == (known, known)
    assert len(small.requests()) == 2


def test_a_network_cut_in_the_middle_of_an_answer(small: SmallDouble, cwd: Path) -> None:
    """G3: it is told, with what was billed; the session stays as it was."""
    session = run(small.planned(OK), call(cwd)).session
    cut = {"text": "half of it " * 300, "cut": 2000}
    reply = run(small.planned(cut, retries=4), call(cwd, id="2", resume=session, at=1010.0))
    assert (reply.failure, reply.text, reply.session) == (Failure.NETWORK, "", session)
    assert reply.usage.input > 0
    assert len(small.requests()) == 2
    again = run(small.planned(OK), call(cwd, id="3", resume=session, at=1020.0))
    assert (again.failure, again.session) == (None, session)


def test_a_transcript_that_a_provider_refuses_is_no_session(small: SmallDouble, cwd: Path) -> None:
    """C8: the turn is then sent afresh; a fresh one that is refused is refused."""
    refused = {"error": 400, "message": "each tool_use must have a single result"}
    assert run(small.planned(refused), call(cwd)).failure is Failure.REFUSED
    session = run(small.planned(OK), call(cwd)).session
    reply = run(small.planned(refused), call(cwd, id="2", resume=session))
    assert (reply.failure, reply.session) == (Failure.INVALID_SESSION, "")


def test_a_login_that_has_vanished(small: SmallDouble, cwd: Path) -> None:
    """G3: no agent is started, and the reason is said."""
    reply = run(small.planned(OK, keys={}), call(cwd))
    assert (reply.failure, "no API key" in reply.detail) == (Failure.AUTH, True)
    assert not small.log.exists() or not small.requests()


def test_an_agent_never_has_the_key(small: SmallDouble, cwd: Path, tmp_path: Path) -> None:
    """H6: its environment holds a word that is worth nothing elsewhere."""
    out = tmp_path / "environment"
    program = tmp_path / "agent"
    program.write_text(f"#!/bin/sh\nenv > {out}\n")
    program.chmod(0o700)
    reply = run(small.planned(OK, program=(str(program),)), call(cwd))
    assert reply.failure is Failure.CRASHED
    assert "OPENAI_API_KEY=" in out.read_text()
    assert KEY not in out.read_text()
    assert KEY not in repr(small.setup()) + repr(Upstream("https://x", "authorization", KEY))


def test_nobody_else_gets_through_the_relay(small: SmallDouble, cwd: Path, tmp_path: Path) -> None:
    """H6: without the turn's own word every path is refused."""
    seen: list[int] = []
    out = tmp_path / "address"
    program = tmp_path / "agent"
    program.write_text(
        f'#!/bin/sh\necho "$OPENAI_BASE_URL" > {out}.new; mv {out}.new {out}\nsleep 600\n'
    )
    program.chmod(0o700)

    async def both() -> None:
        backend = small.planned(OK, program=(str(program),))
        turn = asyncio.create_task(backend.run(call(cwd, limit_seconds=600.0), lambda _: None))
        while not out.exists() and not turn.done():
            await asyncio.sleep(0.05)
        address = out.read_text().strip()
        base, word = address.rsplit("/", 2)[:2]
        for url in (f"{base}/model/v1/x", f"{base}/{word[:-1]}/model/x", f"{base}/{word}/else"):
            seen.append(await asyncio.to_thread(_status, url))
        turn.cancel()
        with suppress(asyncio.CancelledError):
            await turn

    asyncio.run(both())
    assert seen == [403, 403, 404]
    assert not small.log.exists() or not small.requests()


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, b"{}")) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def asking(cwd: Path, access: Access, **wanted: Any) -> tuple[str, AcpWatch]:
    """What is answered to an agent that asks whether it may."""
    said: list[bytes] = []
    watch = AcpWatch(
        call(cwd, access=access), ToolDesk(None, lambda _: None), lambda _: None, str(cwd), "x"
    )
    options = [
        {"optionId": "always", "kind": "allow_always"},
        {"optionId": "yes", "kind": "allow_once"},
        {"optionId": "no", "kind": "reject_once"},
    ]
    params = {"sessionId": "", "toolCall": {"title": "it", **wanted}, "options": options}
    watch.see({"id": 7, "method": "session/request_permission", "params": params}, said.append)
    return json.loads(said[0])["result"]["outcome"].get("optionId", ""), watch


def test_permissions_by_our_rules(cwd: Path) -> None:
    """H6: readers change nothing, writers nothing outside; nothing is allowed for good."""
    inside, outside = [{"path": str(cwd / "a")}], [{"path": "/etc/passwd"}]
    sly = [{"path": str(cwd / ".." / "other")}]
    reader, writer = Access.READ_ONLY, Access.WORKTREE
    assert asking(cwd, reader, kind="read", locations=outside)[0] == "yes"
    for kind in ("edit", "delete", "move", "fetch", "other", None):
        answer, watch = asking(cwd, reader, kind=kind, locations=inside)
        assert (answer, watch.denied) == ("no", ["it"])
    assert asking(cwd, writer, kind="edit", locations=inside)[0] == "yes"
    assert asking(cwd, writer, kind="edit", locations=outside)[0] == "no"
    assert asking(cwd, writer, kind="edit", locations=sly)[0] == "no"


@pytest.mark.parametrize("method", ["fs/read_text_file", "fs/write_text_file", "terminal/create"])
def test_files_and_terminals_are_not_lent(cwd: Path, method: str) -> None:
    """H6: an agent that asks all the same is refused, in words."""
    said: list[bytes] = []
    watch = AcpWatch(call(cwd), ToolDesk(None, lambda _: None), lambda _: None, str(cwd), "x")
    watch.see({"id": 7, "method": method, "params": {"path": "/etc/passwd"}}, said.append)
    assert json.loads(said[0])["error"]["message"] == f"{method} is not lent to agents"


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        (
            {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4},
                       "completion_tokens": 2}},
            Usage(uncached=5, read=4, output=2),
        ),
        (
            {"response": {"usage": {"input_tokens": 9, "output_tokens": 2,
                                    "input_tokens_details": {"cached_tokens": 4}}}},
            Usage(uncached=5, read=4, output=2),
        ),
        (
            {"usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4,
                               "candidatesTokenCount": 2, "thoughtsTokenCount": 3}},
            Usage(uncached=5, read=4, output=5),
        ),
        (
            {"message": {"usage": {"input_tokens": 9, "cache_read_input_tokens": 4,
                                   "cache_creation_input_tokens": 7, "output_tokens": 1,
                                   "cache_creation": {"ephemeral_1h_input_tokens": 5}}}},
            Usage(uncached=9, read=4, write_5m=2, write_1h=5, output=1),
        ),
    ],
)  # fmt: skip
def test_a_bill_in_disjoint_buckets(told: Json, usage: Usage) -> None:
    """E2: whichever format its provider speaks, however the answer is cut into pieces."""
    text = f"event: x\ndata: {json.dumps(told)}\n\ndata: [DONE]\n\n".encode()
    for size in (1, 7, len(text)):
        reader = AnswerReader(b"x" * 100)
        for start in range(0, len(text), size):
            reader.take(text[start : start + size])
        reader.end()
        assert (reader.usage, reader.measured) == (usage, True)


def test_an_answer_without_a_bill_is_estimated_and_never_free(cwd: Path) -> None:
    """E2: what nobody has told is not zero, and the reply says that it was guessed."""
    reader = AnswerReader(b"x" * 4000)
    reader.take(b'data: {"choices": []}\n' * 40)
    reader.end()
    assert (reader.measured, reader.usage.uncached, reader.usage.output > 0) == (False, 1000, True)
    watch = AcpWatch(call(cwd), ToolDesk(None, lambda _: None), lambda _: None, str(cwd), "x")
    watch.billed(reader)
    assert watch.estimated
    assert Origin.ESTIMATED.value == "estimated"


def test_a_prompt_is_never_an_order_to_the_agent(small: SmallDouble, cwd: Path) -> None:
    """H6: text that begins like one of its commands is sent to the model as text."""
    run(small.planned(OK), call(cwd, system="", prompt=segments("/memory add x", "and go on")))
    sent = small.requests()[0]["request"]["messages"][0]["content"]
    assert [block["text"] for block in sent] == ["Task: /memory add x", "and go on"]


def test_an_agent_that_can_not_take_our_tools_is_stopped(small: SmallDouble, cwd: Path) -> None:
    """H6: one whose own tools should be off must have ours, or nothing is asked of it."""
    found = small_agent()
    agent = replace(found.agent, own_tools=True)
    reply = run(small.planned(OK, agent=agent), call(cwd))
    assert (reply.failure, "own tools" in reply.detail) == (Failure.CRASHED, True)
    assert not small.log.exists() or not small.requests()
