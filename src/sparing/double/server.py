"""The double as a server on this machine: connections, routes, control.

It listens only on loopback and answers only requests to a loopback host name, so that no page in a
browser can be made to talk to it. Paid calls are impossible through it: it makes no outgoing
connections.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self

from sparing.double.api import WINDOW_TOKENS, Api, Exchange
from sparing.double.delivery import deliver, json_body
from sparing.double.formats.table import format_of
from sparing.double.log import Log
from sparing.double.model import Model
from sparing.double.plan import USUAL, PlannedReply, RequestPlan, read_steps
from sparing.double.refusal import Refusal
from sparing.double.request import JsonObject, read_json
from sparing.double.wire import HEAD_LIMIT, HttpRequest, Line, response_head
from sparing.errors import UsageError

LARGEST_REQUEST = 32 * 1024 * 1024
CONTROL = "/_control"
PATHS = ("/v1/messages", "/v1/messages/count_tokens")
HELLO = "/api/hello"
_logger = logging.getLogger(__name__)
_NOBODY = HttpRequest("", "", {})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    host: str = "127.0.0.1"
    port: int = 0
    """0 for any free port."""
    log: Path | None = None
    model: Model = Model()
    plan: tuple[PlannedReply, ...] = ()
    largest_request: int = LARGEST_REQUEST
    window_tokens: int = WINDOW_TOKENS

    def __post_init__(self) -> None:
        if not is_loopback(self.host):
            raise UsageError(
                f"the double listens on this machine only, not on {self.host}",
                "name 127.0.0.1 or ::1",
            )


class Double:
    """Use as `async with Double(settings) as double`; then `double.url` answers."""

    def __init__(self, settings: ServerSettings | None = None) -> None:
        self.settings = settings or ServerSettings()
        self._log = Log(self.settings.log)
        self.api = Api(self.settings.model, self._log, window_tokens=self.settings.window_tokens)
        self.api.plan = RequestPlan(self.settings.plan)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        host, port = self.settings.host, self.settings.port
        try:
            self._server = await asyncio.start_server(
                self._connected, host, port, limit=HEAD_LIMIT, backlog=512
            )
        except OSError as error:
            self._log.close()
            why = error.strerror or "unknown reason"
            raise UsageError(
                f"the double can't listen on {host}, port {port}: {why}", "name another port, or 0"
            ) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._log.close()

    @property
    def url(self) -> str:
        """The base address that a client is given."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        # Else the second half of an answer waits 40 ms for the client's word on the first.
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(asyncio.CancelledError):  # told to stop
            await self._converse(Line(reader, writer))

    async def _converse(self, line: Line) -> None:
        try:
            while await self._next(line):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # gone in the middle of a request
        finally:
            await line.close()

    async def _next(self, line: Line) -> bool:
        """Answer the next request of this connection; False when it is the last."""
        http = _NOBODY
        try:
            received = await line.receive(self.settings.largest_request)
            if received is None:
                return False
            http = received
            return await self._route(http, line) and http.headers.get("connection") != "close"
        except Refusal as refusal:
            await self._refuse(http, line, refusal)
            return http is not _NOBODY
        except (ConnectionError, asyncio.IncompleteReadError):
            raise
        except Exception:
            _logger.exception("a fault of the double's own")
            await self._refuse(http, line, Refusal(500, "Internal server error"))
            return False

    async def _route(self, http: HttpRequest, line: Line) -> bool:
        host = _host_name(http.headers.get("host", ""))
        if host != "localhost" and not is_loopback(host):
            raise Refusal(403, "only for clients of this machine")
        match http.method, http.path:
            case "POST", path if path in PATHS or format_of(path) is not None:
                return await self.api.handle(http, line)
            case "GET" | "POST", path if path == CONTROL:
                if http.method == "POST":
                    self.control(read_json(http.body))
                return await deliver(line, json_body(self.state), USUAL, {})
            case "HEAD" | "GET", path if path == HELLO:
                await line.send(response_head(200, {"content-length": "0"}))
                return True
            case _, path if path in (*PATHS, CONTROL):
                raise Refusal(405, "Method Not Allowed")
            case _:
                raise Refusal(404, "Not found")

    @property
    def state(self) -> JsonObject:
        api = self.api
        return {
            "now": api.clock.now,
            "requests": api.requests,
            "waiting": api.waiting,
            "steps": len(api.plan),
        }

    def control(self, orders: JsonObject) -> None:
        """Orders to the double: a plan, the time, an empty cache, holding answers back."""
        known = {"plan", "add", "advance", "reset_cache", "lives_apart", "hold", "release"}
        unknown = set(orders) - known
        if unknown:
            raise Refusal(400, f"{min(unknown)}: not an order of the double")
        if "plan" in orders:
            self.api.plan = RequestPlan(read_steps(orders["plan"]))
        self.api.plan.add(read_steps(orders.get("add", ())))
        self.api.clock.advance(_seconds(orders.get("advance", 0)))
        if orders.get("reset_cache") is True:
            self.api.reset_cache(lives_apart=orders.get("lives_apart") is True)
        if orders.get("hold") is True:
            self.api.holding = True
        if orders.get("release") is True:
            self.api.release()

    async def _refuse(self, http: HttpRequest, line: Line, refusal: Refusal) -> None:
        self.api.requests += 1
        now = self.api.clock.tick()
        await self.api.refuse(Exchange(self.api.requests, now, http, line), refusal)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(header: str) -> str:
    """The name in a Host header, without port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise Refusal(400, "advance: not a number of seconds")
    return float(value)
