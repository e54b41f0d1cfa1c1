"""Templates: everything inserted is made printable first, then escaped."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

import jinja2

from sparing.money import dollars
from sparing.printable import printable
from sparing.report.plain_words import session_words
from sparing.report.spending import tokens
from sparing.web.markup import rendered

STATIC = ("page.css", "page.js", "icon.svg")
MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def page(template: str, /, **values: object) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sparing.web"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    environment.filters.update(
        markdown=rendered,
        clock=clock,
        day=day,
        since=since,
        usd=dollars,
        tokens=tokens,
        short=short,
        session=session_words,
    )
    environment.globals.update(static=static_link)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return environment


def _safe(value: object) -> object:
    return printable(value) if type(value) is str else value


def clock(at: float) -> str:
    return _local(at).strftime("%H:%M")


def day(at: float) -> str:
    return _local(at).strftime("%d %b %Y %H:%M")


def since(at: float) -> str:
    """The time if it was today, otherwise the date."""
    when = _local(at)
    today = when.date() == datetime.now(UTC).astimezone().date()
    return when.strftime("%H:%M" if today else "%d %b")


def short(commit: str) -> str:
    return commit[:10]


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()


@cache
def static_file(name: str) -> bytes:
    return (files("sparing.web") / "static" / name).read_bytes()


@cache
def static_link(name: str) -> str:
    """The link with part of the file's hash, so that a browser may cache it."""
    digest = hashlib.sha256(static_file(name)).hexdigest()[:10]
    return f"/static/{name}?v={digest}"
