"""Tasks that the author took back: struck through, or said to be removed or merged into another.

A review of a task list often leaves the number of such a task in place. Nobody wants it built.
"""

from __future__ import annotations

import re

_TAKEN_BACK = r"(?:removed|dropped|deleted|withdrawn|obsolete|cancell?ed|superseded|deferred)"
_ELSEWHERE = r"(?:merged|folded|moved|absorbed) (?:in)?to\b"
_STRUCK = re.compile(r"[\W_]{0,8}~~")
_AT_START = re.compile(
    rf"[*_ ]{{0,3}}(?:[\[(]{_TAKEN_BACK}\b[^\])\n]{{0,80}}[\])]|[\[(]?{_ELSEWHERE}"
    rf"|{_TAKEN_BACK}(?: by\b| ?[—–]|(?: ?\([^()\n]{{0,80}}\))?\W*$))",
    re.IGNORECASE,
)
_AT_END = re.compile(
    rf"(?:[\[(](?:{_TAKEN_BACK}\b|{_ELSEWHERE})[^\])\n]{{0,80}}[\])]"
    rf"|[—–-] ?(?:{_TAKEN_BACK}|{_ELSEWHERE}[^\n]{{0,40}}))[*_. ]{{0,4}}$",
    re.IGNORECASE,
)


def is_dropped(text: str, title: str) -> bool:
    """`text` is the whole line, `title` what follows its identifier."""
    if _STRUCK.match(text) and text.count("~~") >= 2:
        return True
    return bool(_AT_START.match(title) or _AT_END.search(title[-140:]))
