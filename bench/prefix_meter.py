"""A second meter for providers that cache without marks: bills a log of requests once more, with
none of the double's code for it.

It goes by what vendors have published: of a prompt, the longest beginning that an earlier request
had is read, in whole steps of 128 tokens and from 1,024 tokens on (2,048 with Gemini), if it was
used in the last five minutes and its answer had begun; nothing is charged for writing. What a
request says is taken from its JSON, without ids: a little longer than the double's own count.
Four characters are a token.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from sparing.usage import Usage

STEP_CHARS = 4 * 128
LIFE_SECONDS = 300.0
LEAST_CHARS, LEAST_GEMINI_CHARS = 4 * 1_024, 4 * 2_048
ORDER = (
    ("tools", "tool_config", "toolConfig", "response_format", "text"),
    ("instructions", "systemInstruction", "system_instruction"),
    ("input", "messages", "contents"),
)
"""The parts of a request as a provider reads them, by any of their names."""
IDS = frozenset({"id", "call_id", "tool_call_id", "thoughtSignature", "encrypted_content"})


class Seen(NamedTuple):
    prompt: str
    model: str
    ready: float
    used: float


def bill_prefixes(records: Iterable[dict[str, Any]]) -> Usage:
    seen: list[Seen] = []
    whole = Usage()
    for record in records:
        at, path, body = float(record["at"]), str(record["path"]), record["request"]
        gemini = "generateContent" in path or "GenerateContent" in path
        least = LEAST_GEMINI_CHARS if gemini else LEAST_CHARS
        prompt, model = prompt_of(body), str(body.get("model", path))
        seen = [one for one in seen if at < one.used + LIFE_SECONDS]
        known = [one for one in seen if one.ready <= at and one.model == model]
        shared = [_alike(prompt, one.prompt) for one in known]
        read = max(shared, default=0) // STEP_CHARS * STEP_CHARS
        read = read if read >= least else 0
        for one, length in zip(known, shared, strict=True):
            if read and length // STEP_CHARS * STEP_CHARS >= read:
                seen[seen.index(one)] = one._replace(used=at)
        seen.append(Seen(prompt, model, float(record["ready_at"]), at))
        total = -(-len(prompt) // 4)
        whole += Usage(
            uncached=total - read // 4, read=read // 4, output=int(record["bill"]["output"])
        )
    return whole


def prompt_of(body: Mapping[str, Any]) -> str:
    parts = [_bare(body[name]) for names in ORDER for name in names if name in body]
    return "\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in parts)


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _bare(one) for name, one in fields.items() if name not in IDS}
    return [_bare(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def _alike(one: str, other: str) -> int:
    """How long their common beginning is."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low
