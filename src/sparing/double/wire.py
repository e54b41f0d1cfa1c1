"""Just enough HTTP/1.1 for clients on this machine, over asyncio's streams.

No library is used because the double must be able to stop at any byte, hold an answer back and
leave a stream open. Input is bounded in size before it is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from sparing.double.refusal import Refusal

HEAD_LIMIT = 64 * 1024
_PIECE = 64 * 1024


class HttpRequest(NamedTuple):
    method: str
    path: str
    """Without its query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""


class Line:
    """One connection with a client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self, largest: int) -> HttpRequest | None:
        """The next request; None when the client has left."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError:
            raise Refusal(400, f"the head of a request has at most {HEAD_LIMIT} bytes") from None
        request = _head(head)
        if request.headers.get("expect", "").lower() == "100-continue":
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return request._replace(body=await self._body(request.headers, largest))

    async def send(self, *pieces: bytes) -> None:
        self._writer.write(b"".join(pieces))
        await self._writer.drain()

    async def left(self) -> None:
        """Returns when the client has closed its side."""
        with suppress(ConnectionError):
            while await self._reader.read(_PIECE):
                pass

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _body(self, headers: Mapping[str, str], largest: int) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunks(largest)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            raise Refusal(400, "content-length: not a number")
        if int(length) > largest:
            await self._discard(min(int(length), 4 * largest))
            raise _too_large(largest)
        return await self._reader.readexactly(int(length))

    async def _chunks(self, largest: int) -> bytes:
        body = bytearray()
        while size := _chunk_size(await self._reader.readline()):
            if len(body) + size > largest:
                raise _too_large(largest)
            body += await self._reader.readexactly(size)
            await self._reader.readline()
        while (await self._reader.readline()).strip():
            pass
        return bytes(body)

    async def _discard(self, count: int) -> None:
        """A client that is still writing would not read the refusal."""
        while count > 0 and (piece := await self._reader.read(min(count, _PIECE))):
            count -= len(piece)


def response_head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Overloaded"
    lines = [
        f"HTTP/1.1 {status} {phrase}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"


def _too_large(largest: int) -> Refusal:
    return Refusal(413, f"Request exceeds the maximum size of {largest} bytes")


def _head(head: bytes) -> HttpRequest:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise Refusal(400, "not an HTTP/1.1 request")
    headers: dict[str, str] = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        if not colon:
            raise Refusal(400, "a header line without a colon")
        headers[name.strip().lower()] = value.strip()
    return HttpRequest(words[0], words[1].partition("?")[0], headers)


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    try:
        return int(digits[:8], 16)
    except ValueError:
        raise Refusal(400, "a chunk without its size") from None
