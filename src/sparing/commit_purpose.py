"""What a commit is for, and how a repository words its commits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sparing.turn import Turn

LONGEST = 100
ENOUGH = 3
"""With fewer commits no convention is assumed."""
BY_CODE_TURN = {
    Turn.REVISE: ("fix", "address the review"),
    Turn.REDO: ("fix", "rework the code as asked"),
    Turn.ANSWER: ("feat", "continue with the answers"),
    Turn.REPAIR_CHECKS: ("fix", "make the checks pass"),
    Turn.SIMPLIFY: ("refactor", "simplify the code"),
    Turn.DEEPEN: ("test", "extend the tests"),
    Turn.RESOLVE: ("fix", "make it fit the base branch"),
    Turn.MEND: ("fix", "meet the extended tests"),
}
"""The type and the words of a commit with code."""
BY_DOCUMENT_TURN = {
    Turn.REVISE: "revise {name} after review",
    Turn.REDO: "rework {name} as asked",
    Turn.REFINE: "bring {name} up to date",
    Turn.ANSWER: "update {name} with the answers",
}
"""The words of a commit with a document."""
_CONVENTIONAL = re.compile(r"[a-z]+(?:\([^()]+\))?!?: \S")


class Convention(StrEnum):
    CONVENTIONAL = "conventional"
    PLAIN = "plain"
    LOWER = "lower"
    """Plain, beginning with a lower-case letter."""


class Purpose(NamedTuple):
    """Why a commit is made."""

    type: str
    """As conventional commits name it: docs, feat, fix, test, refactor, chore."""
    words: str
    """In the imperative, beginning with a lower-case letter: "write spec.md"."""
    role: str = ""
    """The role of the agent whose work it is, if any."""
    note: str = ""
    """Which part of the feature it is about, if any."""

    def worded(self, form: str, feature: str, title: str) -> str:
        """The subject of its commit, in the form of a convention or by a template."""
        words = " ".join(self.words.split())
        tail = f" ({', '.join(filter(None, (feature, self.note)))})"
        match form:
            case Convention.CONVENTIONAL:
                return _cut(f"{self.type}: {words}", tail)
            case Convention.PLAIN:
                return _cut(f"{words[:1].upper()}{words[1:]}", tail)
            case Convention.LOWER:
                return _cut(words, tail)
            case _:
                known = {"type": self.type, "words": words, "feature": feature, "title": title}
                return _cut(form.format_map(known), "")


def as_words(title: str) -> str:
    """A title as the words of a purpose: "Add paging" is lowered, "HTTP proxy" is not."""
    line = " ".join(title.split())
    first = line.partition(" ")[0]
    return line if any(one.isupper() for one in first[1:]) else f"{line[:1].lower()}{line[1:]}"


def read_convention(subjects: Sequence[str]) -> Convention:
    """The convention that most of these subjects follow."""
    if len(subjects) < ENOUGH:
        return Convention.PLAIN
    conventional = sum(_CONVENTIONAL.match(one) is not None for one in subjects)
    if 2 * conventional > len(subjects):
        return Convention.CONVENTIONAL
    small = sum(one[:1].islower() for one in subjects)
    return Convention.LOWER if 2 * small > len(subjects) else Convention.PLAIN


def _cut(text: str, tail: str) -> str:
    """The subject as one short line."""
    line, room = " ".join(text.split()), LONGEST - len(tail)
    return (line if len(line) <= room else f"{line[: room - 1].rstrip()}…") + tail
