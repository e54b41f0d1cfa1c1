"""While something takes long: a status line on a terminal, a line per minute in a pipe.

Turns, checks, set-ups, and anything else that is waited for: each with its time and its limit, so
that no one has to guess whether a run is alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine
from typing import Any, TypeVar

from sparing.cli.clock import now
from sparing.cli.screen import clear_status, echo, is_watched, show_status, style
from sparing.config.terminal import homely
from sparing.desk.features.live_work import LiveWork, live_work
from sparing.desk.office import Office

FIRST_SECONDS, LONG_SECONDS, EVERY_SECONDS = 2.0, 30.0, 60.0
LOOK_SECONDS, TURN_SECONDS = 1.0, 0.2
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
Found = TypeVar("Found")


class LiveStatus:
    """Reads the records once a second at most; work that ends quickly is not shown."""

    def __init__(
        self, office: Office, *, quiet: bool = False, only: Collection[str] | None = None
    ) -> None:
        self._office, self._only = office, only
        self._quiet = quiet or not office.loaded.settings.notify.status_line
        self._looked, self._drawn, self._turn = 0.0, 0.0, 0
        self._found: list[LiveWork] = []
        self._begun: dict[str, float] = {}
        self._told: dict[str, float] = {}

    def show(self, *, hold: bool = False, at: float | None = None) -> None:
        """`hold`: a person is being asked, and the last line belongs to that question."""
        if self._quiet:
            return
        at = now() if at is None else at
        if abs(at - self._looked) >= LOOK_SECONDS:
            self._looked = at
            self._found = live_work(self._office, at, self._only)
            if not is_watched() and not hold:
                self._tell(self._old(at), at)
        if is_watched() and abs(at - self._drawn) >= TURN_SECONDS:
            self._drawn = at
            self._draw([] if hold else self._old(at), at)

    def _old(self, at: float) -> list[LiveWork]:
        """Work that takes longer than a moment, timed by our clock if its own differs."""
        for one in self._found:
            self._begun[one.key] = min(self._begun.get(one.key, at), one.begun)
        return [one for one in self._found if at - self._begun[one.key] > FIRST_SECONDS]

    def _draw(self, old: list[LiveWork], at: float) -> None:
        self._turn += 1
        if old:
            self._point_to_output(old[0], at)
            more = f" (+ {len(old) - 1})" if len(old) > 1 else ""
            show_status(f"  {SPINNER[self._turn % len(SPINNER)]} {self._words(old[0], at)}{more}")
        else:
            clear_status()

    def _point_to_output(self, one: LiveWork, at: float) -> None:
        """Name the output file once, if it takes long and prints something."""
        long = at - self._begun[one.key] > LONG_SECONDS
        if long and one.output and one.last and one.key not in self._told:
            self._told[one.key] = at
            _tell_output(homely(one.output))

    def _tell(self, old: list[LiveWork], at: float) -> None:
        for one in old:
            before = self._told.get(one.key, self._begun[one.key] if one.quiet else 0.0)
            if at - before >= EVERY_SECONDS:
                first = one.key not in self._told
                self._told[one.key] = at
                echo(style(f"  … {self._words(one, at)}", dim=True), err=True)
                if first and one.output:
                    _tell_output(one.output)

    def _words(self, one: LiveWork, at: float) -> str:
        most = f" (at most {duration(one.limit_seconds)})" if one.limit_seconds else ""
        last = f": {' '.join(one.last.split())}" if one.last else ""
        return f"{one.words}, {duration(at - self._begun[one.key])}{most}{last}"


def _tell_output(path: str) -> None:
    command = style(f"tail -f {path}", fg="cyan")
    echo(f"{style('    full output:', dim=True)} {command}", err=True)


async def watched(work: Coroutine[Any, Any, Found], status: LiveStatus) -> Found:
    """The result of `work`, with a status shown while it runs."""
    task = asyncio.create_task(work)
    try:
        while not task.done():
            await asyncio.wait((task,), timeout=TURN_SECONDS)
            status.show(hold=task.done())
    finally:
        clear_status()
        task.cancel()
    return task.result()


def duration(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
