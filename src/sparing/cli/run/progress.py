"""What happens, line by line, while features run."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.cli.run.event_lines import STRONG, describe, named
from sparing.cli.screen import echo
from sparing.desk.features.history import events_since, last_sandbox, latest_event
from sparing.desk.office import Office
from sparing.event import SandboxEvent
from sparing.records.events import Event


class Progress:
    """Prints events it has not printed yet, to stderr.

    If several features run, each line names its feature.
    """

    def __init__(self, office: Office, features: Sequence[str], *, quiet: bool) -> None:
        self._office, self._quiet = office, quiet
        self._after = latest_event(office)
        self._alone = features[0] if len(features) == 1 else ""
        self._sandbox = SandboxTeller(office)

    def show(self, latest: int | None = None) -> None:
        """`latest`: the number of the last event, if it is known."""
        if self._quiet or latest == self._after:
            return
        for event in events_since(self._office, self._after):
            self._after = event.n
            line = "" if self._sandbox.known(event) else describe(event)
            if line:
                echo(line if event.feature == self._alone else named(event, line), err=True)


class SandboxTeller:
    """Prints the sandbox level when it changes, not at every start."""

    def __init__(self, office: Office) -> None:
        self._level = last_sandbox(office)

    def known(self, event: Event) -> bool:
        what = event.what
        if not isinstance(what, SandboxEvent):
            return False
        before, self._level = self._level, what.level
        return self._level == before and self._level in STRONG
