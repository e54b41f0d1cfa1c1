"""What an agent finds on this machine during a turn: its provider, and tools of ours.

One port, for one turn. Every path begins with a secret that only the agent knows; any request
without it is rejected.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from contextlib import suppress

from sparing.agents.acp.relay import AgentGone, Asked, Heard, Relay
from sparing.agents.acp.tool_calls import ToolCalls
from sparing.agents.turn_server import TurnServer

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 256 * 1024 * 1024
PATIENCE_SECONDS = 60.0
TOOLS, MODEL = "/tools", "/model"


class LoopbackServer(TurnServer):
    def __init__(self, relay: Relay, tools: ToolCalls) -> None:
        super().__init__(HEAD_LIMIT)
        self._relay, self._tools = relay, tools
        self._word = secrets.token_urlsafe(24)

    async def __aexit__(self, *gone: object) -> None:
        self._relay.close()
        await super().__aexit__(*gone)

    @property
    def word(self) -> str:
        """The secret that the agent uses in place of a key."""
        return self._word

    @property
    def tools(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self._word}{TOOLS}"

    @property
    def model(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self._word}{MODEL}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(AgentGone, ValueError):
            await self._answer(reader, writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await _read(reader)
        word, _, rest = asked.path.removeprefix("/").partition("/")
        path = f"/{rest}"
        if not hmac.compare_digest(word.encode(), self._word.encode()):
            await _say(writer, 403, b"")
        elif path == TOOLS:
            await self._call_tool(asked, writer)
        elif path.startswith(f"{MODEL}/"):
            answer = _Passed(writer)
            await self._relay.ask(
                asked._replace(path=path.removeprefix(MODEL)), answer.begin, answer.give
            )
            await answer.end()
        else:
            await _say(writer, 404, b"")

    async def _call_tool(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        if asked.method != "POST":
            await _say(writer, 405, b"")  # there is no stream to listen to
            return
        answer = await self._tools.answer(asked.body)
        if answer is None:
            await _say(writer, 202, b"")
        else:
            await _say(writer, 200, json.dumps(answer).encode())


class _Passed:
    """An answer that is forwarded in chunks, as it arrives."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def begin(self, heard: Heard) -> None:
        head = f"HTTP/1.1 {heard.status} Passed on\r\ncontent-type: {heard.kind}\r\n"
        self._writer.write(f"{head}transfer-encoding: chunked\r\n{CLOSING}".encode("latin-1"))
        await self._writer.drain()

    async def give(self, piece: bytes) -> None:
        if piece:
            self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()


CLOSING = "connection: close\r\n\r\n"


async def _say(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    head = f"HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: {len(body)}\r\n{CLOSING}".encode() + body)
    await writer.drain()


async def _read(reader: asyncio.StreamReader) -> Asked:
    async with asyncio.timeout(PATIENCE_SECONDS):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if "chunked" in headers.get("transfer-encoding", ""):
            body = await _chunks(reader)
        else:
            body = await reader.readexactly(_size(headers.get("content-length", "0"), 10))
        return Asked(method, path, headers, body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := _size((await reader.readuntil(b"\r\n")).partition(b";")[0].decode(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
        _size(f"{len(body)}", 10)
    await reader.readuntil(b"\r\n")
    return bytes(body)


def _size(text: str, base: int) -> int:
    size = int(text.strip(), base)
    if not 0 <= size <= BODY_LIMIT:
        raise ValueError("a body of an impossible size")
    return size
