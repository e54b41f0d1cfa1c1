"""What a person's environment says of their terminal: colours, pager, home.

Which editor a person likes, as their environment says.
"""

from __future__ import annotations

import os
import shutil


def wants_colour() -> bool | None:
    """False where NO_COLOR or a terminal that knows none says so; None leaves it to the stream."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if plain else None


def homely(text: str) -> str:
    """Paths as people write them."""
    home = os.environ.get("HOME", "").rstrip("/")
    return text.replace(f"{home}/", "~/") if home else text


def calm_pager() -> None:
    """What fits on the screen is shown and stays there, unless the user has habits of their own."""
    os.environ.setdefault("LESS", "-FRX")


def environment() -> dict[str, str]:
    """All of it: for a process that continues our own work, and no other."""
    return dict(os.environ)


EDITORS = ("sensible-editor", "nano", "vim", "vi")


def editor() -> str:
    """A command line; empty if there is no editor at all."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    return named or next((name for name in EDITORS if shutil.which(name)), "")
