"""From a request to what the cache sees of it: digests, tokens and marks, in order.

Tokens are the one estimate of `segment`, so figures that come from here are simulated. Where the
vendor says that something changes the rendered prompt it changes a digest here. Thinking and
effort, which on some models also change tools and system, change only the messages here: on those
models the true bill is dearer.

- The order of keys inside a tool's schema or input counts, the order of a block's own fields not.
- Speed, output format and citations are part of the system prompt; tool choice, thinking, effort
  and the presence of images are settings of the messages.
- An effort that is spelled out and equals the model's default still counts as another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from sparing import cache
from sparing.cache import CacheBlock, Life, MarkOrder, RequestPart, TooManyMarks
from sparing.double.refusal import Refusal
from sparing.double.request import (
    UNMARKED,
    JsonObject,
    ModelRequest,
    check_mark,
    is_empty_text,
    placed,
)
from sparing.double.tool_results import CALL, RESULT
from sparing.segment import estimate_tokens

IMAGE_TOKENS = 1600
"""Most tokens that an image counts for; its bytes say nothing about it."""
_PLAIN = frozenset({"type", "text", "cache_control"})
_RUNS = frozenset({CALL, RESULT})


def to_cache(asked: ModelRequest) -> cache.CacheRequest:
    """The request as the cache sees it; raises Refusal for marks that the vendor rejects."""
    blocks = tuple(_automatic(asked, list(_flat(asked))))
    try:
        return cache.CacheRequest(asked.model, blocks, _digest(_settings(asked)))
    except TooManyMarks:
        found = sum(block.mark is not None for block in blocks)
        words = f"A maximum of {cache.MOST_MARKS} blocks with cache_control may be provided."
        raise Refusal(400, f"{words} Found {found}.") from None
    except MarkOrder:
        raise Refusal(400, _late_hour(asked)) from None


def count_tokens(asked: ModelRequest) -> int:
    return sum(block_tokens(block) for _, block in placed(asked))


def block_tokens(block: JsonObject) -> int:
    """At least one: a block is never free."""
    match block.get("type"):
        case "image":
            return IMAGE_TOKENS
        case "text":
            text = str(block.get("text", ""))
        case "thinking":
            text = str(block.get("thinking", ""))
        case "tool_use":
            text = f"{block.get('name', '')}{_compact(block.get('input', {}))}"
        case "tool_result":
            return max(1, _result_tokens(block.get("content")))
        case _:
            text = _compact(_bare(block))
    return max(1, estimate_tokens(text))


def _result_tokens(content: object) -> int:
    if isinstance(content, list):
        return sum(block_tokens(item) for item in cast("list[JsonObject]", content))
    return estimate_tokens(content if isinstance(content, str) else "")


def _flat(asked: ModelRequest) -> Iterator[CacheBlock]:
    for tool in asked.tools:
        yield CacheBlock(RequestPart.TOOLS, _digest(_bare(tool)), block_tokens(tool), _life(tool))
    frame = _digest(_system_settings(asked))
    for block in asked.system:
        digest = _block_digest(frame, block)
        yield CacheBlock(RequestPart.SYSTEM, digest, block_tokens(block), _life(block))
    for message in asked.messages:
        before = ""
        for block in message.content:
            yield CacheBlock(
                RequestPart.MESSAGES,
                _block_digest(message.role, block),
                block_tokens(block),
                _life(block),
                joined=block["type"] in _RUNS and block["type"] == before,
            )
            before = block["type"]


def _automatic(asked: ModelRequest, blocks: list[CacheBlock]) -> list[CacheBlock]:
    """A mark of the request as a whole goes to the last block that may carry one."""
    mark = asked.body.get("cache_control")
    if mark is None:
        return blocks
    check_mark("cache_control", mark)
    fit = [n for n, (_, block) in enumerate(placed(asked)) if _may_carry(block)]
    if not fit:
        return blocks
    last, life = blocks[fit[-1]], _life({"cache_control": mark})
    if last.mark is not None and last.mark is not life:
        words = f"Top-level cache_control has ttl='{life}' but the target block already has"
        raise Refusal(400, f"{words} cache_control with ttl='{last.mark}'")
    blocks[fit[-1]] = replace(last, mark=life)
    return blocks


def _may_carry(block: JsonObject) -> bool:
    return block.get("type") not in UNMARKED and not is_empty_text(block)


def _late_hour(asked: ModelRequest) -> str:
    lives = [(where, life) for where, block in placed(asked) if (life := _life(block))]
    first = next(n for n, (_, life) in enumerate(lives) if life is Life.FIVE_MINUTES)
    late = (where for where, life in lives[first:] if life is Life.ONE_HOUR)
    words = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
    return f"{next(late, 'top-level')}.cache_control.ttl: {words}"


def _system_settings(asked: ModelRequest) -> list[Any]:
    body = asked.body
    return [
        body.get("speed"),
        body.get("output_format"),
        _member(body, "output_config", "format"),
        any(_member(block, "citations", "enabled") for _, block in placed(asked)),
    ]


def _settings(asked: ModelRequest) -> list[Any]:
    body = asked.body
    return [
        *_system_settings(asked),
        body.get("tool_choice"),
        body.get("thinking"),
        body.get("effort"),
        _member(body, "output_config", "effort"),
        any(_has_image(block) for _, block in placed(asked)),
    ]


def _has_image(block: JsonObject) -> bool:
    inner = block.get("content")
    parts = cast("list[JsonObject]", inner) if isinstance(inner, list) else []
    return block.get("type") == "image" or any(part.get("type") == "image" for part in parts)


def _member(value: JsonObject, name: str, key: str) -> Any:
    inner = value.get(name)
    return cast("JsonObject", inner).get(key) if isinstance(inner, dict) else None


def _life(block: JsonObject) -> Life | None:
    mark: JsonObject | None = block.get("cache_control")
    return Life(mark.get("ttl", Life.FIVE_MINUTES.value)) if mark else None


def _bare(block: JsonObject) -> JsonObject:
    """The block without marks, which are not part of what is cached; its fields are sorted."""
    bare = {key: block[key] for key in sorted(block) if key != "cache_control"}
    inner = bare.get("content")
    if isinstance(inner, list):
        bare["content"] = [_bare(item) for item in cast("list[JsonObject]", inner)]
    return bare


def _block_digest(frame: str, block: JsonObject) -> str:
    """Digest of a block in its surroundings; plain text, the usual case, is hashed directly."""
    if block["type"] == "text" and set(block) <= _PLAIN and isinstance(block.get("text"), str):
        data = f"{frame}\n{block['text']}".encode("utf-8", "surrogatepass")
        return "text " + hashlib.sha256(data).hexdigest()
    return _digest([frame, _bare(block)])


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, separators=(",", ":")).encode()).hexdigest()
