"""Source locations that agents give for a fact: a path with lines or a symbol, or a symbol alone.

An agent's conclusion is not taken over: only the location, and the question that it answers. The
program quotes the location itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

MOST_NAMED = 20
"""Limit for one reply."""
QUESTION_CHARS = 100
_FENCE = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[ \t]*facts[ \t]*\n(?P<body>.*?)^[ \t]{0,3}(?P=fence)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t]*[-*][ \t]+(?P<place>\S[^|\n]{0,300}?)[ \t]*(?:\|[ \t]*(?P<asks>.*))?$")
_PATH = r"(?P<path>(?:\./)?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*)"
_LINES = (
    r"(?:(?::|#L|,?[ \t]+lines?[ \t]+)(?P<first>\d{1,7})"
    r"(?:[ \t]*[-\u2013][ \t]*L?(?P<last>\d{1,7}))?"
    r"|(?:::|#)(?P<symbol>[A-Za-z_][\w.]*))?"
)
_PLACE = re.compile(rf"(?<![\w/.@-]){_PATH}{_LINES}")


class NamedFact(NamedTuple):
    path: str
    """As written; if it is not a file, it may be a symbol."""
    first: int = 0
    """0 if no line was named."""
    last: int = 0
    symbol: str = ""
    question: str = ""


def facts_block(reply: str) -> tuple[NamedFact, ...]:
    """The facts in the last `facts` block of an author's reply."""
    blocks = list(_FENCE.finditer(reply))
    if not blocks:
        return ()
    items = map(_ITEM.match, blocks[-1]["body"].splitlines())
    found = (one for item in items if item for one in places(item["place"], item["asks"] or ""))
    return tuple(dict.fromkeys(found))[:MOST_NAMED]


def finding_sources(answer: Mapping[str, Any]) -> tuple[NamedFact, ...]:
    """The sources of a researcher's findings."""
    listed: object = answer.get("findings")
    found: list[NamedFact] = []
    for one in cast("list[object]", listed) if isinstance(listed, list) else []:
        if isinstance(one, dict):
            fields = cast("dict[str, object]", one)
            source, asks = fields.get("source"), fields.get("answers")
            if isinstance(source, str):
                found += places(source, asks if isinstance(asks, str) else "")
    return tuple(dict.fromkeys(found))[:MOST_NAMED]


def places(text: str, asks: str = "") -> Iterator[NamedFact]:
    """Every word that may be a location; the repository decides which of them are files."""
    question = _question(asks)
    for match in _PLACE.finditer(text.replace("`", " ")[:600]):
        path, symbol = match["path"].removeprefix("./").rstrip("."), match["symbol"] or ""
        if not re.search(r"[./_A-Z]", path) and not (match["first"] or symbol):
            continue  # a word of prose
        first = int(match["first"] or 0)
        last = max(first, int(match["last"] or first))
        yield NamedFact(path, first, last, symbol, question)


def _question(text: str) -> str:
    """The text if it ends like a question: anything else would be an agent's conclusion."""
    line = " ".join(text.split())
    return line if line.endswith("?") and len(line) <= QUESTION_CHARS else ""
