"""Every view by its address: what it is built from, and which template shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sparing.web.board import board_page
from sparing.web.code import code_page
from sparing.web.document import document_page
from sparing.web.feature import feature_page
from sparing.web.money import feature_money, repository_money
from sparing.web.prompts import prompt_view
from sparing.web.start_page import start_page
from sparing.web.visit import Visit


class View(NamedTuple):
    path: str
    template: str
    build: Callable[[Visit], object]

    @property
    def api(self) -> str:
        return "/api/board" if self.path == "/" else f"/api{self.path}"


FEATURE = "/r/{repo}/f/{id}"
VIEWS = (
    View("/", "board.html.j2", board_page),
    View("/start", "start.html.j2", start_page),
    View("/r/{repo}/money", "money.html.j2", repository_money),
    View(FEATURE, "feature.html.j2", feature_page),
    View(f"{FEATURE}/doc/{{name}}", "document.html.j2", document_page),
    View(f"{FEATURE}/code", "code.html.j2", code_page),
    View(f"{FEATURE}/money", "money.html.j2", feature_money),
    View(f"{FEATURE}/prompt/{{dispatch}}", "prompt.html.j2", prompt_view),
)


class Chrome(NamedTuple):
    """What surrounds every page."""

    repositories: tuple[tuple[str, str], ...]
    """Key and name of each."""
    engine: bool
    """True if this server runs an engine."""


def chrome(visit: Visit) -> Chrome:
    found = visit.site.repositories()
    return Chrome(tuple((one.key, one.name) for one in found), visit.site.engine)
