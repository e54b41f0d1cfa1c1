"""Every route refuses whoever is not the person who logged in on this page. Covers: K3, F8

The requests are made from the table of routes, so that a new route is tried like all others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from sparing.desk.gates.stale_answer import seen_digest
from sparing.desk.office import Office
from sparing.records import mailbox
from sparing.web.acts import ACTS
from sparing.web.app import Web
from sparing.web.request_guard import HEADERS, LARGEST_BODY
from tests.desk.standing import standing
from tests.web.asking import ORIGIN, Door, Headers

HOST = "127.0.0.1:8377"
HOSTS = (
    "", "127.0.0.1", "localhost", "localhost:8377", "127.0.0.1:80", "127.0.0.1:83770",
    "127.0.0.2:8377", "0.0.0.0:8377", "[::1]:8377", "evil.example", "evil.example:8377",
    "127.0.0.1:8377.evil.example", "127.0.0.1:8377@evil.example", "evil.example#127.0.0.1:8377",
    "127.0.0.1:8377 ",
)  # fmt: skip
ORIGINS = (
    "null", "http://evil.example", "https://127.0.0.1:8377", "http://127.0.0.1",
    "http://localhost:8377",
    "http://127.0.0.1:8378", "http://127.0.0.1:8377.evil.example", "http://127.0.0.1:8377/",
)  # fmt: skip
SAFE = {"/login"}
"""Answers anybody at the right address; what it asks for is the token."""


class Registered(NamedTuple):
    method: str
    path: str


def all_routes(door: Door) -> list[Registered]:
    """Every route with the one method that it answers."""
    found = Web(door.site, door.access).routes()
    return [
        Registered("POST" if "POST" in (route.methods or ()) else "GET", route.path)
        for route in found
    ]


class Attempt(NamedTuple):
    what: str
    method: str
    headers: Headers
    body: bytes = b"{}"


def attempts(door: Door, route: Registered) -> Iterator[Attempt]:
    good = dict(door.own_headers() if route.method == "POST" else [("host", HOST), door.cookie])

    def with_(**changes: str | None) -> Headers:
        named = {name.replace("_", "-"): value for name, value in changes.items()}
        return [(k, v) for k, v in {**good, **named}.items() if v is not None]

    name, session = door.access.cookie, door.session
    if route.path not in SAFE:
        for cookie in (
            None, f"{name}=", f"{name}=wrong", f"{name}={session}x", f"{name}={session[:-1]}",
            f"sparing={session}", f"sparing-00000000={session}", f"{name}={LOGGED_OUT[id(door)]}",
        ):  # fmt: skip
            yield Attempt(f"cookie {cookie}", route.method, with_(cookie=cookie))
    for host in HOSTS:
        yield Attempt(f"host {host!r}", route.method, with_(host=host))
    yield Attempt("no host", route.method, with_(host=None))
    yield Attempt("two hosts", route.method, [*with_(), ("host", "evil.example")])
    for origin in ORIGINS:
        yield Attempt(f"origin {origin}", route.method, with_(origin=origin))
    if route.method == "POST":
        yield from write_attempts(with_)


def write_attempts(with_: Callable[..., Headers]) -> Iterator[Attempt]:
    yield Attempt("no origin", "POST", with_(origin=None))
    yield Attempt("no mark", "POST", with_(x_sparing=None))
    yield Attempt("another mark", "POST", with_(x_sparing="1"))
    for kind in (
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
    ):
        yield Attempt(f"a form, {kind}", "POST", with_(content_type=kind), b"said=yes")
    yield Attempt("no type", "POST", with_(content_type=None))
    yield Attempt("GET for a write", "GET", with_())
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        yield Attempt(method, method, with_())
    too_long = str(LARGEST_BODY + 1)
    yield Attempt("a length over the limit", "POST", with_(content_length=too_long))
    yield Attempt("a body over the limit", "POST", with_(), b'"' + b"x" * LARGEST_BODY + b'"')


LOGGED_OUT: dict[int, str] = {}


@pytest.fixture
def tried(office: Office, door: Door) -> Door:
    """With a session that was logged out again."""
    old = door.access.log_in(door.access.login_link.partition("token=")[2]) or ""
    door.access.log_out(old)
    LOGGED_OUT[id(door)] = old
    standing(office, "at a gate")
    return door


def test_every_route_refuses_everybody_else(office: Office, tried: Door) -> None:
    """K3: no, old and wrong tokens, foreign hosts and origins, forms and other methods."""
    names = {
        "{repo}": office.repository.key,
        "{id}": "001",
        "{name}": "page.css",
        "{dispatch}": "x",
    }
    count = 0
    for route in all_routes(tried):
        path = route.path
        for name, value in names.items():
            path = path.replace(name, value)
        for attempt in attempts(tried, route):
            answer = tried.ask(attempt.method, path, attempt.headers, attempt.body)
            told = f"{attempt.what} at {attempt.method} {path}: {answer.status} {answer.text[:80]}"
            assert answer.status in (400, 401, 403, 404, 405, 413, 415), told
            assert "set-cookie" not in answer.headers, told
            assert not [name for name in answer.headers if name.startswith("access-control")], told
            assert {name: answer.headers[name] for name in HEADERS} == HEADERS, told
            count += 1
    with office.database.read() as connection:
        assert mailbox.unread(connection) == []
    print(f"{count} requests, all refused")
    assert count >= 1_000


def test_an_act_on_what_has_changed_is_refused(office: Office, door: Door) -> None:
    """K3: whoever judges says what they saw; another digest, or none, is never an answer."""
    row = standing(office, "at a gate")
    shown = seen_digest(office, row)
    for act in (one for one in ACTS if one.bound):
        path = act.path.replace("{repo}", office.repository.key).replace("{id}", "001")
        for digest in ("", "0" * 32, shown[:-1], shown.upper() + " "):
            answer = door.post(path, {"shown": digest, "said": "no", "stage": "plan"})
            assert answer.status in (400, 409), (path, digest, answer.text)
            assert set(answer.json["error"]) == {"what", "repair"}
    with office.database.read() as connection:
        assert mailbox.unread(connection) == []


def test_a_login_link_works_once(office: Office, door: Door) -> None:
    """K3: the second use of a link, and any other token, is no login."""
    link = door.access.login_link.removeprefix(ORIGIN)
    host = [("host", HOST)]
    first = door.ask("GET", link, host)
    assert (first.status, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert cookie.startswith(f"{door.access.cookie}=")
    assert cookie.endswith("; HttpOnly; Path=/; SameSite=strict")
    for again in (link, "/login", "/login?token=", "/login?token=x", f"{link}x"):
        answer = door.ask("GET", again, host)
        assert answer.status == 401, again
        assert "set-cookie" not in answer.headers
    assert link not in first.text
    assert door.access.login_link.removeprefix(ORIGIN) != link


def test_addresses_that_are_not_there(office: Office, door: Door) -> None:
    """K3: two lines, for a person as text, for a script as JSON; and 401 before 404."""
    page = door.get("/nowhere")
    assert page.status == 404
    assert "there is no such page" in page.text
    told = door.get("/api/nowhere")
    assert (told.status, told.json["error"]["what"]) == (404, "there is no such page")
    unknown = door.get(f"/r/{office.repository.key}/f/777")
    assert (unknown.status, "there is no feature" in unknown.text) == (404, True)
    assert door.ask("GET", "/nowhere", [("host", HOST)]).status == 401


def test_a_body_of_more_than_a_megabyte(office: Office, door: Door) -> None:
    """K3: 413 in two lines, whether its length was told or not."""
    large = json.dumps({"text": "x" * LARGEST_BODY}).encode()
    for headers in (
        door.own_headers(),
        [*door.own_headers(), ("content-length", str(len(large)))],
    ):
        answer = door.ask("POST", "/preview", headers, large)
        assert answer.status == 413
        assert answer.json["error"]["what"] == "the request is larger than 1 MB"


def test_two_answers_at_once(office: Office, door: Door) -> None:
    """F8: the first one wins; the other is told who was quicker, and when."""
    row = standing(office, "at a gate")
    path = f"/r/{office.repository.key}/f/001/approve"
    seen = {"shown": seen_digest(office, row), "gate": row.leg_id}
    assert door.post(path, seen).json["words"] == "plan is approved"
    second = door.post(path, seen)
    assert second.status == 409
    said = second.json["error"]["what"]
    assert re.search(r"approve by ada on the page at \d\d:\d\d\)", said), said


def test_two_browsers_are_told_apart(office: Office, door: Door) -> None:
    """F8: two people with a browser each: what the second one does bears its own name."""
    standing(office, "under way")
    path = f"/r/{office.repository.key}/f/001/say"
    assert door.post(path, {"words": "first"}).status == 200
    token = door.access.login_link.partition("token=")[2]
    door.session = door.access.log_in(token) or ""
    assert door.post(path, {"words": "second"}).status == 200
    with office.database.read() as connection:
        senders = [one.sender for one in mailbox.unread(connection)]
    assert senders == [f"ada on the page{more}" for more in ("", " (browser 2)")]
