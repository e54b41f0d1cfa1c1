"""The tunnel lets through to the hosts on its list, and to nobody else.

Covers: G4, H6
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.agents.server_name import NotAHello, missing_bytes, server_name
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


def first_message(name: str | None) -> bytes:
    """What a real TLS client says first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = name is not None
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


HELLO = first_message("localhost")


def hidden_name(hello: bytes) -> bytes:
    """The same with an encrypted message inside, which names another server."""
    return with_extension(hello, b"\xfe\x0d\x00\x01\x00")


def with_extension(hello: bytes, more: bytes) -> bytes:
    session = 5 + 4 + 2 + 32
    at = session + 1 + hello[session]
    at += 2 + int.from_bytes(hello[at : at + 2])
    at += 1 + hello[at]
    extensions = (int.from_bytes(hello[at : at + 2]) + len(more)).to_bytes(2)
    body = hello[9:at] + extensions + hello[at + 2 :] + more
    message = b"\x01" + len(body).to_bytes(3) + body
    return b"\x16\x03\x01" + len(message).to_bytes(2) + message


def heard(first: bytes, *, pieces: int = 1, name: str = "localhost") -> tuple[bytes, list[str]]:
    """What comes back from a host that repeats everything, and what was refused."""

    async def tried() -> tuple[bytes, list[str]]:
        async with echoing() as port, Tunnel([Host(name, port)]) as tunnel:
            address = urlsplit(tunnel.url)
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.write(f"CONNECT {name}:{port} HTTP/1.1\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            size = -(-len(first) // pieces)
            for start in range(0, len(first), size):
                writer.write(first[start : start + size])
                await writer.drain()
                await asyncio.sleep(0.01)
            if writer.can_write_eof():
                writer.write_eof()
            said = await reader.read()
            writer.close()
            return said, [one.replace(str(port), "PORT") for one in tunnel.refused]

    return asyncio.run(tried())


@pytest.mark.parametrize("pieces", [1, 3, len(HELLO)])
def test_a_client_that_means_the_host_it_asked_for(pieces: int) -> None:
    """H9: also if its first message comes in pieces."""
    said, refused = heard(HELLO, pieces=pieces)
    assert (len(said), refused) == (2 * len(HELLO), [])


@pytest.mark.parametrize(
    ("first", "refused"),
    [
        (first_message("evil.example"), "CONNECT evil.example:PORT HTTP/1.1"),
        (first_message(None), "CONNECT localhost:PORT HTTP/1.1"),
        (hidden_name(HELLO), "CONNECT localhost:PORT HTTP/1.1"),
        (HELLO.replace(b"localhost", b"local\0ost"), "CONNECT localhost:PORT HTTP/1.1"),
        (b"\x16\x03\x01\x00\x05\x01\x00\x02\x00\x03" + HELLO, "CONNECT localhost:PORT HTTP/1.1"),
        (HELLO[:40], "CONNECT localhost:PORT HTTP/1.1"),
        (b"\x16\xff\xff\xff\xff" + HELLO, "CONNECT localhost:PORT HTTP/1.1"),
    ],
    ids=["another", "none", "hidden", "with a zero", "two", "cut off", "too long"],
)
def test_a_server_behind_the_same_address_is_refused(first: bytes, refused: str) -> None:
    """H9: another name, none, one that is hidden, one in pieces, nonsense. A machine that serves
    an allowed host may serve anybody's site, too."""
    said, told = heard(first)
    assert (said, told) == (b"", [refused])


CHANGE, ALERT = b"\x14\x03\x03\x00\x01\x01", b"\x15\x03\x03\x00\x02\x01\x5a"
KEYS, DATA = b"\x16\x03\x03\x00\x04\x10\x00\x00\x00", b"\x17\x03\x03\x00\x03abc"
EVIL = first_message("evil.example")


def in_parts(hello: bytes, size: int) -> bytes:
    """The same message in two records."""
    parts = (hello[5 : 5 + size], hello[5 + size :])
    return b"".join(hello[:3] + len(part).to_bytes(2) + part for part in parts)


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        (EVIL, "CONNECT evil.example:PORT HTTP/1.1"),
        (CHANGE + EVIL, "CONNECT evil.example:PORT HTTP/1.1"),
        (ALERT + CHANGE + EVIL, "CONNECT evil.example:PORT HTTP/1.1"),
        (CHANGE * 33 + EVIL, "CONNECT localhost:PORT HTTP/1.1"),
        (first_message(None), "CONNECT localhost:PORT HTTP/1.1"),
        (in_parts(EVIL, 1), "CONNECT localhost:PORT HTTP/1.1"),
        (in_parts(EVIL, 60), "CONNECT localhost:PORT HTTP/1.1"),
        (b"\x16\x03\x01\x00\x00" + EVIL, "CONNECT localhost:PORT HTTP/1.1"),
    ],
    ids=[
        "at once",
        "after a change",
        "after an alert",
        "after many",
        "no name",
        "a byte",
        "parts",
        "empty",
    ],
)
def test_the_second_first_message_names_the_same_server(second: bytes, refused: str) -> None:
    """H9: a server that asks for another key may go by the name that comes with it."""
    _, told = heard(HELLO + second)
    assert told == [refused]


def test_early_data_would_hide_a_second_first_message() -> None:
    """H9: a server leaves it out, and then reads on."""
    _, told = heard(with_extension(HELLO, b"\x00\x2a\x00\x00") + DATA + EVIL)
    assert told == ["CONNECT localhost:PORT HTTP/1.1"]


@pytest.mark.parametrize(
    "rest",
    [CHANGE + HELLO + DATA, CHANGE + DATA + EVIL, KEYS + CHANGE + EVIL, CHANGE, CHANGE[:3], b""],
    ids=["again", "encrypted", "keys", "change", "cut off", "nothing"],
)
def test_what_else_follows_is_passed_on(rest: bytes) -> None:
    """H9: once the connection is encrypted nobody can be named, whatever it looks like."""
    said, told = heard(HELLO + rest)
    assert told == []
    whole = 0 if rest == CHANGE[:3] else len(rest)
    assert len(said) == 2 * (len(HELLO) + whole)


def test_what_is_not_encrypted_or_has_no_name() -> None:
    """H9: a host by its number has no name, and a host's other ports need no encryption."""
    assert heard(b"hello")[0] == b"hellohello"
    assert len(heard(first_message(None), name="127.0.0.1")[0]) == 2 * len(first_message(None))


@given(st.binary(max_size=200), st.integers(0, len(HELLO) - 1))
def test_any_first_message_can_be_read(more: bytes, at: int) -> None:
    """H9"""
    for first in (more, HELLO[:at] + more + HELLO[at + len(more) :]):
        with suppress(NotAHello):
            if not missing_bytes(first):
                assert "/" not in server_name(first)
