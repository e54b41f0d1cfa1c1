"""How a share is written on every screen."""

from __future__ import annotations


def percent(share: float | None, digits: int = 0) -> str:
    """The share as a percentage; empty if unknown."""
    return "" if share is None else f"{100 * share:.{digits}f} %"
