"""A client whose messages hold fields of another type, or figures that no call can have.

Covers: E2, G1, I3
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import AgentEvent
from sparing.agents.claude.backend import ended_turn
from sparing.agents.claude.stream import MOST_TOKENS, Watch, usage_of
from sparing.agents.process import read_message
from sparing.failure import Failure
from tests.agents.backends import call

LARGEST = 2**63 - 1
ODD: tuple[object, ...] = (
    None, True, -1, 1.5, 2**70, -(2**70), float("inf"), float("nan"), 1e308, "", "\ud800", "a\0b",
    "9" * 5000, [], [None], ["\udfff"], {}, {"a": [1]},
)  # fmt: skip
USED = {"input_tokens": 3, "cache_creation": {"ephemeral_1h_input_tokens": 1}, "output_tokens": 2}
READ = {"type": "tool_use", "id": "u", "name": "Read", "input": {"file_path": "a", "command": "b"}}
MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": "system", "subtype": "init", "session_id": "s"},
    {
        "type": "system", "subtype": "api_retry", "retry_delay_ms": 10, "error_status": 429,
        "error": "e", "attempt": 1, "max_retries": 2,
    },
    {
        "type": "stream_event",
        "event": {"type": "message_start", "message": {"id": "m", "usage": USED}},
    },
    {"type": "stream_event", "event": {"type": "message_delta", "usage": USED}},
    {
        "type": "assistant",
        "message": {
            "id": "n", "model": "x", "usage": USED, "content": [{"type": "text", "text": "t"}, READ]
        },
    },
    {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "u", "is_error": False}]},
    },
    {"type": "rate_limit_event", "rate_limit_info": {"resetsAt": 1_900_000_000}},
    {
        "type": "control_request", "request_id": "r",
        "request": {
            "subtype": "hook_callback",
            "input": {"tool_name": "Read", "tool_input": {"file_path": "a", "read": ["b"]}},
        },
    },
    {"type": "control_response", "response": {"request_id": "x", "response": {}}},
    {
        "type": "result", "subtype": "error_during_execution", "is_error": True, "session_id": "s",
        "terminal_reason": "api_error", "api_error_status": 429, "stop_reason": "x",
        "errors": ["e"], "result": "text", "structured_output": {"a": 1}, "usage": USED,
    },
)  # fmt: skip


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every field, however deep, as the keys that lead to it."""
    if not isinstance(value, dict | list):
        return
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))  # pyright: ignore[reportUnknownArgumentType]
    for key in keys:
        yield (*way, key)
        yield from _places(value[key], (*way, key))


def _changed(message: dict[str, Any], way: tuple[Any, ...], value: object) -> dict[str, Any]:
    copy = json.loads(json.dumps(message))
    at = copy
    for key in way[:-1]:
        at = at[key]
    at[way[-1]] = value
    return copy


CASES = [(number, way) for number, one in enumerate(MESSAGES) for way in _places(one)]


@pytest.mark.parametrize(("number", "way"), CASES)
@pytest.mark.parametrize("resume", ["", "00000000-0000-4000-8000-000000000000"])
def test_no_field_is_too_odd(number: int, way: tuple[Any, ...], resume: str) -> None:
    """I3: whatever stands in it, the turn has an end that can be kept and shown."""
    for value in ODD:
        seen: list[AgentEvent] = []
        watch = Watch(call(Path("/w"), resume=resume), Path("/w"), seen.append)
        for index, message in enumerate(MESSAGES):
            sent = _changed(message, way, value) if index == number else message
            taken = read_message(json.dumps(sent).encode())
            assert taken is not None
            watch.see(taken)
        ended = ended_turn(watch, 0, "")
        assert max(watch.usage.total, *(one.total for one in watch.calls)) < LARGEST
        for text in (*(one.text for one in seen), ended.detail, watch.session, *watch.read):
            text.encode()


def test_a_count_that_no_call_can_have() -> None:
    """E2: it is no figure at all, and no sum of such breaks a database's integer."""
    assert usage_of({"input_tokens": 2**63, "output_tokens": 7}).total == 7
    assert usage_of({"input_tokens": MOST_TOKENS}).total == MOST_TOKENS


@pytest.mark.parametrize(
    ("told", "at"),
    [
        (1_900_000_000, 1_900_000_000.0),
        (1_900_000_000_000, 1_900_000_000.0),
        (1_900_000_000.5, 1_900_000_000.5),
        (2**70, None),
        (-5, None),
        (True, None),
        ("soon", None),
    ],
)
def test_when_a_quota_is_there_again(told: object, at: float | None) -> None:
    """I6: in seconds or in milliseconds; a time that is none is not told."""
    watch = Watch(call(Path("/w")), Path("/w"), lambda _: None)
    watch.see({"type": "rate_limit_event", "rate_limit_info": {"resetsAt": told}})
    assert watch.resets_at == at
    watch.see({"type": "result", "subtype": "success", "is_error": True, "api_error_status": 429})
    ended = ended_turn(watch, 0, "")
    assert ended.failure is Failure.QUOTA
    assert ("until 2030-03-17" in ended.detail) is (at is not None)
