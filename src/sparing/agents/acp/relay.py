"""The way from an agent to its provider: through this program, which alone knows the key.

The agent is given an address of this machine and a word that is worth nothing elsewhere. What it
asks is passed on to one provider and to nobody else; what comes back is passed back as it comes,
and read on the way: what it is billed, and what went wrong. So a used-up quota is known at once,
whatever the agent makes of it, and an agent that tries again and again is stopped.
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
"""What may be over at the next try."""


class Upstream(NamedTuple):
    """A provider: its address and what a request is signed with."""

    address: str
    key_header: str
    """`authorization` is sent as a bearer's."""
    secret: str
    proxy: str = ""
    """The user's own, if they need one to get out."""

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


class Heard(NamedTuple):
    """How an answer begins."""

    status: int
    kind: str


Begin = Callable[[Heard], Awaitable[None]]
Pass = Callable[[bytes], Awaitable[None]]


@dataclass(slots=True)
class Relay:
    """What one turn asks its provider; `stop` is told when it must not go on."""

    upstream: Upstream
    headers: Mapping[str, str]
    """Sent with every request."""
    retries: int
    began: Callable[[], None]
    """The first answer of the turn begins."""
    billed: Callable[[AnswerReader], None]
    stop: Callable[[TurnOutcome, float | None], None]
    now: Callable[[], float]
    failed: int = 0
    """Requests in a row that came to nothing."""
    _open: set[socket.socket] = field(default_factory=set[socket.socket])
    _closed: bool = False

    async def ask(self, asked: Asked, begin: Begin, give: Pass) -> None:
        """Raises `ConnectionError` if the agent must see that the line was cut."""
        connection = self._connection()
        try:
            await self._exchange(connection, asked, begin, give)
        except (OSError, http.client.HTTPException) as error:
            self._failed(Failure.NETWORK, f"{type(error).__name__}: {error}", None)
            raise ConnectionError from error
        finally:
            connection.close()

    def close(self) -> None:
        """The turn is over: whoever waits for an answer waits no longer."""
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
            await begin(Heard(response.status, kind))
            await give(said)
            return
        self.began()
        await begin(Heard(response.status, kind))
        reader = AnswerReader(asked.body)
        try:
            while piece := await asyncio.to_thread(response.read1, PIECE):
                reader.take(piece)
                await give(piece)
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
        """What came of it was billed; a second try would say the same words twice."""
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


def failure_of(status: int, words: str) -> Failure:
    if any(part in words.lower() for part in TOO_LONG):
        return Failure.CONTEXT_OVERFLOW
    usual = Failure.OVERLOADED if status >= SERVER_ERROR else Failure.REFUSED
    return STATUSES.get(status, usual if status >= REFUSED else Failure.CRASHED)
