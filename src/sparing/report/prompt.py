"""A prompt as a page: its blocks with borders, sizes, hashes, and cache marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sparing.codec import JsonObject
from sparing.report.plain_words import session_words
from sparing.segment import Segment, Volatility

WIDTH = 100
SHOWN_HASH = 12
CHANGES = {
    Volatility.FEATURE: "same for the feature",
    Volatility.STAGE: "same for the stage",
    Volatility.ROLE: "same for the role",
    Volatility.ITERATION: "new in this turn",
}


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
    """For a terminal; the system prompt is named, and shown if wanted. Ways and trunks, which only
    Sparing's own code talks about, are put into plain words; JSON has their names."""
    parts = [*_head(page)]
    if system:
        parts += [_border("system", page.system, "", width), _body(page.system)]
    for number, segment in enumerate(page.segments, 1):
        shared = "shared" if number <= page.trunk else ""
        parts += [_border(f"{number} {segment.name}", segment, shared, width), _body(segment)]
        if segment.mark:
            parts.append(_line("cached up to here", "═", width))
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
    shared = f"first {page.trunk} shared with other roles" if page.trunk else "none shared"
    schema = page.schema[:SHOWN_HASH] or "none, free text"
    blocks = "1 block" if len(page.segments) == 1 else f"{len(page.segments)} blocks"
    return [
        " · ".join(_fact(name, value) for name, value in page.facts.items() if value),
        f"{blocks} ({shared}), {page.chars:,} characters, about {page.tokens:,} tokens (estimated)",
        f"system prompt {page.system.digest[:SHOWN_HASH]} ({len(page.system.text):,} characters)"
        f" · reply schema {schema} · cache group {page.trunk_key[:SHOWN_HASH]}",
        "",
    ]


def _fact(name: str, value: str) -> str:
    match name:
        case "way":
            return f"{session_words(value)} (--way {value})"
        case "order":
            return f"--order {value}"
        case "state":
            return value
        case _:
            return f"{name} {value}"


def _border(name: str, segment: Segment, shared: str, width: int) -> str:
    size = f"{len(segment.text):,} characters, about {segment.tokens:,} tokens"
    facts = (name, size, CHANGES[segment.volatility], shared, segment.digest[:SHOWN_HASH])
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
