"""Which statements a server was sent, by their text, out of its log."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_LINE = re.compile(r"LOG:  (?:statement|execute [^:]*): (.*?)(?=\n\S|\Z)", re.DOTALL)
_VALUE = re.compile(r"'(?:[^']|'')*'|\$\d+|\b\d+\b")
POLLS = ("select n from changes", "select 1", "listen ", "select pg_notification")
"""What is asked time and again, whether there is work or not."""
ENGINE = ("_engine", "dbos", "begin", "commit", "rollback", "savepoint")
"""The engine library names its schema, and sends the words around a transaction one by one."""


def statements(server: Path) -> Counter[str]:
    """How often each was sent so far; values are left out."""
    text = (server / "log").read_text(errors="replace")
    plain = (_plain(found) for found in _LINE.findall(text))
    return Counter(one for one in plain if one)


def by_sender(sent: Counter[str]) -> dict[str, int]:
    """Those of our own records, of the engine library, and polls."""
    found = Counter[str]()
    for text, times in sent.items():
        found[_sender(text)] += times
    return dict(found)


def _sender(text: str) -> str:
    if text.startswith(POLLS):
        return "polls"
    if "update changes" in text:
        return "records"
    return "engine" if any(word in text for word in ENGINE[:2]) or text in ENGINE else "records"


def _plain(text: str) -> str:
    return _VALUE.sub("?", " ".join(text.split())).lower().rstrip("; ")
