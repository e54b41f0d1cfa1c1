"""Questions and a person's answers, as the document that the author gets."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ASKED = re.compile(r"(?:^Question: .*\n)+^Answer: ", re.MULTILINE)


def answers_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Each question with its answer; questions with the same answer are grouped."""
    told: list[str] = []
    for answer in dict.fromkeys(said for _, said in pairs):
        questions = [asked for asked, said in pairs if said == answer]
        told.append("".join(f"Question: {_line(one)}\n" for one in questions) + _said(answer))
    return "\n".join(told)


def answers_alone(text: str) -> str:
    """What was answered, one after the other and without the questions; other text as it is."""
    parts = _ASKED.split(text)
    return "; ".join(map(_line, parts[1:])) if len(parts) > 1 and not parts[0] else text


def _said(answer: str) -> str:
    return f"Answer: {answer.strip()}\n"


def _line(text: str) -> str:
    return " ".join(text.split())
