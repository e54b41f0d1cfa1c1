"""`sparing serve` in a terminal without a screen. Covers: K1."""

from __future__ import annotations

import re
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.typed import Typed

BROWSER = """#!/bin/sh
touch "$0.ran"
exec sleep 600
"""


def test_a_browser_of_text_does_not_take_the_terminal(
    user_repository: UserRepository, tmp_path: Path
) -> None:
    """K1: on a server Python would open lynx, which waits for a page that is not served yet."""
    lynx = tmp_path / "lynx"
    lynx.write_text(BROWSER)
    lynx.chmod(0o755)
    environ = {"BROWSER": str(lynx), "SPARING_STATE__FOLDER": str(tmp_path / "state")}
    at = Typed(user_repository(), "serve", "--port", "0", environ=environ, columns=160)
    link = re.search(r"http://\S+", at.wait_for("the link works once", 60))
    assert link is not None
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link[0], timeout=60) as reply:
        assert reply.status == 200
    at.type("\x03")
    assert at.end(60) == 0
    assert not Path(f"{lynx}.ran").exists()


@pytest.mark.parametrize(
    ("words", "stops"),
    [
        (("serve",), "Ctrl-C stops the page, not the work"),
        (("serve", "--run"), "Ctrl-C stops the page and the work"),
    ],
)
def test_it_says_what_ctrl_c_stops(
    user_repository: UserRepository, tmp_path: Path, words: tuple[str, ...], stops: str
) -> None:
    """K1, I2: with `--run` the engine ends as well."""
    environ = {"BROWSER": "true", "SPARING_STATE__FOLDER": str(tmp_path / "state")}
    at = Typed(user_repository(), *words, "--port", "0", "--no-open", environ=environ, columns=160)
    at.wait_for("the page is at", 60)
    at.wait_for(stops, 60)
    at.type("\x03")
    at.end(60)
    at.process.wait(60)
