"""Sending an answer over the line, whole or as badly as a step of the plan wants it.

Without such a step an answer is one write, and nothing here ever waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import NamedTuple

from sparing.double.answer import ModelAnswer, event, events, message
from sparing.double.plan import PlannedReply
from sparing.double.request import JsonObject
from sparing.double.wire import LAST_CHUNK, Line, chunk, response_head
from sparing.usage import Usage


class Body(NamedTuple):
    data: bytes
    stream: bool

    @property
    def headers(self) -> dict[str, str]:
        if self.stream:
            kind = "text/event-stream; charset=utf-8"
            return {
                "content-type": kind,
                "cache-control": "no-cache",
                "transfer-encoding": "chunked",
            }
        return {"content-type": "application/json", "content-length": str(len(self.data))}

    def framed(self, piece: bytes) -> bytes:
        return chunk(piece) if self.stream and piece else piece

    @property
    def end(self) -> bytes:
        return LAST_CHUNK if self.stream else b""


def body_of(answer: ModelAnswer, usage: Usage, step: PlannedReply, *, stream: bool) -> Body:
    if not stream:
        return json_body(message(answer, usage))
    parts = events(answer, usage)
    if step.sse_error:
        error = {"type": step.sse_error, "message": step.message}
        parts = [*parts[: step.sse_events], event("error", error=error)]
    return Body(b"".join(parts), stream=True)


def json_body(value: JsonObject) -> Body:
    return Body(json.dumps(value, separators=(",", ":")).encode(), stream=False)


async def deliver(
    line: Line, body: Body, step: PlannedReply, headers: Mapping[str, str], *, status: int = 200
) -> bool:
    """Send the response; return whether the connection can be reused."""
    head = response_head(status, {**body.headers, **headers, **step.headers})
    ends = [end for end in (step.cut, step.stall) if end is not None]
    if not ends and step.drip_bytes is None:
        await line.send(head, body.framed(body.data), body.end)
        return True
    await line.send(head)
    await _drip(line, body, body.data[: min(ends, default=len(body.data))], step)
    if step.stall is not None:
        await line.left()
    elif step.cut is None:
        await line.send(body.end)
        return True
    return False


async def _drip(line: Line, body: Body, data: bytes, step: PlannedReply) -> None:
    size = step.drip_bytes or max(1, len(data))
    for start in range(0, len(data), size):
        if start:
            await asyncio.sleep(step.drip_seconds)
        await line.send(body.framed(data[start : start + size]))
