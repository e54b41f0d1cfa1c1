"""A prompt as a page: its blocks with borders, sizes, hashes, and cache marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.segment import Segment

WIDTH = 100
SHOWN_HASH = 12


@dataclass(frozen=True, slots=True)
class PromptPage:
    facts: Mapping[str, str]
    """Role, stage, iteration, way, order and the like, in the order they are shown."""
    system: Segment
    segments: tuple[Segment, ...]
    trunk: int
    """Number of blocks shared with other dispatches."""
    trunk_key: str
    schema: str = ""
    """Digest of the output schema; empty for free text."""

    @property
    def chars(self) -> int:
        return sum(len(segment.text) for segment in self.segments)

    @property
    def tokens(self) -> int:
        return sum(segment.tokens for segment in self.segments)


def prompt_text(page: PromptPage, *, system: bool = False, width: int = WIDTH) -> str:
    """For a terminal; the system prompt is named, and shown if wanted."""
    parts = [*_head(page)]
    if system:
        parts += [_border("system", page.system, "", width), _body(page.system)]
    for number, segment in enumerate(page.segments, 1):
        trunk = "trunk" if number <= page.trunk else ""
        parts += [_border(f"{number} {segment.name}", segment, trunk, width), _body(segment)]
        if segment.mark:
            parts.append(_line("mark: a cache entry ends here", "═", width))
    return "\n".join((*parts, _line("", "─", width), ""))


def prompt_json(page: PromptPage) -> JsonObject:
    return {
        **page.facts,
        "chars": page.chars,
        "tokens": page.tokens,
        "origin": "estimated",
        "trunk_blocks": page.trunk,
        "trunk_key": page.trunk_key,
        "schema": page.schema,
        "system": {"hash": page.system.digest, "text": page.system.text},
        "blocks": [
            {
                "name": segment.name,
                "chars": len(segment.text),
                "tokens": segment.tokens,
                "hash": segment.digest,
                "volatility": segment.volatility.name.lower(),
                "trunk": number < page.trunk,
                "mark": segment.mark,
                "text": segment.text,
            }
            for number, segment in enumerate(page.segments)
        ],
    }


def _head(page: PromptPage) -> list[str]:
    shared = f"the first {page.trunk} shared" if page.trunk else "none shared"
    schema = page.schema[:SHOWN_HASH] or "none, free text"
    return [
        " · ".join(f"{name} {value}" for name, value in page.facts.items() if value),
        f"{len(page.segments)} blocks, {page.chars:,} characters, about {page.tokens:,} tokens"
        f" (estimated); {shared}",
        f"trunk key {page.trunk_key[:SHOWN_HASH]} · system {page.system.digest[:SHOWN_HASH]}"
        f" ({len(page.system.text):,} characters) · schema {schema}",
        "",
    ]


def _border(name: str, segment: Segment, trunk: str, width: int) -> str:
    size = f"{len(segment.text):,} characters, about {segment.tokens:,} tokens"
    facts = (name, size, segment.volatility.name.lower(), segment.digest[:SHOWN_HASH], trunk)
    return _line(_shown(" · ".join(fact for fact in facts if fact)), "─", width)


def _body(segment: Segment) -> str:
    return _shown(segment.text.removesuffix("\n"))


def _shown(text: str) -> str:
    """Keep others' text from moving the cursor or hiding a line; JSON has it unchanged."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def _line(text: str, stroke: str, width: int) -> str:
    said = f"{stroke * 2} {text} " if text else ""
    return said + stroke * max(2, width - len(said))
