"""Questions and a person's answers, as the document that the author gets."""

from __future__ import annotations

from collections.abc import Sequence


def answers_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Each question with its answer; questions with the same answer are grouped."""
    told: list[str] = []
    for answer in dict.fromkeys(said for _, said in pairs):
        questions = [asked for asked, said in pairs if said == answer]
        told.append("".join(f"Question: {_line(one)}\n" for one in questions) + _said(answer))
    return "\n".join(told)


def _said(answer: str) -> str:
    return f"Answer: {answer.strip()}\n"


def _line(text: str) -> str:
    return " ".join(text.split())
