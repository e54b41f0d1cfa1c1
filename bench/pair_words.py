"""The labelled pairs of findings without their words, so that a test can decide them anywhere.

    python -m bench.pair_words FOLDER

The sentences of `tests/review/pairs.json` stay where they are. What is written to
`tests/review/pair_words.json` has their form alone: numbers, places, punctuation and the words
that `finding_terms` treats specially stay, every other word becomes a made-up one, the same for
the same word. Two findings have as much in common afterwards as before.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bench.finding_pairs import FOLDER, Pair, finding_at, half, is_there, pairs
from bench.histories import load
from sparing.finding import Finding, Severity
from sparing.review.finding_terms import TEXT_CHARS, special_words, stem

WORDS = FOLDER / "pair_words.json"
LETTERS = "bcdfghjkmnpqrtvwxz"
"""Without vowels, s and y a made-up word has no ending that could be taken off."""
SHORT = 4
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_ABOUT = [
    "The pairs of pairs.json without their words, made by bench/pair_words.py: numbers, places and",
    "words with a meaning for finding_terms.py are kept, all others are made up.",
    "half: by the digests of the pair, as in bench/finding_pairs.py.",
]


class Worded(NamedTuple):
    label: str
    half: str
    part: str
    one: Finding
    other: Finding


def worded() -> list[Worded]:
    """Every labelled pair, decided by nothing but this repository."""
    rows = json.loads(WORDS.read_text("utf-8"))["pairs"]
    return [
        Worded(label, of, part, _finding(where, one), _finding(later_where, other))
        for label, of, part, where, one, later_where, other in rows
    ]


def _finding(location: str, text: str) -> Finding:
    return Finding(Severity.WARNING, text, location=location)


class Disguise:
    """Made-up words, numbered as they come."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.kept = special_words()

    def finding(self, finding: Finding) -> Finding:
        text, where = finding.text[:TEXT_CHARS], finding.location[:TEXT_CHARS]
        return replace(_finding(self.said(where), self.said(text)), quote="")

    def said(self, text: str) -> str:
        return _RUN.sub(self._word, text)

    def _word(self, found: re.Match[str]) -> str:
        word, text = found[0], found.string
        before, after = text[: found.start()][-1:], text[found.end() :][:2]
        is_id = len(word) <= SHORT and bool(re.match(r"-?\d", after))
        is_ending = before == "." and len(word) <= SHORT + 1 and not after[:1].isalnum()
        lower = word.lower()
        if len(word) == 1 or is_id or is_ending or stem(lower) in self.kept or lower in self.kept:
            return word
        return _in_case(self._made_up(stem(lower)) + lower[len(stem(lower)) :], word)

    def _made_up(self, of: str) -> str:
        if of not in self.known:
            self.known[of] = _numbered(len(self.known))
        return self.known[of]


def _in_case(made: str, word: str) -> str:
    if word.isupper():
        return made.upper()
    return made.capitalize() if word[0].isupper() else made


def _numbered(number: int) -> str:
    """Five letters at least, so that none is taken for the prefix of an id; no two alike last."""
    size, digits = len(LETTERS), ""
    while number or len(digits) < SHORT:
        number, at = divmod(number, size)
        digits = LETTERS[at] + digits
    return digits + LETTERS[(LETTERS.index(digits[-1]) + 1) % size]


def disguised(histories: dict[str, str], rows: Sequence[Pair]) -> list[list[str]]:
    disguise = Disguise()
    made: list[list[str]] = []
    for row in rows:
        if not is_there(row, histories):
            continue
        one, other = (
            disguise.finding(finding_at(histories[row.feature], line))
            for line in (row.line, row.later_line)
        )
        of = half(row.digest, row.later_digest)
        made.append([row.label, of, row.part, one.location, one.text, other.location, other.text])
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the labelled pairs without their words.")
    parser.add_argument("folder", type=Path, help="it has features/*/.review-history.md")
    given = parser.parse_args(arguments)
    rows = disguised(load(given.folder), pairs())
    columns = ["label", "half", "part", "location", "one", "later_location", "other"]
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    head = f' "about": {json.dumps(_ABOUT, indent=2)},\n "columns": {json.dumps(columns)},'
    WORDS.write_text(f'{{\n{head}\n "pairs": [\n{lines}\n ]\n}}\n', "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
