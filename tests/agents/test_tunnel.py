"""The tunnel lets through to the hosts on its list, and to nobody else.

Covers: G4, H6
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from sparing.agents.tunnel import Host, Tunnel, way_out


@asynccontextmanager
async def echoing() -> AsyncGenerator[int]:
    """A host that says everything twice."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data + data)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def ask(url: str, head: str, more: bytes = b"") -> tuple[str, bytes]:
    """The status line, and what comes after the head."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(head.encode() + b"\r\n\r\n")
    answer = await reader.readuntil(b"\r\n\r\n")
    if more:
        writer.write(more)
        writer.write_eof()
    rest = await reader.read()
    writer.close()
    return answer.decode().partition("\r\n")[0], rest


def test_through_to_a_host_on_the_list() -> None:
    async def tried(upstream: bool) -> tuple[str, bytes]:
        async with echoing() as port:
            hosts = [Host("127.0.0.1", port)]
            line = f"CONNECT 127.0.0.1:{port} HTTP/1.1"
            async with Tunnel(hosts) as outer:
                if not upstream:
                    return await ask(outer.url, line, b"hello")
                async with Tunnel(hosts, outer.url) as inner:
                    return await ask(inner.url, line, b"hello")

    for upstream in (False, True):
        status, said = asyncio.run(tried(upstream))
        assert (status.split()[1], said) == ("200", b"hellohello")


@pytest.mark.parametrize(
    "line",
    [
        "CONNECT example.org:443 HTTP/1.1",
        "CONNECT api.example.com:80 HTTP/1.1",
        "CONNECT api.example.com.evil.org:443 HTTP/1.1",
        "GET http://api.example.com/ HTTP/1.1",
        "CONNECT [::1]:443 HTTP/1.1",
        "nonsense",
    ],
)
def test_everybody_else_is_refused(line: str) -> None:
    async def tried() -> tuple[str, list[str]]:
        async with Tunnel([Host("api.example.com")]) as tunnel:
            status, _ = await ask(tunnel.url, line)
            return status, tunnel.refused

    assert asyncio.run(tried()) == ("HTTP/1.1 403 Forbidden", [line])


def test_a_host_that_is_not_there_ends_the_connection() -> None:
    async def tried() -> bytes:
        async with echoing() as port:
            pass
        async with Tunnel([Host("127.0.0.1", port)]) as tunnel:
            address = urlsplit(tunnel.url)
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
            said = await reader.read()
            writer.close()
            return said

    assert asyncio.run(tried()) == b""


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://127.0.0.1:8080", set[Host]()),
        ("https://API.example.com", {Host("api.example.com", 443)}),
        ("https://gateway.example.com:8443/v1", {Host("gateway.example.com", 8443)}),
    ],
)
def test_who_must_be_reached(url: str, hosts: set[Host]) -> None:
    assert way_out(url) == hosts
    more = way_out(url, ["login.example.com"])
    assert more == (hosts | {Host("login.example.com")} if hosts else set())
