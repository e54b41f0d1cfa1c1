"""The application: its table of routes, and how each kind of route is answered.

A view is a typed value: its address answers with a page, the same address below `/api` with the
value as JSON. An act is something a person does: a POST with JSON, answered with JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import cast

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sparing.codec import JsonObject, plain
from sparing.errors import SparingError, UsageError
from sparing.web.access import PageLogin
from sparing.web.acts import ACTS, Act, act_body
from sparing.web.chart_image import chart_image
from sparing.web.refusal import Refusal, refusal_of, wants_json
from sparing.web.render import MEDIA, STATIC, page, static_file
from sparing.web.request_guard import LOGIN, TOO_LARGE, BodyTooLarge, Guard
from sparing.web.site import Site
from sparing.web.stream import board_stream, event_stream
from sparing.web.views import VIEWS, View, chrome
from sparing.web.visit import Visit

USED = Refusal(
    401,
    "this login link is wrong or was already used",
    "use the latest link in the terminal of `sparing serve`; it shows a new one after each login",
)
KEPT_SECONDS = 31_536_000


class Web:
    """The routes of one server."""

    def __init__(self, site: Site, access: PageLogin) -> None:
        self._site, self._access = site, access

    def routes(self) -> list[Route]:
        views = [route for view in VIEWS for route in self._both(view)]
        acts = [Route(one.path, self._act(one), methods=["POST"]) for one in ACTS]
        return [
            Route(LOGIN, self._log_in, methods=["GET"]),
            Route("/logout", self._log_out, methods=["POST"]),
            Route("/static/{name}", self._static, methods=["GET"]),
            Route("/favicon.ico", self._icon, methods=["GET"]),
            Route("/events", self._board_stream, methods=["GET"]),
            Route("/r/{repo}/events", self._stream, methods=["GET"]),
            Route("/r/{repo}/f/{id}/chart/{name}", self._chart, methods=["GET"]),
            *views,
            *acts,
        ]

    def _both(self, view: View) -> tuple[Route, Route]:
        async def shown(request: Request) -> Response:
            return HTMLResponse(await run_in_threadpool(self._html, view, self._visit(request)))

        async def told(request: Request) -> Response:
            content = await run_in_threadpool(self._value, view.build, self._visit(request))
            return JSONResponse({"schema_version": 1, **content})

        return (
            Route(view.path, shown, methods=["GET"]),
            Route(view.api, told, methods=["GET"]),
        )

    def _html(self, view: View, visit: Visit) -> str:
        with visit.kept:
            return page(view.template, view=view.build(visit), visit=visit, chrome=chrome(visit))

    def _value(self, make: Callable[[Visit], object], visit: Visit) -> JsonObject:
        with visit.kept:
            return cast("JsonObject", plain(make(visit)))

    def _act(self, act: Act) -> Callable[[Request], object]:
        async def done(request: Request) -> Response:
            body = act_body(act, await _json(request))

            def do(visit: Visit) -> object:
                return act.do(visit, body)

            content = await run_in_threadpool(self._value, do, self._visit(request))
            return JSONResponse({"schema_version": 1, **content})

        return done

    def _visit(self, request: Request) -> Visit:
        path = cast("Mapping[str, str]", request.path_params)
        query = dict(request.query_params)
        who = self._access.who(request.cookies.get(self._access.cookie, ""))
        return Visit(self._site, self._site.now(), path, query, who)

    async def _log_in(self, request: Request) -> Response:
        session = self._access.log_in(request.query_params.get("token", ""))
        if session is None:
            return USED.response(as_json=False)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self._access.cookie, session, path="/", httponly=True, samesite="strict",
            secure=self._access.secure,
        )  # fmt: skip
        return answer

    async def _log_out(self, request: Request) -> Response:
        await _json(request)
        self._access.log_out(request.cookies.get(self._access.cookie, ""))
        return JSONResponse({"schema_version": 1, "words": "logged out"})

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        kept = {"cache-control": f"private, max-age={KEPT_SECONDS}, immutable"}
        media = MEDIA[name.rpartition(".")[2]]
        return Response(static_file(name), media_type=media, headers=kept)

    async def _icon(self, _request: Request) -> Response:
        return Response(static_file("icon.svg"), media_type=MEDIA["svg"])

    async def _stream(self, request: Request) -> Response:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return await event_stream(self._visit(request), after)

    async def _board_stream(self, request: Request) -> Response:
        return await board_stream(self._visit(request))

    async def _chart(self, request: Request) -> Response:
        drawn = await run_in_threadpool(self._drawn, self._visit(request))
        return Response(drawn, media_type=MEDIA["svg"])

    def _drawn(self, visit: Visit) -> str:
        with visit.kept:
            return chart_image(visit)


def make_app(site: Site, access: PageLogin) -> Guard:
    async def refuse(request: Request, error: Exception) -> Response:
        return _refused(request, error)

    app = Starlette(
        routes=Web(site, access).routes(),
        exception_handlers={
            SparingError: refuse, HTTPException: refuse, BodyTooLarge: refuse, Exception: refuse,
        },
    )  # fmt: skip
    return Guard(app, access)


def _refused(request: Request, error: Exception) -> Response:
    found = _refusal(request, error)
    if wants_json(request.method, request.url.path):
        return found.response(as_json=True)
    with suppress(SparingError):
        return HTMLResponse(page("refusal.html.j2", refusal=found), found.status)
    return found.response(as_json=False)


def _refusal(request: Request, error: Exception) -> Refusal:
    match error:
        case SparingError():
            return refusal_of(error)
        case BodyTooLarge():
            return TOO_LARGE
        case HTTPException(status_code=405):
            return Refusal(
                405, f"{request.method} is not used here", "open / and continue from there"
            )
        case HTTPException(status_code=404):
            return Refusal(404, "there is no such page", "open / and continue from there")
        case HTTPException():
            return Refusal(error.status_code, str(error.detail), "open / and continue from there")
        case _:
            what = f"this page failed: {type(error).__name__}"
            return Refusal(500, what, "the terminal of `sparing serve` says more")


async def _json(request: Request) -> Mapping[str, object]:
    try:
        found: object = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise UsageError("the request is not JSON", "press the button again") from None
    if not isinstance(found, dict):
        raise UsageError("the request is not a JSON object", "press the button again")
    return cast("Mapping[str, object]", found)
