"""Findings as lines that an agent reads: in full to settle them, in short to know them by."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sparing.context.prompt.brief import QuotedFinding

SENTENCE_CHARS = 240
_SENTENCE = re.compile(r".{12,}?[.!?](?= |$)")


def finding_list(found: Sequence[QuotedFinding]) -> str:
    """One line a finding, with what it is known by."""
    return "".join(f"- {_finding(one)}\n" for one in found)


def short_list(found: Sequence[QuotedFinding]) -> str:
    """Enough to know each by: severity, role, place and its first sentence."""
    return "".join(f"- {_head(one)}: {_first_sentence(one.text)}\n" for one in found)


def _finding(one: QuotedFinding) -> str:
    line = f" Quoted: {one.quote}" if one.quote.strip() else ""
    advice = f" Suggested: {one.suggestion}" if one.suggestion.strip() else ""
    return " ".join(f"{_head(one)}: {one.text}{line}{advice}".split())


def _head(one: QuotedFinding) -> str:
    parts = (one.severity, one.category, one.role, one.location)
    return " ".join(f"`{one.id}` {', '.join(part for part in parts if part.strip())}".split())


def _first_sentence(text: str) -> str:
    """Long ones end early."""
    said = " ".join(text.split())
    first = _SENTENCE.match(said)
    short = first[0] if first else said
    return short if len(short) <= SENTENCE_CHARS else f"{short[: SENTENCE_CHARS - 1]}…"
