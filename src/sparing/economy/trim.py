"""Tool results, shortened before they are first sent.

The contents of a conversation are paid again with every call, and removing something later costs a
new write of all that follows; so it is trimmed at the source. Repeated lines become one with a
count; if that is still too long, the beginning, the end and every line about a failure stay. The
text says what was removed and how to get it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from sparing.segment import CHARS_PER_TOKEN, estimate_tokens

LIMIT_TOKENS = 700
LONGEST_LINE = 400
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NUMBERS = re.compile(r"\d+")
_TROUBLE = re.compile(
    r"error|fail|exception|traceback|assert|warning|panic|undefined|denied|not found|^E\s|^[>+-]\s",
    re.IGNORECASE,
)


def trimmed(text: str, limit_tokens: int = LIMIT_TOKENS) -> str:
    """The text in at most about `limit_tokens`; unchanged if it fits."""
    if estimate_tokens(text) <= limit_tokens:
        return text
    lines = list(_folded([_short(line) for line in _COLOURS.sub("", text).splitlines()]))
    room = limit_tokens * CHARS_PER_TOKEN
    if sum(len(line) + 1 for line in lines) <= room:
        return _joined(lines)
    kept = _kept(lines, room)
    return _joined(_with_gaps(lines, kept))


def _kept(lines: Sequence[str], room: int) -> set[int]:
    """The end first, which has the outcome; then trouble; then the beginning."""
    count = len(lines)
    trouble = [n for n, line in enumerate(lines) if _TROUBLE.search(line)]
    kept: set[int] = set()
    for places, share in (
        (range(count - 1, -1, -1), 0.3), (trouble, 0.4), (range(count), 1.0),
    ):  # fmt: skip
        left = min(room, share * room) if share < 1 else room
        for place in places:
            size = len(lines[place]) + 1
            if place in kept:
                continue
            if size > left:
                break
            kept.add(place)
            left -= size
            room -= size
    return kept


def _with_gaps(lines: Sequence[str], kept: set[int]) -> Iterator[str]:
    for gone, run in groupby(range(len(lines)), key=lambda place: place not in kept):
        places = list(run)
        if gone:
            yield f"[{len(places)} lines left out; ask for a narrower part to see them]"
        else:
            yield from (lines[place] for place in places)


def _folded(lines: Sequence[str]) -> Iterator[str]:
    """Runs of lines that differ in numbers only, as the first of them and how many followed."""
    for _, run in groupby(lines, key=lambda line: _NUMBERS.sub("0", line)):
        first, *others = run
        yield first
        if len(others) == 1:
            yield others[0]
        elif others:
            yield f"[{len(others)} more like it]"


def _short(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]} [{len(line) - LONGEST_LINE} characters left out]"


def _joined(lines: Sequence[str] | Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
