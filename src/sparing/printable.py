r"""Text from elsewhere, made safe to look at on a terminal or a page.

Whatever a terminal would act on and whatever hides, reorders or overwrites other letters is shown
as its escape (`\x1b`, `\u202e`), so that a reader sees that it is there. Nothing is dropped, except
the `\r` of a line that ends in `\r\n`. All other text stays as it is: accents, every script, emoji
with their joiners.
"""

from __future__ import annotations

import re
from functools import cache

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_BREAKS = r"\u2028\u2029"
_UNSEEN = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164"
    r"\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_TAGS = r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_SURROGATES = r"\ud800-\udfff"
_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS = r"\u200c\u200d"
_HIDDEN = _CONTROLS + _BIDI + _BREAKS + _UNSEEN + _TAGS + _SURROGATES + _SELECTORS + _JOINERS

# What may stay: the flag of a part of a country, one selector after the letter it belongs to, and
# a joiner between two letters that are no ASCII: emoji, and scripts that shape their letters.
_FLAG = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_LETTER = rf"[^\x00-\x7f{_HIDDEN}\s]"
_KEYCAP = r"[0-9#*]\ufe0f\u20e3"
_SELECTED = rf"{_LETTER}[{_SELECTORS}]"
_JOINED = rf"(?:{_LETTER}[{_SELECTORS}]?[{_JOINERS}])+(?={_LETTER})"
# Marks above or below a letter: more than a script stacks would cover the lines around it.
_MARKS = (
    r"\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e34-\u0e3a"
    r"\u0e47-\u0e4e\u0eb4-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0"
    r"\u302a-\u302f\u3099\u309a\ufe20-\ufe2f"
)
MOST_MARKS = 8
_FLOOD = rf"(?P<stacked>[{_MARKS}])(?<=[{_MARKS}]{{{MOST_MARKS + 1}}})"
_LETTERS = rf"\r\n|{_FLAG}|{_KEYCAP}|{_JOINED}|{_SELECTED}|(?P<hidden>[{_HIDDEN}])|{_FLOOD}"


def printable(text: str) -> str:
    if _is_plain(text) or not _compiled(f"[{_HIDDEN}]|{_FLOOD}").search(text):
        return text
    return _compiled(_LETTERS).sub(_shown, text)


def _is_plain(text: str) -> bool:
    """Whether the text needs no escaping; most text does not, and no pattern is compiled for it."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _shown(found: re.Match[str]) -> str:
    if found["hidden"] is None and found["stacked"] is None:
        return "\n" if found[0] == "\r\n" else found[0]
    number = ord(found[0])
    if 0xDC80 <= number <= 0xDCFF:
        # A byte of a file's name that is no UTF-8, as Python keeps it.
        number -= 0xDC00
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
