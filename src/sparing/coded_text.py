"""Letters that are written in another way, and what may stand between two of them.

For whoever looks for a value that somebody may have hidden: a text is read as if it stood there
plainly, and each place in that leads back to where it was found. Linear in the length of the text.
"""

from __future__ import annotations

import re

_BREAK = r"(?:\r?\n|(?:\\r)?\\n)[ \t]*"
BREAK = re.compile(_BREAK)
"""Of a line, also one that is written as an escape; with the indentation that follows."""
CODED = re.compile(
    # One literal after another, also on the next line: their seam.
    r"""["'`][ \t+.&\\]{0,40}(?:\r?\n)?[ \t+.&]{0,120}["'`]"""
    rf"|{_BREAK}|\0|%(?P<percent>[0-9a-fA-F]{{2}})|\\x(?P<x>[0-9a-fA-F]{{2}})"
    r"|\\u(?:\{0{0,4}(?P<braced>[0-9a-fA-F]{1,4})\}|(?P<u>[0-9a-fA-F]{4}))"
    r"|&#(?:[xX]0{0,4}(?P<entity>[0-9a-fA-F]{1,4})|(?P<decimal>[0-9]{1,5}));"
)
"""A letter that is coded, or what separates two."""


def join(text: str, between: re.Pattern[str]) -> tuple[str, list[int], list[int], dict[int, int]]:
    """The text without breaks and with what is coded in it; from which place on how many characters
    were left out before it; where what is coded ends."""
    parts: list[str] = []
    places, removed, ends = [0], [0], dict[int, int]()
    last = size = 0
    for found in between.finditer(text):
        letter = _letter(found)
        parts += (text[last : found.start()], letter)
        size += found.start() - last
        last = found.end()
        if letter:
            places.append(size)
            removed.append(found.start() - size)
            size += 1
            ends[size] = last
        places.append(size)
        removed.append(last - size)
    return "".join((*parts, text[last:])), places, removed, ends


def _letter(found: re.Match[str]) -> str:
    """What it stands for; empty for a break."""
    if not found.lastgroup:
        return ""
    return chr(int(found[found.lastgroup], 10 if found.lastgroup == "decimal" else 16))
