"""Codex without its client: where it is found, how it is started, what its messages come to.

Covers: G1, G3, H6, E2
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import AUTOMATIC_ENDS, Access, AgentCall, AgentEvent, TurnOutcome
from sparing.agents.codex.backend import CodexBackend, ended_turn
from sparing.agents.codex.client import CodexLogin, find_codex, find_codex_login
from sparing.agents.codex.options import (
    CodexSetup,
    argv,
    catalog,
    hosts,
    link_login,
    needs,
    thread_of,
    write_catalog,
)
from sparing.agents.codex.outcome import outcome
from sparing.agents.codex.stream import CodexWatch, usage_of
from sparing.agents.own_tools import ToolDesk
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.backends import call

Json = dict[str, Any]


def setup(folder: Path, **changes: Any) -> CodexSetup:
    usual: Json = {
        "program": folder / "codex",
        "version": "0.166.0",
        "config": folder,
        "login": CodexLogin("sk-secret"),
        "base_url": "http://127.0.0.1:9/v1",
    }
    return CodexSetup(**{**usual, **changes})


def watching(asked: AgentCall, *messages: Json) -> tuple[CodexWatch, list[Json], list[AgentEvent]]:
    """What was said to these messages, and told."""
    said: list[bytes] = []
    seen: list[AgentEvent] = []
    watch = CodexWatch(asked, ToolDesk(None, seen.append), seen.append)
    for message in messages:
        watch.see(message, said.append)
    return watch, [json.loads(one) for one in said], seen


def begun(thread: str = "t1") -> tuple[Json, ...]:
    return (
        {"id": 2, "result": {"thread": {"id": thread}}},
        {"id": 3, "result": {"turn": {"id": "u1"}}},
    )


def told(method: str, **params: Any) -> Json:
    return {"method": method, "params": {"threadId": "t1", **params}}


def used(total: int, last: Json) -> Json:
    usage = {"total": {"totalTokens": total}, "last": last}
    return told("thread/tokenUsage/updated", turnId="u1", tokenUsage=usage)


def test_the_program_behind_the_script_is_started(tmp_path: Path) -> None:
    """G3: npm's script would only start Node to start it."""
    modules = tmp_path / "node_modules"
    script = modules / "@openai" / "codex" / "bin" / "codex.js"
    program = modules / "@openai" / "codex-linux-x64" / "vendor" / "x" / "bin" / "codex"
    for path in (script, program):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\necho codex-cli 0.166.0\n")
        path.chmod(0o700)
    (modules / ".bin").mkdir()
    (modules / ".bin" / "codex").symlink_to(script)
    found = find_codex(str(modules / ".bin"))
    assert found is not None
    assert (found.program, found.version, found.usable) == (program, "0.166.0", True)
    assert find_codex(str(tmp_path)) is None


def test_a_key_goes_before_a_login(tmp_path: Path) -> None:
    """G1: and neither is ever shown."""
    environ = {"HOME": str(tmp_path), "OPENAI_API_KEY": "sk-secret"}
    assert find_codex_login({"HOME": str(tmp_path)}) is None
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").write_text("{}")
    own = find_codex_login({"HOME": str(tmp_path)})
    assert own == CodexLogin(folder=tmp_path / ".codex")
    key = find_codex_login(environ)
    assert key is not None
    assert "sk-secret" not in f"{key} {key.words}"


def test_a_login_of_one_s_own_is_linked_and_never_copied(tmp_path: Path) -> None:
    """H6: a copy would be refreshed, and log the user out."""
    own, config = tmp_path / "own", tmp_path / "config"
    own.mkdir()
    config.mkdir()
    (own / "auth.json").write_text("{}")
    made = setup(config, login=CodexLogin(folder=own), base_url="")
    for _ in range(2):
        link_login(made)
    assert (config / "auth.json").readlink() == own / "auth.json"
    assert {host.name for host in hosts(made)} == {"chatgpt.com", "auth.openai.com"}
    assert needs(made, call(tmp_path)).secrets == frozenset()


def test_nothing_of_its_own_is_switched_on(tmp_path: Path) -> None:
    """H6: neither a shell nor patches, by the catalog and by switches."""
    made, asked = setup(tmp_path), call(tmp_path, model="a/model")
    write_catalog(made, asked.model)
    entry = json.loads(catalog(made, asked.model).read_text())["models"][0]
    assert (entry["slug"], entry["shell_type"]) == ("a/model", "disabled")
    assert "apply_patch_tool_type" not in entry
    line = argv(made, asked)
    for name in ("shell_tool", "unified_exec", "code_mode", "hooks", "plugins"):
        assert f"features.{name}=false" in line
    assert "sk-secret" not in " ".join(line)
    wanted = needs(made, asked)
    assert (wanted.secrets, wanted.passwd_shell, wanted.ports) == ({"OPENAI_API_KEY"}, True, {9})
    assert thread_of(asked, ())[1]["sandbox"] == "read-only"


