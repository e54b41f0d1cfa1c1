"""A running double and a plain client for it: http.client, and nothing that knows the API."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, IncompleteRead
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sparing.double.server import Double, ServerSettings

MODEL = "claude-sonnet-5"
LIMIT_SECONDS = 120
HEADERS = {
    "content-type": "application/json",
    "x-api-key": "sk-test-secret",
    "anthropic-version": "2023-06-01",
}
Json = dict[str, Any]


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True
    """The connection was not closed in the middle."""

    @property
    def json(self) -> Json:
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str]:
        """Status and kind, from a body that has exactly the API's shape."""
        value = self.json
        assert set(value) == {"type", "error", "request_id"}, value
        assert value["type"] == "error"
        assert set(value["error"]) == {"type", "message"}
        assert "Traceback" not in value["error"]["message"]
        return self.status, value["error"]["type"]

    @property
    def events(self) -> list[Json]:
        """The events of a stream, each checked for its name."""
        found: list[Json] = []
        for part in self.body.decode().split("\n\n")[:-1]:
            name, data = part.split("\n")
            event = json.loads(data.removeprefix("data: "))
            assert name == f"event: {event['type']}"
            found.append(event)
        return found


class Client:
    """One connection; `headers` go with every request."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.url = url
        self._address = (address.hostname or "", address.port)
        self.headers = dict(HEADERS)

    def send(
        self,
        body: Json | bytes,
        path: str = "/v1/messages",
        method: str = "POST",
        **headers: str,
    ) -> Reply:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection(*self._address, timeout=LIMIT_SECONDS)
        try:
            connection.request(method, path, data, {**self.headers, **named})
            response = connection.getresponse()
            try:
                received, whole = response.read(), True
            except IncompleteRead as error:
                received, whole = error.partial, False
            told = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, told, received, whole)
        finally:
            connection.close()

    def at(self, seconds: float, body: Json) -> Reply:
        return self.send(body, x_virtual_time=str(seconds))

    def control(self, **orders: Any) -> Json:
        reply = self.send(orders, "/_control")
        assert reply.status == 200, reply.body
        return reply.json

    def until_waiting(self, count: int) -> None:
        """Returns when that many answers are held back."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while self.state()["waiting"] != count:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def state(self) -> Json:
        return self.send(b"", "/_control", "GET").json


@contextmanager
def serving(settings: ServerSettings | None = None) -> Generator[Client]:
    """A double in a thread of its own."""
    ready = threading.Event()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Event, str]] = []

    async def run() -> None:
        async with Double(settings) as double:
            stopped = asyncio.Event()
            running.append((asyncio.get_running_loop(), stopped, double.url))
            ready.set()
            await stopped.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(LIMIT_SECONDS)
    loop, stopped, url = running[0]
    try:
        yield Client(url)
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join(LIMIT_SECONDS)
        assert not thread.is_alive(), "the double did not stop"


def ask(*texts: str, **changes: Any) -> Json:
    """A request whose last message has these texts."""
    content = [{"type": "text", "text": text} for text in texts]
    usual = {"model": MODEL, "max_tokens": 4000, "messages": [{"role": "user", "content": content}]}
    return {**usual, **changes}
