"""What the environment says about a person's terminal: colours, pager, home.

Also which editor they prefer.
"""

from __future__ import annotations

import os

USUAL_COLUMNS = 80


def wants_colour() -> bool | None:
    """False if NO_COLOR or a plain terminal says so; None leaves it to the stream."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if plain else None


def homely(text: str) -> str:
    """The text with paths in HOME shortened to `~/`."""
    home = os.environ.get("HOME", "").rstrip("/")
    return text.replace(f"{home}/", "~/") if home else text


def calm_pager() -> None:
    """Make `less` leave short output on the screen, unless the user has set its options."""
    os.environ.setdefault("LESS", "-FRX")


def environment() -> dict[str, str]:
    """All of it: for a process that continues our own work, and no other."""
    return dict(os.environ)


def terminal_columns() -> int:
    """How wide the terminal is. As `shutil` finds it, which takes longer to import than to ask."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    try:
        return os.get_terminal_size(1).columns or USUAL_COLUMNS
    except OSError:
        return USUAL_COLUMNS


EDITORS = ("sensible-editor", "nano", "vim", "vi")


def editor() -> str:
    """A command line; empty if there is no editor at all."""
    if named := os.environ.get("VISUAL") or os.environ.get("EDITOR"):
        return named
    from shutil import which

    return next(filter(which, EDITORS), "")


def completes_line() -> bool:
    """Whether a shell started this process to complete what a person is typing."""
    return "_SPARING_COMPLETE" in os.environ
