"""The double fails as it is told to, and only so. Covers: G2, G4."""

from __future__ import annotations

import socket
import threading
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.double.agent.play import TurnFacts
from sparing.double.answer import ModelWords
from sparing.double.model import NOTHING, Model
from sparing.double.request import ModelRequest
from sparing.double.server import ServerSettings
from sparing.errors import UsageError
from tests.double.serving import HEADERS, Client, Json, ask, serving
from tests.double.wired import BASE, Bill, bill, body

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@pytest.mark.parametrize("status", ERRORS)
def test_every_error_of_the_api_can_be_had(client: Client, status: int) -> None:
    client.control(plan=[{"error": status, "message": "as told"}])
    reply = client.send(ask("hello"))
    assert reply.error == (status, ERRORS[status])
    assert reply.json["error"]["message"] == "as told"
    assert reply.headers["request-id"] == reply.json["request_id"]
    assert client.send(ask("hello")).status == 200


def test_a_limit_says_when_to_come_back(client: Client) -> None:
    client.control(plan=[{"error": 429, "headers": {"retry-after": "7"}, "times": 2}])
    replies = [client.send(ask("hello")) for _ in range(3)]
    assert [reply.status for reply in replies] == [429, 429, 200]
    assert replies[0].headers["retry-after"] == "7"


def test_an_error_is_not_billed_and_caches_nothing(client: Client) -> None:
    client.control(plan=[{"error": 529}])
    client.send(body(BASE))
    assert bill(client.send(body(BASE))) == Bill(write_5m=3500)


def test_a_step_waits_for_the_request_it_is_meant_for(client: Client) -> None:
    client.control(plan=[{"when": "second", "text": "for two"}, {"text": "for any"}])
    said = [client.send(ask(words)).json["content"][0]["text"] for words in ("first", "second")]
    assert said == ["for any", "for two"]


def test_a_stream_is_cut_at_the_byte_and_billed(client: Client) -> None:
    client.control(plan=[{"text": "a long answer", "cut": 100}])
    reply = client.send(body(BASE, stream=True))
    assert (reply.status, len(reply.body), reply.whole) == (200, 100, False)
    assert bill(client.send(body(BASE))) == Bill(read=3500)


def test_a_message_is_cut_at_the_byte(client: Client) -> None:
    client.control(plan=[{"text": "a long answer", "cut": 0}, {"text": "a long answer", "cut": 9}])
    assert [len(client.send(ask("hello")).body) for _ in range(2)] == [0, 9]


def test_a_stream_ends_with_an_error_event(client: Client) -> None:
    client.control(plan=[{"text": "so far", "sse_error": "overloaded_error", "sse_events": 3}])
    events = client.send(ask("hello", stream=True)).events
    names = [event["type"] for event in events]
    assert names == ["message_start", "ping", "content_block_start", "error"]
    assert events[-1]["error"]["type"] == "overloaded_error"


def test_without_a_stream_the_error_event_is_an_error(client: Client) -> None:
    client.control(plan=[{"text": "so far", "sse_error": "overloaded_error"}])
    assert client.send(ask("hello")).error == (529, "overloaded_error")


def test_a_drip_takes_its_time_and_arrives_whole(client: Client) -> None:
    client.control(plan=[{"text": "slow", "drip_bytes": 200, "drip_seconds": 0.02}])
    start = time.monotonic()
    reply = client.send(ask("hello", stream=True))
    pieces = -(-len(reply.body) // 200)
    assert time.monotonic() - start >= (pieces - 1) * 0.02
    assert reply.events[-1] == {"type": "message_stop"}


@pytest.mark.parametrize("step", [{"hang": True}, {"text": "half", "stall": 60}])
def test_whoever_waits_for_ever_must_leave(client: Client, step: Json) -> None:
    client.control(plan=[step])
    address = urlsplit(client.url)
    line = HTTPConnection(address.hostname or "", address.port, timeout=240)
    line.request("POST", "/v1/messages", b'{"model":"m","max_tokens":9,"messages":'
                 b'[{"role":"user","content":"hello"}],"stream":true}', HEADERS)  # fmt: skip
    line.sock.settimeout(0.3)
    with pytest.raises(TimeoutError):
        line.getresponse().read()
    line.close()
    assert client.send(ask("hello")).status == 200


def test_answers_are_held_back_until_released(client: Client) -> None:
    """Three siblings really wait side by side, and one that leaves is no longer waited for."""
    client.control(hold=True)
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(client.send(ask("hello")).status))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    client.until_waiting(3)
    client.control(release=True)
    for thread in threads:
        thread.join()
    assert statuses == [200, 200, 200]
    client.control(plan=[{"hold": True}])
    address = urlsplit(client.url)
    line = HTTPConnection(address.hostname or "", address.port, timeout=240)
    line.request("POST", "/v1/messages", b'{"model":"m","max_tokens":9,"messages":'
                 b'[{"role":"user","content":"hello"}]}', HEADERS)  # fmt: skip
    client.until_waiting(1)
    line.close()
    client.until_waiting(0)


@pytest.mark.parametrize(
    "orders",
    [
        {"plan": [{"error": 200}]},
        {"plan": [{"no_such_field": 1}]},
        {"plan": "hello"},
        {"plan": [{"headers": {"a": "b\r\nc: d"}}]},
        {"advance": -1},
        {"advance": True},
        {"sing": True},
    ],
)
def test_orders_that_make_no_sense_are_refused(client: Client, orders: Json) -> None:
    assert client.send(orders, "/_control").error == (400, "invalid_request_error")


