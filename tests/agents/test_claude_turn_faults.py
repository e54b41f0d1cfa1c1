"""What can go wrong between Claude Code and its provider, and what we make of it.

Covers: E2, E7, G1, G3
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.agents.backend import Access, AgentEvent
from sparing.agents.claude.login import Login, LoginKind
from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from sparing.usage import Usage
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json

SHORT_SECONDS = 8.0
LONGER_SECONDS = (SHORT_SECONDS, 60.0, 400.0)
"""Tried one after the other, until a client had time enough to start on this machine."""
OK: Json = {"text": "ok"}
LONG = "a long answer that is cut off. " * 40
CUT: Json = {"text": LONG, "cut": 900}
"""Over before the client has looked at it."""
BROKEN: Json = {"text": LONG, "cut": 2000, "drip_bytes": 1000, "drip_seconds": 0.5}
"""Begun, and broken off after a while."""
STALLED: Json = {"text": LONG, "stall": 2000}


@pytest.mark.parametrize(
    ("step", "failure", "tries"),
    [
        ({"error": 500}, Failure.OVERLOADED, 2),
        ({"error": 529}, Failure.OVERLOADED, 2),
        ({"error": 429}, Failure.QUOTA, 2),
        ({"error": 403}, Failure.AUTH, None),
        ({"error": 404}, Failure.REFUSED, None),
        ({"error": 413}, Failure.CONTEXT_OVERFLOW, None),
        ({"error": 400, "message": "tools.0: no"}, Failure.REFUSED, None),
    ],
)
def test_errors_of_the_provider(
    claude: ClaudeDouble, cwd: Path, step: Json, failure: Failure, tries: int | None
) -> None:
    """G1: `subtype: success` with an error in it is none; tries are as many as we allow."""
    seen: list[AgentEvent] = []
    reply = run(claude.planned({**step, "times": 20}), call(cwd), seen.append)
    assert (reply.failure, reply.text, reply.usage) == (failure, "", Usage())
    assert reply.detail
    if tries is not None:
        assert len(claude.requests()) == tries
        assert [event.kind for event in seen] == ["retry"]


def test_an_error_that_passes(claude: ClaudeDouble, cwd: Path) -> None:
    """G1: the client tries again, after as long as it is told; it is seen and costs nothing."""
    seen: list[AgentEvent] = []
    again = {"error": 429, "headers": {"retry-after": "1"}}
    reply = run(claude.planned(again, OK), call(cwd), seen.append)
    assert (reply.failure, reply.text) == (None, "ok")
    assert [event.text for event in seen if event.kind == "retry"] == ["429, try 1 of 1 in 1.0 s"]
    assert reply.usage == claude.bill()


def test_a_quota_says_when_it_is_there_again(claude: ClaudeDouble, cwd: Path) -> None:
    """G1: with a subscription's login the provider tells."""
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": "1900000000",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    token = Login(LoginKind.TOKEN, "sk-ant-oat01-none")
    backend = claude.planned({"error": 429, "headers": headers, "times": 9}, login=token)
    reply = run(backend, call(cwd))
    assert (reply.failure, reply.resets_at) == (Failure.QUOTA, 1_900_000_000.0)
    assert reply.detail.endswith("(until 2030-03-17 17:46 UTC)")


@pytest.mark.parametrize("step", [CUT, BROKEN], ids=["at once", "after a while"])
def test_a_stream_that_is_cut(claude: ClaudeDouble, cwd: Path, step: Json) -> None:
    """E2: text that came twice is said once; what the broken answer cost is in the bill.

    Unless it broke before the client had seen any of it, of which nobody here can know. Cut at
    once, it depends on the moment which of the two it was.
    """
    reply = run(claude.planned(step, OK), call(cwd))
    assert (reply.failure, reply.text) == (None, "ok")
    broken, whole = (Usage(**record["bill"]) for record in claude.requests())
    seen = replace(broken, output=1) + whole
    assert reply.usage in ((seen,) if step == BROKEN else (seen, whole))


def test_a_stream_that_is_always_cut(claude: ClaudeDouble, cwd: Path) -> None:
    """E2: in the end the client asks for the answer in one piece; that one is counted too."""
    reply = run(claude.planned(BROKEN, BROKEN, OK), call(cwd))
    assert (reply.failure, reply.text) == (None, "ok")
    assert claude.requests()[-1]["request"].get("stream") is not True
    assert len(reply.calls) == 3


def test_an_overload_in_the_middle_of_a_stream(claude: ClaudeDouble, cwd: Path) -> None:
    reply = run(claude.planned({"text": LONG, "sse_error": "overloaded_error"}, OK), call(cwd))
    assert (reply.failure, reply.text) == (None, "ok")


def test_a_stream_that_stalls_ends_with_our_limit(claude: ClaudeDouble, cwd: Path) -> None:
    """G3: the client would wait; told to stop it closes its session, which can be resumed."""
    backend, reply = claude.planned(STALLED, OK), None
    for limit in LONGER_SECONDS:
        if reply is None or not reply.usage.input:
            backend = claude.planned(STALLED, OK)
            reply = run(backend, call(cwd, limit_seconds=limit))
    assert reply is not None
    assert reply.failure is Failure.TIMED_OUT
    assert reply.usage.input > 0
    again = run(backend, call(cwd, id="d2", prompt=segments("Go on."), resume=reply.session))
    assert (again.failure, again.session) == (None, reply.session)


