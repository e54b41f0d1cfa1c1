"""What an author says to each finding: changed, or answered with a reason.

An author's reply is foreign text. A line that names no finding that was open is passed over, and
a finding that is not named has no answer: silence is never read as a change.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

REPLY_CHARS = 400_000
WORDS_CHARS = 2_000
_AROUND = "`*_ \t"
_AFTER_ID = ":：—–-"


class AnswerKind(StrEnum):
    CHANGED = "changed"
    ANSWERED = "answered"
    """Nothing changed, for a reason."""


class AuthorAnswer(NamedTuple):
    id: str
    kind: AnswerKind
    words: str


def read_answers(reply: str, asked: Collection[str]) -> tuple[AuthorAnswer, ...]:
    """In the order of the reply; of several answers to one finding the last counts."""
    ids = {one.lower(): one for one in asked}
    found: dict[str, AuthorAnswer] = {}
    for line in reply[:REPLY_CHARS].split("\n"):
        answer = _answer(line.strip(), ids)
        if answer is not None:
            found.pop(answer.id, None)
            found[answer.id] = answer
    return tuple(found.values())


def _answer(line: str, ids: dict[str, str]) -> AuthorAnswer | None:
    if line[:2] not in ("- ", "* ", "+ "):
        return None
    said = line[2:].lstrip(_AROUND)
    end = next((at for at, one in enumerate(said[:40]) if not (one.isalnum() or one == "-")), 0)
    known = ids.get(said[:end].rstrip("-").lower())
    rest = said[end:].strip(_AROUND + _AFTER_ID)
    kind = next((kind for kind in AnswerKind if rest.lower().startswith(kind.value)), None)
    if known is None or kind is None:
        return None
    words = rest[len(kind.value) :].strip(_AROUND + _AFTER_ID + ",.(")
    return AuthorAnswer(known, kind, words[:WORDS_CHARS])
