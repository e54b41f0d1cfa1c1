"""A second meter: bills a log of requests once more, with none of the double's code for it.

It goes by what the vendor has published: entries end at marks and are known by everything before
them; a mark finds the longest entry at most twenty steps back that is alive and whose answer had
begun; a hit renews what it read; what lies between the hit and a mark is written for the mark's
life; the rest is sent in the open. Four characters are a token.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from sparing.usage import Usage

SECONDS = {"5m": 300.0, "1h": 3600.0}
STEPS_BACK = 20
LEAST_TOKENS = 1024
_MESSAGE_FIELDS = ("tool_choice", "thinking", "effort", "output_config")


class Piece(NamedTuple):
    """The prompt up to and with one block."""

    key: str
    tokens: int
    step: int
    mark: str


class Kept(NamedTuple):
    ready: float
    until: float
    life: str


def bill_log(records: Iterable[dict[str, Any]]) -> Usage:
    kept: dict[str, Kept] = {}
    whole = Usage()
    for record in records:
        at, ready = float(record["at"]), float(record["ready_at"])
        whole += _bill(kept, list(_pieces(record["request"])), at, ready, record["bill"]["output"])
    return whole


def _bill(
    kept: dict[str, Kept], pieces: list[Piece], at: float, ready: float, output: int
) -> Usage:
    marks = [one for one in pieces if one.mark and one.tokens >= LEAST_TOKENS]
    hit = max(
        (
            one
            for mark in marks
            for one in pieces
            if 0 <= mark.step - one.step < STEPS_BACK and _alive(kept, one.key, at)
        ),
        key=lambda one: one.tokens,
        default=None,
    )
    read = hit.tokens if hit else 0
    if hit:
        _renew(kept, hit.key, at)
    written, before = dict.fromkeys(SECONDS, 0), read
    for mark in marks:
        if mark.tokens <= read:
            _renew(kept, mark.key, at)
            continue
        written[mark.mark] += mark.tokens - before
        before = mark.tokens
        kept[mark.key] = Kept(ready, at + SECONDS[mark.mark], mark.mark)
    return Usage(
        uncached=pieces[-1].tokens - before,
        read=read,
        write_5m=written["5m"],
        write_1h=written["1h"],
        output=output,
    )


def _alive(kept: dict[str, Kept], key: str, at: float) -> bool:
    found = kept.get(key)
    return found is not None and found.ready <= at < found.until


def _renew(kept: dict[str, Kept], key: str, at: float) -> None:
    found = kept.get(key)
    if found is not None:
        kept[key] = found._replace(until=max(found.until, at + SECONDS[found.life]))


def _pieces(body: dict[str, Any]) -> Iterator[Piece]:
    digest, tokens, step = hashlib.sha256(str(body["model"]).encode()), 0, 0
    frame = json.dumps([body.get(name) for name in _MESSAGE_FIELDS])
    before = ""
    for part, block in _blocks(body):
        own = json.dumps(_bare(block), sort_keys=part == "messages")
        digest.update(f"{part}{frame if part != 'tools' else ''}{own}".encode())
        tokens += _tokens(block)
        run = f"{part}{block.get('type')}"
        step += not (run == before and block.get("type") in ("tool_use", "tool_result"))
        before = run
        mark = block.get("cache_control")
        yield Piece(digest.hexdigest(), tokens, step, mark.get("ttl", "5m") if mark else "")


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in body.get("tools") or ():
        yield "tools", tool
    system = body.get("system") or ()
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield "system", block
    for number, message in enumerate(body["messages"]):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            yield f"{number}{message['role']}", block


def _bare(block: Any) -> Any:
    if isinstance(block, dict):
        fields = cast("dict[str, Any]", block)
        return {name: _bare(value) for name, value in fields.items() if name != "cache_control"}
    return [_bare(one) for one in cast("list[Any]", block)] if isinstance(block, list) else block


def _tokens(block: dict[str, Any]) -> int:
    match block.get("type"):
        case "text":
            text = block["text"]
        case "tool_use":
            text = block["name"] + json.dumps(block["input"], separators=(",", ":"))
        case "tool_result":
            inner = block.get("content") or ""
            if not isinstance(inner, str):
                return max(1, sum(_tokens(one) for one in inner))
            text = inner
        case _:
            text = json.dumps(_bare(block), separators=(",", ":"))
    return max(1, -(-len(text) // 4))
