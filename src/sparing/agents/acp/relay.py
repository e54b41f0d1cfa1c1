"""Relays an agent's requests to its provider through this program, which alone knows the key.

The agent is given a local address and a secret that is worthless elsewhere. Its requests are
forwarded to one provider only; answers are passed back as they arrive, and read on the way for
usage and errors. So an exhausted quota is known at once, however the agent reacts to it, and an
agent that retries endlessly is stopped.
"""

from __future__ import annotations

import asyncio
import http.client
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from sparing.agents.acp.answers import AnswerReader
from sparing.agents.api.failures import REFUSED, SERVER_ERROR, STATUSES, TOO_LONG, reset_time
from sparing.agents.backend import TurnOutcome
from sparing.failure import Failure

PIECE = 64 * 1024
SAID_BYTES = 64 * 1024
SAID_CHARS = 600
PATIENCE_SECONDS = 600.0
OK = 200
KEY_HEADERS = frozenset({"authorization", "x-api-key", "x-goog-api-key"})
HOP = frozenset(
    {"host", "connection", "accept-encoding", "content-length", "transfer-encoding", "expect"}
)
PASSING = frozenset({Failure.OVERLOADED, Failure.NETWORK})
"""Failures that may be over at the next try."""


class Upstream(NamedTuple):
    """A provider: its address and the key that requests carry."""

    address: str
    key_header: str
    """The header for the key; `authorization` is sent as a bearer token."""
    secret: str
    proxy: str = ""
    """The user's own proxy, if they need one to reach the internet."""

    def __repr__(self) -> str:
        return f"Upstream({self.address})"

    @property
    def signature(self) -> dict[str, str]:
        bearer = "Bearer " if self.key_header == "authorization" else ""
        return {self.key_header: bearer + self.secret} if self.secret else {}


class Asked(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class AgentGone(Exception):
    """The agent no longer takes the answer; its provider is not to blame."""


class Heard(NamedTuple):
    """The start of an answer."""

    status: int
    kind: str


Begin = Callable[[Heard], Awaitable[None]]
Pass = Callable[[bytes], Awaitable[None]]


@dataclass(slots=True)
class Relay:
    """Forwards one turn's requests to its provider; `stop` is called when it must not continue."""

    upstream: Upstream
    headers: Mapping[str, str]
    """Sent with every request."""
    retries: int
    began: Callable[[], None]
    """Called when the first answer of the turn begins."""
    billed: Callable[[AnswerReader], None]
    stop: Callable[[TurnOutcome, float | None], None]
    now: Callable[[], float]
    failed: int = 0
    """Consecutive requests that failed."""
    _open: set[socket.socket] = field(default_factory=set[socket.socket])
    _closed: bool = False

    async def ask(self, asked: Asked, begin: Begin, give: Pass) -> None:
        """Forward a request; raises `ConnectionError` if the agent must see that it was cut off,
        and `AgentGone` if it does not listen.
        """
        connection = self._connection()
        try:
            await self._exchange(connection, asked, begin, give)
        except (OSError, http.client.HTTPException) as error:
            self._failed(Failure.NETWORK, f"{type(error).__name__}: {error}", None)
            raise ConnectionError from error
        finally:
            connection.close()

    def close(self) -> None:
        """End the turn: pending requests are cut off."""
        self._closed = True
        for line in list(self._open):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    async def _exchange(
        self, connection: http.client.HTTPConnection, asked: Asked, begin: Begin, give: Pass
    ) -> None:
        response = await asyncio.to_thread(self._send, connection, asked)
        kind = response.getheader("content-type") or "application/json"
        if response.status != OK:
            said = await asyncio.to_thread(response.read, SAID_BYTES)
            self._refused(response, said)
            await _to_agent(begin(Heard(response.status, kind)))
            await _to_agent(give(said))
            return
        self.began()
        reader = AnswerReader(asked.body)
        try:
            await _to_agent(begin(Heard(response.status, kind)))
            while piece := await asyncio.to_thread(response.read1, PIECE):
                reader.take(piece)
                await _to_agent(give(piece))
        except AgentGone:
            self.billed(reader)
            raise
        except (OSError, http.client.HTTPException):
            self._cut(reader)
            raise
        reader.end()
        if response.length:  # fewer bytes than were announced
            self._cut(reader)
            raise ConnectionError
        self.failed = 0
        self.billed(reader)

    def _connection(self) -> http.client.HTTPConnection:
        address = urlsplit(self.upstream.address)
        host, port = address.hostname or "", address.port
        if address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)
        if not self.upstream.proxy:
            return http.client.HTTPSConnection(host, port, timeout=PATIENCE_SECONDS)
        proxy = urlsplit(self.upstream.proxy)
        through = http.client.HTTPSConnection(
            proxy.hostname or "", proxy.port or 80, timeout=PATIENCE_SECONDS
        )
        through.set_tunnel(host, port)
        return through

    def _send(
        self, connection: http.client.HTTPConnection, asked: Asked
    ) -> http.client.HTTPResponse:
        base = urlsplit(self.upstream.address).path.rstrip("/")
        kept = {
            name: value
            for name, value in asked.headers.items()
            if name not in HOP and name not in KEY_HEADERS
        }
        headers = {**kept, **self.upstream.signature, **self.headers}
        connection.connect()
        self._open.add(connection.sock)
        if self._closed:
            raise ConnectionError("the turn is over")
        connection.request(asked.method, base + asked.path, asked.body or None, headers)
        return connection.getresponse()

    def _cut(self, reader: AnswerReader) -> None:
        """Handle an answer that was cut off: it is billed, and a retry would repeat its text."""
        self.billed(reader)
        self.failed = self.retries
        self._failed(Failure.NETWORK, "the answer was cut off", None)

    def _refused(self, response: http.client.HTTPResponse, said: bytes) -> None:
        words = said.decode("utf-8", "replace").strip()[:SAID_CHARS] or response.reason
        until = reset_time(response.getheader("retry-after"), self.now())
        self._failed(failure_of(response.status, words), f"{response.status} {words}", until)

    def _failed(self, failure: Failure, words: str, until: float | None) -> None:
        self.failed += 1
        if failure not in PASSING or self.failed > self.retries:
            self.stop(TurnOutcome(failure, words), until)


async def _to_agent(passed: Awaitable[None]) -> None:
    try:
        await passed
    except OSError as error:
        raise AgentGone from error


def failure_of(status: int, words: str) -> Failure:
    if any(part in words.lower() for part in TOO_LONG):
        return Failure.CONTEXT_OVERFLOW
    usual = Failure.OVERLOADED if status >= SERVER_ERROR else Failure.REFUSED
    return STATUSES.get(status, usual if status >= REFUSED else Failure.CRASHED)