def test_no_key_no_answer(client: Client) -> None:
    assert client.send(ask("hello"), x_api_key="").error == (401, "authentication_error")
    reply = client.send(ask("hello"), x_api_key="", authorization="Bearer x")
    assert reply.status == 200


def test_the_version_is_asked_for(client: Client) -> None:
    assert client.send(ask("hello"), anthropic_version="").error[0] == 400


def test_what_is_not_there_is_not_found(client: Client) -> None:
    assert client.send(b"{}", "/v1/complete").error == (404, "not_found_error")
    assert client.send(b"", "/v1/messages", "GET").status == 405
    assert client.send(b"", "/api/hello", "HEAD").status == 200
    assert client.send(ask("hello"), "/v1/messages?beta=true").status == 200


def test_a_time_that_is_none_is_refused(client: Client) -> None:
    for told in ("soon", "-1", "nan", "1e300"):
        assert client.send(ask("hello"), x_virtual_time=told).error[0] == 400


def test_a_name_that_is_not_of_this_machine_is_refused(client: Client) -> None:
    """A page in a browser can't be made to talk to it under another name."""
    assert client.send(ask("hello"), host="example.com").error == (403, "permission_error")
    assert client.send(ask("hello"), host="localhost:1").status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "example.com", "::", ""])
def test_it_listens_on_loopback_only(host: str) -> None:
    """G4: nobody else can reach it, and through it nobody can be reached."""
    with pytest.raises(UsageError, match="this machine only"):
        ServerSettings(host)


def test_a_request_that_is_too_large_is_refused_before_it_is_kept() -> None:
    with serving(ServerSettings(largest_request=10_000, window_tokens=2_000)) as client:
        assert client.send(ask("x" * 20_000)).error == (413, "request_too_large")
        reply = client.send(ask("x" * 9_000))
        assert reply.error == (400, "invalid_request_error")
        assert reply.json["error"]["message"] == "prompt is too long: 2250 tokens > 2000 maximum"
        assert client.send(ask("x" * 8_000)).status == 200


class Broken(Model):
    """A fault of the double's own."""

    def say(self, asked: ModelRequest, told: TurnFacts = NOTHING) -> ModelWords:
        raise ZeroDivisionError(asked.model, told)


def test_a_fault_of_its_own_is_an_error_of_the_api_and_no_traceback() -> None:
    with serving(ServerSettings(model=Broken())) as client:
        assert client.send(ask("hello")).error == (500, "api_error")
        assert client.send(ask("hello"), "/v1/messages/count_tokens").status == 200


def test_a_body_in_chunks_is_read(client: Client) -> None:
    address = urlsplit(client.url)
    line = HTTPConnection(address.hostname or "", address.port, timeout=240)
    pieces = [b'{"model":"m","max_tokens":9,', b'"messages":[{"role":"user","content":"hi"}]}']
    line.request("POST", "/v1/messages", iter(pieces), HEADERS, encode_chunked=True)
    assert line.getresponse().status == 200
    line.close()


BAD = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"model": NaN}',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"model":"m","max_tokens":1,"messages":[{"role":"user","content":{"a":1}}]}',
    b'{"model":"m","max_tokens":1,"messages":[null]}',
    b'{"model":"m","max_tokens":1,"tools":{},"messages":[{"role":"user","content":"a"}],"tools":[1]}',
    b'{"model":"m","max_tokens":1,"system":7,"messages":[{"role":"user","content":"a"}]}',
]


@pytest.mark.parametrize("sent", BAD)
def test_garbage_gets_an_error_in_the_api_s_shape(client: Client, sent: bytes) -> None:
    assert client.send(sent).error == (400, "invalid_request_error")


@pytest.mark.parametrize(
    "head", [b"hello\r\n\r\n", b"POST / HTTP/1.1\r\nno colon\r\n\r\n", b"GET /" + b"a" * 100_000]
)
def test_what_is_no_http_is_refused_and_hung_up(client: Client, head: bytes) -> None:
    address = urlsplit(client.url)
    with socket.create_connection((address.hostname, address.port), timeout=240) as line:
        line.sendall(head)
        received = b""
        while piece := line.recv(65536):
            received += piece
    assert received.startswith(b"HTTP/1.1 400 ")
    assert client.send(ask("hello")).status == 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result", "ephemeral", "1h"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "text", "role", "content", "cache_control", "ttl", "id", "tool_use_id", "name",
             "input", "source", "citations", "thinking"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(
    messages=JSON | st.lists(JSON, max_size=3),
    system=JSON,
    tools=JSON | st.lists(JSON, max_size=2),
    more=st.dictionaries(st.sampled_from(["cache_control", "output_config", "stream"]), JSON),
)
@settings(max_examples=80, deadline=None)
def test_no_request_whatever_brings_a_fault_of_its_own(
    running: Client, messages: object, system: object, tools: object, more: Json
) -> None:
    """G2: an answer or a refusal, never a 500 and never a traceback."""
    request = {"model": "m", "max_tokens": 5, "messages": messages, "system": system, **more}
    reply = running.send({**request, "tools": tools})
    assert reply.status == 200 or reply.error == (400, "invalid_request_error")
