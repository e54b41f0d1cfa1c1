"""Letters that are encoded in some way, and what may separate two of them.

For finding a value that may have been hidden: a text is read as if it were plain, and each position
in the result maps back to where it was found. Linear in the length of the text.
"""

from __future__ import annotations

import re

_BREAK = r"(?:\r?\n|(?:\\r)?\\n)[ \t]*"
BREAK = re.compile(_BREAK)
"""A line break, even one written as an escape, with the indentation that follows."""
_COMMENT = r"(?:(?://|[#*>+;-])[ \t]*)?"
CODED = re.compile(
    # One literal after another, also on the next line: their seam.
    r"""["'`][ \t+.&,\\|<>~^*;()]{0,40}(?:\r?\n)?[ \t+.&,|<>~^*;()]{0,120}[bBrRuUfF]{0,2}["'`]"""
    # A line that goes on, a comment or a part of a diff that does; a sign that JSON, a shell or a
    # pattern escapes; a colour; a letter that nobody sees.
    rf"|[\\=]?{_BREAK}{_COMMENT}|\\(?=[!-/:-@\[-`{{-~])|\0|\x1b\[[0-9;]{{0,16}}[mK]"
    # … also read one byte a letter, as files are.
    r"|[\xad\u200b-\u200d\u2060\ufeff]|\xc2(?=\xad)|\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf"
    r"|%(?P<percent>[0-9a-fA-F]{2})|\\x(?P<x>[0-9a-fA-F]{2})|\\x\{(?P<hex>[0-9a-fA-F]{1,4})\}|\\(?P<octal>[01][0-7]{2})"
    r"|0x(?P<byte>[0-9a-fA-F]{2})(?![0-9a-fA-F])(?:,\s{0,80})?|\\U0{4}(?P<wide>[0-9a-fA-F]{4})"
    r"|\\u(?:\{0{0,4}(?P<braced>[0-9a-fA-F]{1,4})\}|(?P<u>[0-9a-fA-F]{4}))"
    r"|&(?P<name>amp|lt|gt|quot|apos);|&#(?:[xX]0{0,4}(?P<entity>[0-9a-fA-F]{1,4})|(?P<decimal>[0-9]{1,5}));"
)
"""An encoded letter, or what separates two."""
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_BASES = {"decimal": 10, "octal": 8}


def join(text: str, between: re.Pattern[str]) -> tuple[str, list[int], list[int], dict[int, int]]:
    """The text decoded and without breaks; from which positions on how many characters were left
    out before them; where each encoded letter ends."""
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
    """The letter it encodes; empty for a break."""
    if not found.lastgroup:
        return ""
    if found.lastgroup == "name":
        return _NAMED[found["name"]]
    return chr(int(found[found.lastgroup], _BASES.get(found.lastgroup, 16)))
