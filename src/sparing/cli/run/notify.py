"""Notifying a person who is elsewhere that a feature waits for them.

A message that can't be shown is no failure: nothing here raises, and nothing waits for longer than
a moment. The program to start is taken from the user's own settings alone.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from sparing.cli.clock import now
from sparing.cli.screen import bell, is_watched
from sparing.config.notify import BELL, DESKTOP, NotifySettings
from sparing.desk.money.spend_alarm import SpendAlarm
from sparing.desk.office import Office
from sparing.printable import printable
from sparing.records.features import FeatureRow

LIMIT_SECONDS = 5.0
SCRIPT = """\
on run words
  display notification (item 2 of words) with title (item 1 of words)
end run"""


def tell_spending(office: Office, rows: Sequence[FeatureRow], alarm: SpendAlarm) -> None:
    """Notify a person who is elsewhere before a cap stops the work."""
    for row in rows:
        if text := alarm.passed(row, now()) if row.running else "":
            title = f"sparing: {row.feature.id} {row.feature.title}"
            notify(office.loaded.settings.notify, title, text)


def notify(settings: NotifySettings, title: str, text: str) -> None:
    title, text = printable(title), printable(text)
    if BELL in settings.ways:
        bell()
    if DESKTOP in settings.ways and is_watched():
        _start(desktop(title, text))
    if settings.command:
        with suppress(ValueError):
            _start((*shlex.split(settings.command), title, text))


def desktop(title: str, text: str) -> tuple[str, ...]:
    """Command that shows a message on this machine; empty if there is none."""
    if shutil.which("notify-send"):
        return ("notify-send", "--app-name=sparing", "--", title, text)
    if shutil.which("osascript"):
        return ("osascript", "-e", SCRIPT, title, text)
    return ()


def _start(argv: Sequence[str]) -> None:
    if not argv:
        return
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LIMIT_SECONDS,
            check=False,
        )
