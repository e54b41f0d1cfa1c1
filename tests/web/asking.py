"""Requests to the application itself, without a socket: as a server would hand them on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sparing.desk.office import Office
from sparing.web.access import PageLogin
from sparing.web.app import make_app
from sparing.web.site import Site
from tests.desk.standing import NOW

ORIGIN = "http://127.0.0.1:8377"
Headers = Sequence[tuple[str, str]]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Door:
    """A page with one browser that is logged in."""

    def __init__(self, start: Path) -> None:
        self.site = Site(start, lambda: NOW + 100)
        self.access = PageLogin(ORIGIN, "ada")
        self.app = make_app(self.site, self.access)
        self.session = self.access.log_in(self.access.login_link.partition("token=")[2]) or ""

    @property
    def cookie(self) -> tuple[str, str]:
        return "cookie", f"{self.access.cookie}={self.session}"

    def get(self, path: str) -> Answer:
        return self.ask("GET", path, [("host", self.access.host), self.cookie])

    def post(self, path: str, content: object) -> Answer:
        return self.ask("POST", path, self.own_headers(), json.dumps(content).encode())

    def own_headers(self) -> list[tuple[str, str]]:
        return [
            ("host", self.access.host), ("origin", ORIGIN), ("x-sparing", "page"),
            ("content-type", "application/json"), self.cookie,
        ]  # fmt: skip

    def ask(self, method: str, path: str, headers: Headers, body: bytes = b"") -> Answer:
        return asyncio.run(self._ask(method, path, headers, body))

    async def _ask(self, method: str, path: str, headers: Headers, body: bytes) -> Answer:
        told: list[dict[str, Any]] = []
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return given.pop(0) if given else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            told.append(message)

        where, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": where, "raw_path": where.encode(), "root_path": "",
            "query_string": query.encode(), "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", 8377),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
        }  # fmt: skip
        await self.app(scope, receive, send)
        start = next(one for one in told if one["type"] == "http.response.start")
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        body = b"".join(one.get("body", b"") for one in told if one["type"] == "http.response.body")
        return Answer(start["status"], found, body)


def door_of(office: Office) -> Door:
    return Door(office.repository.checkout)
