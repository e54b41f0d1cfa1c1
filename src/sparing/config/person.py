"""Who uses this process: a setting, else the name of the operating system's user."""

from __future__ import annotations

import getpass
import os

from sparing.printable import printable

LONGEST_NAME = 60


def person_here(named: str) -> str:
    """`named`: the setting `state.person`."""
    return named or printable(_user())[:LONGEST_NAME] or "somebody"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
