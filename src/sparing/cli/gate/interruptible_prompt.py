"""Asking a person at the terminal while other features keep running.

The question is put in a thread of its own. It ends when the person answers or leaves, or when
somebody else has answered meanwhile: nobody has to press a key to let go of a thread.
"""

from __future__ import annotations

import select
import sys
import threading
from collections.abc import Callable

from sparing.cli.screen import echo

LOOK_SECONDS = 0.2
leaving = threading.Event()
"""Set when the whole run ends: whoever waits for a person stops waiting."""


class AnsweredElsewhere(Exception):
    """Somebody else has answered: there is nothing to ask any more."""


class RunEnds(Exception):
    """The whole run ends: nobody waits for an answer."""


def forget_typed() -> None:
    """Keys that were pressed before a gate stood there are no answer to it."""
    if sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def ask(question: str, settled: Callable[[], bool]) -> str | None:
    """A line, without blanks around it; None at the end of the input."""
    echo(question, nl=False, err=True)
    while not select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
        if leaving.is_set():
            raise RunEnds
        if settled():
            raise AnsweredElsewhere
    line = sys.stdin.readline()
    return line.strip() if line else None
