"""Whether what a finding quotes occurs in the text it refers to.

Whitespace, line ends, list marks and quotation marks may differ, wording may not. A quote that is
not found makes its finding unverified; it does not make it wrong.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from sparing.finding import Finding

WHOLE_LINE = 12
"""A shorter quote must be a whole line: too many texts hold it somewhere."""
QUOTE_CHARS = 4_000

_MARK = re.compile(r"(?:[-*+>#|]|\d{1,4}[.)]|\[[ xX]\])(?:\s|$)")
_MARKS = 8
_RUN = re.compile(r"[^\W_]+")
_AROUND = "`'\"“”‘’«»„|"
_SIGNS = "+-"


class QuoteCheck(StrEnum):
    FOUND = "found"
    ABSENT = "absent"
    NONE = "none"
    """Nothing is quoted."""


def check_quote(finding: Finding, text: str) -> QuoteCheck:
    """The text is that of the artifact or the file, at the commit that was reviewed."""
    quote = finding.quote[:QUOTE_CHARS]
    wanted = _lines(quote)
    if not wanted:
        return QuoteCheck.NONE
    lines = _lines(text)
    if _stands(wanted, lines):
        return QuoteCheck.FOUND
    unsigned = _lines("\n".join(_unsigned(line) for line in quote.split("\n")))
    return QuoteCheck.FOUND if unsigned and _stands(unsigned, lines) else QuoteCheck.ABSENT


def _stands(wanted: list[str], lines: list[str]) -> bool:
    quote = " ".join(wanted)
    if quote in lines:
        return True
    if len(quote) < WHOLE_LINE:
        return False
    return _within(quote, " ".join(lines))


def _within(quote: str, text: str) -> bool:
    """Whether it occurs without cutting a word in two: word boundaries are marked in both, so
    that a single linear search suffices."""
    return _bounded(quote) in _bounded(text)


def _bounded(text: str) -> str:
    return _RUN.sub("\x02\\g<0>\x03", text)


def _lines(text: str) -> list[str]:
    """Non-empty lines without surrounding whitespace, list marks and quotation marks."""
    plain = (_plain(line) for line in text.replace("\r\n", "\n").split("\n"))
    return [line for line in plain if line]


def _plain(line: str) -> str:
    rest = " ".join(_visible(line).split())
    for _ in range(_MARKS):
        mark = _MARK.match(rest)
        if mark is None:
            break
        rest = rest[mark.end() :]
    return rest.strip(_AROUND).strip()


def _visible(line: str) -> str:
    """The line without invisible characters, which verdicts don't contain either."""
    if line.isascii():
        return line
    return "".join(one for one in line if unicodedata.category(one) != "Cf")


def _unsigned(line: str) -> str:
    """A line of a diff without its sign."""
    return line[1:] if line[:1] in _SIGNS else line
