"""The fact sheet: quoted lines, best first, up to its share of the space.

Each stage adds one part, which is never rewritten: it follows the stage's document, and unchanged
text stays cached. A part may use what the parts before it have left of theirs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sparing.context.sheet.quotes import FactKind, QuotedFact, digest_of, split
from sparing.printable import printable
from sparing.segment import CHARS_PER_TOKEN

LIMIT_TOKENS = 2_500
"""Limit for all parts together."""
WORTH: Mapping[FactKind, int] = {
    FactKind.INTERFACE: 4, FactKind.TEST: 3, FactKind.COMMAND: 3, FactKind.CONVENTION: 2,
    FactKind.CODE: 2,
}  # fmt: skip
HEAD = (
    "Lines that the program has quoted from the repository at commit {commit}, because somebody "
    "named them as a source. They show what stood there, not what follows from it.\n"
)


class SheetQuote(NamedTuple):
    """Identifies quoted lines, to check later whether they are unchanged."""

    path: str
    numbers: tuple[int, ...]
    digest: str


class SheetPart(NamedTuple):
    text: str
    """Empty if nothing fits, or nothing was named."""
    quotes: tuple[SheetQuote, ...] = ()


def room_for(stage: int, stages: int, used_chars: int) -> int:
    """Characters for the part of that stage, the first being 0."""
    most = LIMIT_TOKENS * CHARS_PER_TOKEN
    return max(0, most * (stage + 1) // max(1, stages) - used_chars)


def part_of(
    named: Sequence[QuotedFact], shown: Collection[SheetQuote], commit: str, room: int
) -> SheetPart:
    """The best facts that no earlier part has, in at most `room` characters."""
    head = HEAD.format(commit=commit[:10])
    text, quotes = head, list[SheetQuote]()
    for fact in ranked(named, shown):
        entry = _entry(fact)
        if len(text) + len(entry) <= room:
            text += entry
            quotes.append(quote_of(fact))
    return SheetPart(text, tuple(quotes)) if quotes else SheetPart("")


def quote_of(fact: QuotedFact) -> SheetQuote:
    return SheetQuote(fact.path, fact.numbers, fact.digest)


def ranked(named: Sequence[QuotedFact], shown: Collection[SheetQuote]) -> list[QuotedFact]:
    """Sort by how often a location was named, by kind, and by whether it has a question and
    uses; other files come before more of the same file."""
    times = Counter(quote_of(one) for one in named)
    first = {quote_of(one): one for one in reversed(named)}
    for one in named:  # whoever gave a question is shown with it
        if one.question and not first[quote_of(one)].question:
            first[quote_of(one)] = one
    left = [one for place, one in first.items() if place not in shown]
    left.sort(key=lambda one: (-_worth(one, times[quote_of(one)]), one.path, one.numbers))
    order, files = list[tuple[int, int, QuotedFact]](), Counter[str]()
    for number, one in enumerate(left):
        order.append((files[one.path], number, one))
        files[one.path] += 1
    return [one for *_, one in sorted(order, key=lambda row: row[:2])]


def _worth(fact: QuotedFact, times: int) -> int:
    return WORTH[fact.kind] + 2 * (times - 1) + bool(fact.question) + bool(fact.uses)


def _entry(fact: QuotedFact) -> str:
    asks = f" | {printable(fact.question)}" if fact.question else ""
    rows = [f"{_path(fact.path)}:{_span(fact.numbers)} ({fact.kind}){asks}"]
    rows += [f"{n}\t{line}" for n, line in zip(fact.numbers, fact.lines, strict=True)]
    if fact.used:
        more = f" and {fact.uses - len(fact.used)} more files" if fact.uses > len(fact.used) else ""
        rows.append(f"used in {', '.join(map(_path, fact.used))}{more}")
    return "\n".join(("", *rows, ""))


def _span(numbers: Sequence[int]) -> str:
    return "-".join(dict.fromkeys((str(min(numbers)), str(max(numbers)))))


def _path(path: str) -> str:
    """The path on one line, even if it contains line breaks."""
    return printable(path).replace("\n", "\\n").replace("\t", "\\t")


def changed_quotes(quotes: Iterable[SheetQuote], texts: Mapping[str, str]) -> str:
    """Which of the quotes have changed since, one line each."""
    rows: list[str] = []
    for one in quotes:
        text = texts.get(one.path)
        if text is None:
            rows.append(f"- {_path(one.path)} is gone")
        elif digest_of(split(text), one.numbers) != one.digest:
            rows.append(f"- {_path(one.path)}:{_span(one.numbers)} changed or moved")
    if not rows:
        return ""
    return "\n".join(("Of the lines quoted above, since they were quoted:", *rows, ""))


def dump_quotes(quotes: Iterable[SheetQuote]) -> str:
    return json.dumps([[one.path, list(one.numbers), one.digest] for one in quotes])


def load_quotes(text: str) -> tuple[SheetQuote, ...]:
    return tuple(SheetQuote(path, tuple(n), digest) for path, n, digest in json.loads(text))
