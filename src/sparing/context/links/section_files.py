"""Which sections of a document name a file by its path."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sparing.context.links.dependents import parts_of


def sections_naming(text: str, paths: Iterable[str]) -> dict[str, str]:
    """Sections in which one of these files is named, and the first such file of each."""
    listed = [path for path in paths if path in text]
    found: dict[str, str] = {}
    for part in parts_of(text) if listed else ():
        path = next((one for one in listed if _named(part.text, one)), "")
        if path:
            found[part.name] = path
    return found


def _named(text: str, path: str) -> bool:
    """Whether a text names exactly this path: `a/b.py` names neither `b.py` nor `a/b.pyc`."""
    if path not in text:
        return False
    return re.search(rf"(?<![\w/.-]){re.escape(path)}(?![\w/-])", text) is not None