def test_an_answer_that_never_begins(claude: ClaudeDouble, cwd: Path) -> None:
    reply = run(claude.planned({"hang": True, "times": 5}), call(cwd, limit_seconds=SHORT_SECONDS))
    assert (reply.failure, reply.text) == (Failure.TIMED_OUT, "")


def test_nobody_there(claude: ClaudeDouble, cwd: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        reply = run(claude.planned(base_url=url), call(cwd))
    assert (reply.failure, reply.usage) == (Failure.NETWORK, Usage())


def test_a_request_that_is_refused_in_a_session(claude: ClaudeDouble, cwd: Path) -> None:
    """C8: a transcript that can't be sent again is an invalid session: a fresh one helps."""
    backend = claude.planned(OK, {"error": 400, "message": "messages.1: no", "times": 9})
    session = run(backend, call(cwd)).session
    reply = run(backend, call(cwd, id="d2", prompt=segments("Go on."), resume=session))
    assert (reply.failure, reply.session) == (Failure.INVALID_SESSION, "")


def test_after_a_failed_turn_the_session_goes_on(claude: ClaudeDouble, cwd: Path) -> None:
    """G3"""
    failed: Json = {"error": 529, "times": 2}
    backend = claude.planned(OK, failed, OK)
    session = run(backend, call(cwd)).session
    again = call(cwd, id="d2", prompt=segments("Go on."), resume=session)
    assert run(backend, again).failure is Failure.OVERLOADED
    assert run(backend, again).failure is None


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"max_turns": 1}, "maximum number of turns"), ({}, "maximum budget")],
)
def test_limits_of_turns_and_of_money(
    claude: ClaudeDouble, cwd: Path, limits: Json, words: str
) -> None:
    """E7: the client keeps them, for this turn alone; a reply that was not reached is none."""
    (cwd / "a.txt").write_text("some words")
    step = {"tool_use": [{"name": "Read", "input": {"file_path": str(cwd / "a.txt")}}]}
    money = None if limits else 0.0001
    reply = run(claude.planned(step, step, OK, **limits), call(cwd, limit_usd=money))
    assert reply.failure is Failure.BUDGET
    assert words in reply.detail
    assert reply.usage == claude.bill()


def test_a_limit_of_tokens_ends_the_turn(claude: ClaudeDouble, cwd: Path) -> None:
    """E7: after the call that broke it nothing more is asked, and its bill is known."""
    (cwd / "a.txt").write_text("some words")
    step = {"tool_use": [{"name": "Read", "input": {"file_path": str(cwd / "a.txt")}}]}
    backend = claude.planned(step, {**OK, "hold": True})
    reply = run(backend, call(cwd, limit_tokens=1000))
    assert reply.failure is Failure.BUDGET
    assert "the turn's limit is 1000" in reply.detail
    assert reply.usage == Usage(**claude.requests()[0]["bill"])


def test_an_answer_that_is_too_long_for_one(claude: ClaudeDouble, cwd: Path) -> None:
    """E2: the client asks for the rest by itself; both calls are in the bill."""
    cut = {"text": "The first half", "stop_reason": "max_tokens"}
    reply = run(claude.planned(cut, {"text": " and the second."}), call(cwd))
    assert reply.failure is None
    assert len(reply.calls) == 2
    assert reply.usage == claude.bill()


def test_a_reply_without_the_form(claude: ClaudeDouble, cwd: Path) -> None:
    """C14: the client reminds once; what is said then comes back as text, to be judged by us."""
    plain: Json = {"text": "All is well, I think."}
    asked = call(cwd, access=Access.READ_ONLY, schema=SCHEMA)
    reply = run(claude.planned(plain, plain, plain, plain), asked)
    assert (reply.failure, reply.text) == (None, "All is well, I think.")
    assert reply.usage == claude.bill()


def test_a_reply_in_a_wrong_form(claude: ClaudeDouble, cwd: Path) -> None:
    """C14: the error goes back to the model, which may do better."""
    good: Json = {"approved": True, "findings": [], "summary": "fine"}
    uses: list[Json] = [
        {"tool_use": [{"name": "StructuredOutput", "input": said}]} for said in ({}, good)
    ]
    reply = run(claude.planned(*uses), call(cwd, access=Access.READ_ONLY, schema=SCHEMA))
    assert (reply.failure, len(reply.calls)) == (None, 2)
    assert '"approved": true' in reply.text


def test_an_empty_reply_is_none(claude: ClaudeDouble, cwd: Path) -> None:
    reply = run(claude.planned(*[{"text": " "}] * 4), call(cwd))
    assert reply.failure is Failure.GARBAGE


def test_a_cancelled_turn_leaves_the_session_usable(claude: ClaudeDouble, cwd: Path) -> None:
    """G3: cancelled while an answer comes; what came of it is not lost to the transcript."""
    backend = claude.planned(OK, STALLED, OK)
    session = run(backend, call(cwd)).session
    turn = call(cwd, id="d2", prompt=segments("Go on."), resume=session)

    async def cancelled() -> None:
        begun = asyncio.Event()
        task = asyncio.create_task(backend.run(turn, lambda _: begun.set()))
        await asyncio.wait_for(begun.wait(), 240)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert run(backend, turn).failure is None
