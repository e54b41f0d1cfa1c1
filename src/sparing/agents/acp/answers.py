"""What a provider's answer to one request reports: usage, why it ended, tool calls.

Read while the answer passes by, in the four formats that providers speak: Anthropic's Messages,
OpenAI's Responses, Chat Completions, and Google's. If a provider reports no usage, it is estimated
and marked as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from sparing.codec import JsonObject
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Usage

MOST_TOKENS = 1_000_000_000
MOST_BYTES = 64 * 1024 * 1024
PREFIX = b"data:"
REFUSING = frozenset({"refusal", "content_filter", "SAFETY", "PROHIBITED_CONTENT", "RECITATION"})
ENDS = ("finish_reason", "finishReason", "stop_reason", "reason")
GIVEN = ("args", "arguments", "input")


@dataclass(slots=True)
class WantedCall:
    """A tool call by the model, whether there is such a tool or not."""

    name: str
    given: str = ""


@dataclass(slots=True)
class AnswerReader:
    """Reads an answer piece by piece; its results are complete once the answer is."""

    asked: bytes
    """The request that it answers."""
    refused: bool = False
    """True if the provider did not let the model answer."""
    calls: list[WantedCall] = field(default_factory=list[WantedCall])
    _told: JsonObject = field(default_factory=dict[str, object])
    _rest: bytes = b""
    _taken: int = 0

    def take(self, piece: bytes) -> None:
        self._taken += len(piece)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(line)
        if len(self._rest) > MOST_BYTES:
            self._rest = b""

    def end(self) -> None:
        self._line(self._rest)
        self._rest = b""

    @property
    def measured(self) -> bool:
        return bool(self._told)

    @property
    def usage(self) -> Usage:
        if not self._told:
            read, said = len(self.asked) // CHARS_PER_TOKEN, self._taken // CHARS_PER_TOKEN
            return Usage(uncached=max(1, read), output=max(1, said))
        return usage_of(self._told)

    def _line(self, line: bytes) -> None:
        """An event of a stream, or a whole answer in one line."""
        text = line.strip().removeprefix(PREFIX).strip()
        if not text.startswith(b"{"):
            return
        try:
            found: object = json.loads(text)
        except (ValueError, RecursionError):
            return
        for one in _objects(found):
            self._see(one)

    def _see(self, one: JsonObject) -> None:
        for name in ("usage", "usageMetadata"):
            told = one.get(name)
            if isinstance(told, dict):
                counts = cast("JsonObject", told)
                self._told |= {key: value for key, value in counts.items() if value is not None}
        self.refused |= any(str(one.get(name)) in REFUSING for name in ENDS)
        self._call(one)

    def _call(self, one: JsonObject) -> None:
        given = next((one[name] for name in GIVEN if name in one), None)
        name = one.get("name")
        if isinstance(name, str) and given is not None:
            text = given if isinstance(given, str) else json.dumps(given)
            self.calls.append(WantedCall(name, "" if text == "{}" else text))
        elif self.calls and isinstance(more := one.get("partial_json", given), str):
            self.calls[-1].given += more


def usage_of(told: JsonObject) -> Usage:
    """A provider's counts in our buckets; all but Anthropic include cache reads in the input."""
    if "promptTokenCount" in told:
        read = _count(told, "cachedContentTokenCount")
        output = _count(told, "candidatesTokenCount") + _count(told, "thoughtsTokenCount")
        return Usage(max(0, _count(told, "promptTokenCount") - read), read, output=output)
    if "cache_read_input_tokens" in told or "cache_creation_input_tokens" in told:
        return _anthropic(told)
    kind = "prompt" if "prompt_tokens" in told else "input"
    read = _count(_within(told, f"{kind}_tokens_details"), "cached_tokens")
    output = _count(told, "completion_tokens" if kind == "prompt" else "output_tokens")
    return Usage(max(0, _count(told, f"{kind}_tokens") - read), read, output=output)


def _anthropic(told: JsonObject) -> Usage:
    written = _count(told, "cache_creation_input_tokens")
    hour = min(written, _count(_within(told, "cache_creation"), "ephemeral_1h_input_tokens"))
    return Usage(
        uncached=_count(told, "input_tokens"),
        read=_count(told, "cache_read_input_tokens"),
        write_5m=written - hour,
        write_1h=hour,
        output=_count(told, "output_tokens"),
    )


def _objects(value: object) -> Iterator[JsonObject]:
    """Every object in a JSON value, the outermost first."""
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, dict):
            found = cast("JsonObject", one)
            yield found
            waiting += found.values()
        elif isinstance(one, list):
            waiting += cast("list[object]", one)


def _within(told: JsonObject, name: str) -> JsonObject:
    value = told.get(name)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _count(told: JsonObject, name: str) -> int:
    value = told.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 < value <= MOST_TOKENS else 0
