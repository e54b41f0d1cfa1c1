"""What this process is waiting for and until when, so that observers see that it is alive.

Turns are in the ledger, and checks and set-ups in notes of their own; everything else that may take
longer than a moment is listed here while it lasts: locks, git, servers. There is no clock: an
observer knows since when it has seen a wait.

Also a bell for what the process itself waits for: a letter was posted here, a leg has ended here.
Nothing depends on it: whoever does not hear it looks a little later.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from threading import Event
from typing import NamedTuple


class Wait(NamedTuple):
    number: int
    """The wait's id, constant for as long as it lasts."""
    what: str
    limit_seconds: float


_numbers = count(1)
_open: dict[int, Wait] = {}


@contextmanager
def waiting(what: str, limit_seconds: float) -> Generator[None]:
    """List a wait while it lasts; `limit_seconds` is only shown, the caller enforces it."""
    one = Wait(next(_numbers), what, limit_seconds)
    _open[one.number] = one
    try:
        yield
    finally:
        del _open[one.number]


_bell = Event()


def ring() -> None:
    _bell.set()


def rung() -> bool:
    """Whether somebody rang since this was last asked."""
    found = _bell.is_set()
    _bell.clear()
    return found


def open_waits() -> list[Wait]:
    """Current waits, the longest first."""
    return list(_open.values())
