"""What every request passes before anything handles it, and the headers of every response.

Decided on the path as the server received it and on the headers alone, before a route is found: an
address that does not exist is refused like any other. A page of another site can neither read nor
write here, and neither can another program that lacks the login.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparing.web.access import PageLogin
from sparing.web.refusal import Refusal, wants_json

LOGIN = "/login"
MARK = "x-sparing"
"""The header that a request of our own script carries: a form or another site can't set it."""
LARGEST_BODY = 1_000_000
LOG_IN = "open the login link that `sparing serve` shows in its terminal"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
TOO_LARGE = Refusal(
    413,
    f"the request is larger than {LARGEST_BODY // 1_000_000} MB",
    "send less; what you wrote is kept",
)


class Knock(NamedTuple):
    """What is known about a request before its body."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]

    def only(self, name: str) -> str | None:
        """The value of a header that occurs once; None if it is missing or repeated."""
        found = [value for key, value in self.headers if key == name]
        return found[0] if len(found) == 1 else None

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.headers)

    def cookies(self) -> Mapping[str, str]:
        return cookie_parser(self.only("cookie") or "")


def judge(access: PageLogin, knock: Knock) -> Refusal | None:
    """Why a request is refused; None if it is let in."""
    if knock.only("host") != access.host:
        return Refusal(403, "wrong host name", f"open {access.origin}/")
    if knock.has("origin") and knock.only("origin") != access.origin:
        return Refusal(403, "requests from other sites are refused", f"open {access.origin}/")
    if knock.path == LOGIN and knock.method == "GET":
        return None
    if not access.is_session(knock.cookies().get(access.cookie, "")):
        return Refusal(401, "nobody is logged in here", LOG_IN)
    if knock.method in ("GET", "HEAD"):
        return None
    return _judge_write(access, knock)


def _judge_write(access: PageLogin, knock: Knock) -> Refusal | None:
    again = "press the button on the page again"
    if knock.method != "POST":
        return Refusal(405, f"{knock.method} is not used here", "docs/page.md lists what is")
    if knock.only("origin") != access.origin or knock.only(MARK) != "page":
        return Refusal(403, "that did not come from the page", again)
    if knock.only("content-type") != "application/json":
        return Refusal(415, "send JSON", again)
    length = knock.only("content-length")
    if length is not None and (not length.isascii() or not length.isdigit()):
        return Refusal(400, "the Content-Length is invalid", again)
    return TOO_LARGE if length is not None and int(length) > LARGEST_BODY else None


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, access: PageLogin) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        knock = Knock(scope["method"], scope["path"], _headers(scope))
        refusal = judge(self._access, knock)
        guarded = _with_headers(send)
        if refusal is not None:
            answer = refusal.response(as_json=wants_json(knock.method, knock.path))
            await answer(scope, receive, guarded)
            return
        await self._app(scope, _limited(receive), guarded)


class BodyTooLarge(Exception):
    """Raised while reading a body whose length was not declared."""


def _limited(receive: Receive) -> Receive:
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LARGEST_BODY:
            raise BodyTooLarge
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return told


def _headers(scope: Scope) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    )