def test_counts_once_whatever_is_repeated(tmp_path: Path) -> None:
    """E2: a thread's total goes on from turn to turn; what it has not moved is no new request."""
    last = {"inputTokens": 100, "cachedInputTokens": 60, "outputTokens": 5}
    watch, _, _ = watching(call(tmp_path), *begun(), used(900, last), used(900, last))
    assert watch.calls == [Usage(uncached=40, read=60, output=5)]
    written = {**last, "cacheWriteInputTokens": 30}
    assert usage_of(written) == Usage(uncached=10, read=60, write_5m=30, output=5)
    assert usage_of({"inputTokens": -1, "outputTokens": True}) == Usage()


def test_other_threads_and_unknown_messages_are_left_out(tmp_path: Path) -> None:
    """G3"""
    other: Json = {"method": "turn/completed", "params": {"threadId": "t2", "turn": {}}}
    watch, said, _ = watching(
        call(tmp_path), *begun(), other, {"method": "news", "params": 3}, {"id": 9, "result": []}
    )
    assert watch.result is None
    assert [one["method"] for one in said] == ["turn/start"]


def test_whatever_it_asks_for_but_tools_is_refused(tmp_path: Path) -> None:
    """H6: an approval is never given."""
    asks: Json = {"id": 7, "method": "item/commandExecution/requestApproval", "params": {}}
    _, said, _ = watching(call(tmp_path), *begun(), asks)
    assert (said[-1]["id"], said[-1]["error"]["code"]) == (7, -32601)


def test_a_tool_of_its_own_stops_the_turn(tmp_path: Path) -> None:
    """H6: a client that has one is not the one that was started."""
    item = {"type": "commandExecution", "command": "id"}
    watch, _, _ = watching(call(tmp_path), *begun(), told("item/completed", item=item))
    assert ended_turn(watch, 0, "") == (Failure.CRASHED, "this client used a tool of its own")


def test_a_reader_that_wants_to_write(tmp_path: Path) -> None:
    """H6: it is said, and its reply is not used."""
    item = {"type": "function_call", "name": "change", "arguments": '{"path": "kept.txt"}'}
    end = told("turn/completed", turn={"status": "completed"})
    asked = call(tmp_path, access=Access.READ_ONLY, role="judge")
    watch, _, _ = watching(asked, *begun(), told("rawResponseItem/completed", item=item), end)
    ended = ended_turn(watch, 0, "")
    assert (ended.failure, "kept.txt" in ended.detail) == (Failure.PERMISSION_DENIED, True)


def test_the_wrong_thread_is_no_session(tmp_path: Path) -> None:
    """C8"""
    watch, said, _ = watching(call(tmp_path, resume="t0"), *begun("t1"))
    assert ended_turn(watch, 0, "").failure is Failure.INVALID_SESSION
    assert said == []


def test_a_used_up_quota_says_until_when(tmp_path: Path) -> None:
    """G1"""
    window = {"primary": {"usedPercent": 100, "resetsAt": 2_000_000_000}}
    error = {"message": "used up", "codexErrorInfo": "usageLimitExceeded"}
    watch, _, _ = watching(
        call(tmp_path),
        *begun(),
        {"method": "account/rateLimits/updated", "params": {"rateLimits": window}},
        told("turn/completed", turn={"status": "failed", "error": error}),
    )
    assert ended_turn(watch, 0, "") == (Failure.QUOTA, "used up (until 2033-05-18 03:33 UTC)")
    assert watch.resets_at == 2_000_000_000


@pytest.mark.parametrize(
    ("info", "failure"),
    [
        ("unauthorized", Failure.AUTH),
        ("contextWindowExceeded", Failure.CONTEXT_OVERFLOW),
        ("serverOverloaded", Failure.OVERLOADED),
        ("something new", Failure.CRASHED),
        (None, Failure.CRASHED),
        ({"httpConnectionFailed": {"httpStatusCode": None}}, Failure.NETWORK),
        ({"httpConnectionFailed": {"httpStatusCode": 503}}, Failure.OVERLOADED),
        ({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}, Failure.QUOTA),
        ({"responseStreamDisconnected": 3}, Failure.NETWORK),
    ],
)
def test_failures_are_words_of_the_closed_set(info: object, failure: Failure) -> None:
    """G1"""
    assert outcome({"message": "no", "codexErrorInfo": info}, resumed=False) == (failure, "no")


def test_a_transcript_that_is_refused_is_an_invalid_session() -> None:
    """C8: so that the turn is sent afresh."""
    error = {"message": "bad", "codexErrorInfo": "badRequest"}
    assert outcome(error, resumed=True) == TurnOutcome(Failure.INVALID_SESSION, "bad")
    assert outcome(error, resumed=False) == TurnOutcome(Failure.REFUSED, "bad")


def test_everybody_has_tools_of_ours(tmp_path: Path) -> None:
    """G2: it has no others, so no setting leaves anybody without."""
    can = CodexBackend(setup(tmp_path)).capabilities
    assert can.own_tools(writes=False, model="m") == "look"
    assert can.own_tools(writes=True, model="m") == "own"
    assert (can.marks, can.primes, can.searches) == (0, False, False)
    assert (can.automatic, can.prefix_ends) == (True, AUTOMATIC_ENDS)
