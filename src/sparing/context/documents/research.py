"""What the researchers bring back: findings with sources, as a document for an author.

A reply is untrusted text. Findings without a source are dropped, each stays on one line, and long
ones are cut; an author is never given a reply verbatim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from sparing.context.sheet.source_locations import NamedFact, finding_sources

KEYS = ("findings", "no_findings_reason")
MOST_FINDINGS = 15
LONGEST = 600
_TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "finding": _TEXT,
                    "source": _TEXT,
                    "answers": _TEXT,
                    "relevance": _TEXT,
                },
                "required": ["finding", "source", "relevance"],
                "additionalProperties": False,
            },
        },
        "no_findings_reason": _TEXT,
    },
    "required": ["findings", "no_findings_reason"],
    "additionalProperties": False,
}


class ResearchReport(NamedTuple):
    text: str
    """The findings as a document; empty if an author could use none."""
    findings: int
    words: str
    """The result, in one line."""
    named: tuple[NamedFact, ...] = ()
    """The places in the code that the findings name as their sources."""


def read_findings(reply: Mapping[str, Any]) -> ResearchReport:
    listed = list(_entries(reply.get("findings")))
    kept = [one for one in listed if one.finding and one.source]
    lines = [_line(one) for one in kept[:MOST_FINDINGS]]
    if not lines:
        reason = _words(reply.get("no_findings_reason"))
        return ResearchReport("", 0, f"nothing found{f': {reason}' if reason else ''}")
    count = f"{len(lines)} finding{'' if len(lines) == 1 else 's'}"
    left = len(listed) - len(lines)
    more = f", {left} left out (no source, or too many)" if left else ""
    return ResearchReport("".join(lines), len(lines), count + more, finding_sources(reply))


class _Entry(NamedTuple):
    finding: str
    source: str
    relevance: str


def _entries(value: object) -> Iterator[_Entry]:
    for one in cast("list[object]", value) if isinstance(value, list) else []:
        if isinstance(one, dict):
            found = cast("dict[str, object]", one)
            names = ("finding", "source", "relevance")
            yield _Entry(*(_words(found.get(name)) for name in names))


def _line(one: _Entry) -> str:
    means = f" For this feature: {one.relevance}" if one.relevance else ""
    return f"- {one.finding} (source: {one.source}){means}\n"


def _words(value: object) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
