"""What an author says about its fixes: the part of a reply that a reviewer is given."""

from __future__ import annotations

import re

_START = re.compile(r"^#{1,6}[ \t]*(?:Findings|Fix[ \t]+summary)\b", re.IGNORECASE | re.MULTILINE)
_ANSWER = re.compile(
    r"^[ \t]*[-*+][ \t]+[`*]*(?P<id>[A-Za-z]+-?\d+)[`*]*[ \t]*[:：—–-][ \t]*[*_]*answered\b",
    re.IGNORECASE | re.MULTILINE,
)


def fix_words(reply: str) -> str:
    """Findings and fix summary; the whole reply where it has no such headings."""
    start = _START.search(reply)
    return reply[start.start() :].strip() if start else reply.strip()


def answers(text: str) -> tuple[str, ...]:
    """The ids of findings that were answered with a reason and not by a change."""
    return tuple(match["id"] for match in _ANSWER.finditer(text))
