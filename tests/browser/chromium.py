"""A real browser, and what axe finds on a page. For `make browser` alone."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sparing.web.access import PageLogin
from sparing.web.server import Listen, PageServer
from sparing.web.site import Site

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".browser" / "node_modules"
SHOTS = ROOT / "docs" / "images" / "page"
SERIOUS = ("serious", "critical")
PATIENCE_MS = 180_000
"""What never comes is noticed after it; no test takes this long, on a busy machine either."""


@contextmanager
def browser() -> Generator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "chromium is not installed: apt-get install chromium"
    library: Any = importlib.import_module("playwright.sync_api")
    with library.sync_playwright() as playwright, TemporaryDirectory() as home:
        own = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"), home)
        # As root Chromium has no sandbox of its own; what it opens here is our own page.
        found = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], env={**os.environ, **own}
        )
        try:
            yield found
        finally:
            found.close()


class Served(NamedTuple):
    origin: str
    login: str
    """Works once."""
    access: PageLogin | None = None
    """Of a server in this process: has the next link."""


@contextmanager
def served(start: Path) -> Generator[Served]:
    """A server in a thread, on a port that is free."""
    page = PageServer(Site(start, time.time), Listen("127.0.0.1", 0), lambda _: None)
    thread = threading.Thread(target=page.run)
    thread.start()
    try:
        yield Served(page.access.origin, page.access.login_link, page.access)
    finally:
        page.stop()
        thread.join()


@contextmanager
def serving(folder: Path, *words: str, **environ: str) -> Generator[Served]:
    """`sparing serve`, as a person types it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sparing", "serve", "--port", "0", "--no-open", *words],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = ""
        while "token=" not in said:
            line = process.stderr.readline()
            assert line, f"it ended: {said}"
            said += line
        link = re.findall(r"http\S+", said)[-1]
        reader = threading.Thread(target=process.stderr.read)
        reader.start()
        yield Served(link.partition("/login")[0], link)
        process.terminate()
        reader.join()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def logged_in(chromium: Any, page: Served, **how: Any) -> Any:
    """A window that keeps what went wrong in it, and what was asked for."""
    context = chromium.new_context(**how)
    context.set_default_timeout(PATIENCE_MS)
    window = context.new_page()
    window.faults, window.asked = [], []

    def failed(error: Any) -> None:
        window.faults.append(str(error))

    def asked(dialog: Any) -> None:
        window.faults.append(dialog.message)
        dialog.dismiss()

    def requested(request: Any) -> None:
        window.asked.append(request.url)

    window.on("pageerror", failed)
    window.on("dialog", asked)
    window.on("request", requested)
    window.goto(page.access.login_link if page.access else page.login)
    return window


def violations(window: Any) -> list[str]:
    """What axe finds serious."""
    window.evaluate((NODE / "axe-core" / "axe.min.js").read_text("utf-8"))
    found = window.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]
