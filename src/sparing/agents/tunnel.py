"""The only way out for a sandboxed client: to the hosts of its provider, and nowhere else.

The sandbox lets a client reach one port of this machine and no name server. That port is served
here: the client asks for a host by name, is connected if the host is on the list, and is refused
otherwise. The traffic is encrypted end to end and can't be read here, except for the name of the
server in its first message, which must be the host that was asked for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from sparing.agents.server_name import (
    HANDSHAKE,
    NOT_ENCRYPTED,
    RECORD_HEAD,
    NotAHello,
    may_be_hello,
    missing_bytes,
    server_name,
)
from sparing.agents.turn_server import TurnServer

HEAD_LIMIT = 16 * 1024
PIECE = 64 * 1024
PATIENCE_SECONDS = 30.0
MOST_RECORDS = 32
"""Records that are not encrypted: real clients send three or four."""
TLS_PORT = 443
_NAME = r"(?P<host>[A-Za-z0-9.-]{1,253})"
_CONNECT = re.compile(rf"CONNECT {_NAME}:(?P<port>\d{{1,5}}) HTTP/1\.[01]")
_PLAIN = re.compile(rf"(?:GET|HEAD|POST) http://{_NAME}(?::(?P<port>\d{{1,5}}))?/\S* HTTP/1\.[01]")


class OtherServer(Exception):
    """A client asked for a host on the list, and then for this one."""


class Host(NamedTuple):
    name: str
    port: int = TLS_PORT


class Tunnel(TurnServer):
    """Use as `async with Tunnel(hosts) as tunnel`; then `tunnel.url` is a proxy for them."""

    def __init__(self, hosts: Iterable[Host], upstream: str = "", *, plain: bool = False) -> None:
        super().__init__(HEAD_LIMIT)
        self._hosts = frozenset(hosts)
        self._upstream = upstream
        """The user's own proxy, if there is one."""
        self._plain = plain
        """Whether unencrypted traffic is let through too."""
        self.refused: list[str] = []
        """Hosts that were requested but are not on the list."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line = head.partition("\r\n")[0]
            asked = _CONNECT.fullmatch(line)
            plain = _PLAIN.fullmatch(line) if self._plain and not self._upstream else None
            host = _host(asked or plain)
            if host is None or host not in self._hosts:
                self.refused.append(line[:200])
                writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
                await writer.drain()
                return
            there = await self._reach(host)
        if plain:
            # What follows on this line goes to the same host, whatever it asks for.
            there[1].write(head.encode("latin-1"))
        else:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pour(there[0], writer))
                group.create_task(self._send(reader, there[1], None if plain else host))
        except* OtherServer as others:
            self.refused += (f"CONNECT {one}:{host.port} HTTP/1.1" for one in others.exceptions)
        except* NotAHello:
            self.refused.append(line[:200])
        finally:
            there[1].close()

    async def _send(
        self, reader: asyncio.StreamReader, sink: asyncio.StreamWriter, host: Host | None
    ) -> None:
        """Send what the client says, and first make sure that it says it to that host."""
        with suppress(OSError):
            if host is not None and not _is_address(host.name):
                hello = await _checked_hello(reader, host)
                sink.write(hello)
                if hello[:1] == bytes([HANDSHAKE]):
                    await _pass_unencrypted(reader, sink, host)
            await _pour(reader, sink)

    async def _reach(self, host: Host) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not self._upstream:
            return await asyncio.open_connection(host.name, host.port)
        proxy = urlsplit(self._upstream)
        there = await asyncio.open_connection(proxy.hostname, proxy.port or 80, limit=HEAD_LIMIT)
        name = f"{host.name}:{host.port}"
        there[1].write(f"CONNECT {name} HTTP/1.1\r\nhost: {name}\r\n\r\n".encode())
        answer = await there[0].readuntil(b"\r\n\r\n")
        if b" 200 " not in answer.partition(b"\r\n")[0]:
            there[1].close()
            raise ConnectionError("the user's proxy refuses")
        return there


def _host(asked: re.Match[str] | None) -> Host | None:
    return Host(asked["host"].lower(), int(asked["port"] or 80)) if asked else None


def way_out(base_url: str, more: Iterable[str] = ()) -> frozenset[Host]:
    """The hosts that a client of this address must reach; none if it is on this machine."""
    address = urlsplit(base_url)
    if address.scheme == "http":
        return frozenset()
    own = Host((address.hostname or "").lower(), address.port or TLS_PORT)
    return frozenset({own, *map(Host, more)})


async def _checked_hello(reader: asyncio.StreamReader, host: Host) -> bytes:
    """The first bytes of a connection, if it is unencrypted or meant for this host."""
    begun = await reader.read(1)
    if begun[:1] != bytes([HANDSHAKE]) and host.port != TLS_PORT:
        return begun
    while begun and (missing := missing_bytes(begun)):
        piece = await reader.read(missing)
        if not piece:
            raise NotAHello
        begun += piece
    if begun:
        _check_name(begun, host)
    return begun


def _check_name(hello: bytes, host: Host) -> None:
    if (name := server_name(hello)) != host.name:
        raise OtherServer(name) if name else NotAHello


async def _pass_unencrypted(
    reader: asyncio.StreamReader, sink: asyncio.StreamWriter, host: Host
) -> None:
    """Pass on what follows the first message, up to where no other server can be named any more."""
    for _ in range(MOST_RECORDS):
        record = await reader.read(1)
        if not record or record[0] not in NOT_ENCRYPTED:
            sink.write(record)
            return
        try:
            record += await reader.readexactly(RECORD_HEAD - 1)
            record += await reader.readexactly(int.from_bytes(record[-2:]))
        except asyncio.IncompleteReadError:
            return
        if record[0] == HANDSHAKE:
            if not may_be_hello(record[RECORD_HEAD:]):
                sink.write(record)
                return
            _check_name(record, host)
        sink.write(record)
        await sink.drain()
    raise NotAHello


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


async def _pour(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(PIECE):
            sink.write(piece)
            await sink.drain()
    with suppress(OSError):
        sink.write_eof()
