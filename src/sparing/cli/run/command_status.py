"""While a set-up or a check runs: a status line on a terminal, a line a minute in a pipe."""

from __future__ import annotations

from sparing.cli.clock import now
from sparing.cli.screen import clear_status, echo, is_watched, show_status, style
from sparing.desk.features.command_progress import command_progress
from sparing.desk.office import Office

FIRST_SECONDS, EVERY_SECONDS = 2.0, 60.0
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class CommandStatus:
    """Looks once a second at most; short commands are not told of."""

    def __init__(self, office: Office, *, quiet: bool = False) -> None:
        self._office = office
        self._quiet = quiet or not office.loaded.settings.notify.status_line
        self._looked, self._turn = 0.0, 0
        self._begun: dict[str, float] = {}
        self._told: dict[str, float] = {}

    def show(self, *, hold: bool = False) -> None:
        """`hold`: somebody is being asked, and the last line is theirs."""
        at = now()
        if self._quiet or at - self._looked < (0.2 if is_watched() else 1.0):
            return
        self._looked = at
        found = [] if hold else command_progress(self._office, at)
        shown = [one for one in found if at - self._begun.setdefault(one.key, at) > FIRST_SECONDS]
        if is_watched():
            self._turn += 1
            mark = SPINNER[self._turn % len(SPINNER)]
            if shown:
                show_status(f"  {mark} {shown[0].words}: {shown[0].last}")
            else:
                clear_status()
            return
        for one in shown:
            if at - self._told.get(one.key, 0.0) >= EVERY_SECONDS:
                first = one.key not in self._told
                self._told[one.key] = at
                echo(style(f"  … {one.words}: {one.last}", dim=True), err=True)
                if first:
                    echo(style(f"    all of it: tail -f {one.output}", dim=True), err=True)
