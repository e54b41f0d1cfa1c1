"""Asking a person at the terminal while other features keep running.

The question is asked in its own thread. It ends when the person answers or leaves, or when someone
else has answered in the meantime: no key press is needed to release the thread.
"""

from __future__ import annotations

import select
import sys
import threading
from collections.abc import Callable

from sparing.cli.screen import echo

LOOK_SECONDS = 0.2
leaving = threading.Event()
"""Set when the whole run ends, so that waiting for a person stops."""


class AnsweredElsewhere(Exception):
    """Someone else has answered: there is nothing left to ask."""


class RunEnds(Exception):
    """The whole run ends: an answer is no longer needed."""


def forget_typed() -> None:
    """Discard keys pressed before the gate was shown: they are no answer to it."""
    if sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def ask(question: str, settled: Callable[[], bool]) -> str | None:
    """A line of input, stripped; None at the end of the input."""
    echo(question, nl=False, err=True)
    while not select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
        if leaving.is_set():
            raise RunEnds
        if settled():
            raise AnsweredElsewhere
    line = sys.stdin.readline()
    return line.strip() if line else None
