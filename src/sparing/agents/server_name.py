"""The server that a TLS client asks for in its first message, which is not encrypted.

A tunnel to an allowed host ends at a machine that may serve thousands of others, as content
delivery networks do: which one answers is decided by this name, not by the address. A server may
ask for another first message, and some then go by the name in that one.
"""

from __future__ import annotations

import re
import struct

HANDSHAKE, CLIENT_HELLO = 0x16, 1
NOT_ENCRYPTED = frozenset({0x14, 0x15, HANDSHAKE})
"""Kinds of records that may come before a client's second first message."""
RECORD_HEAD, HELLO_HEAD = 5, 4 + 2 + 32
LONGEST_RECORD = 1 << 14
_NAME = re.compile(rb"[A-Za-z0-9._-]{1,253}")
SERVER_NAME, EARLY_DATA = 0, 0x2A
ENCRYPTED_HELLO = frozenset({0xFFCE, *range(0xFE08, 0xFE0E)})
"""As it is, and as it was in drafts."""
LONGEST_HELLO = b"\1\2"
"""How the longest message that a server takes begins: with its kind and length."""


class NotAHello(ValueError):
    """It is not the beginning of a TLS connection, or hides the name of the server."""


def missing_bytes(begun: bytes) -> int:
    """How many bytes of the first message are still missing."""
    if begun and begun[0] != HANDSHAKE:
        raise NotAHello
    if len(begun) < RECORD_HEAD:
        return RECORD_HEAD - len(begun)
    size = int.from_bytes(begun[3:RECORD_HEAD])
    if size > LONGEST_RECORD:
        raise NotAHello
    return max(0, RECORD_HEAD + size - len(begun))


def server_name(hello: bytes) -> str:
    """The name in a complete first message; empty if it has none."""
    try:
        found = _extensions(hello[RECORD_HEAD:])
    except (IndexError, struct.error) as error:
        raise NotAHello from error
    if not ENCRYPTED_HELLO.isdisjoint(found):
        raise NotAHello  # the name that counts is inside
    if EARLY_DATA in found:
        raise NotAHello  # one could not tell what comes after it: a server may leave that out
    told = found.get(SERVER_NAME, b"")
    # A list of names with kind and length, of which there is never more than one.
    if not told:
        return ""
    name = _NAME.fullmatch(told[5:])
    if told[2:3] != b"\0" or int.from_bytes(told[3:5]) != len(told) - 5 or name is None:
        raise NotAHello
    return name[0].decode().lower().removesuffix(".")


def may_be_hello(body: bytes) -> bool:
    """Whether a handshake record begins such a message; one that is encrypted hardly ever does."""
    return b"\1" <= body[:2] <= LONGEST_HELLO or not body


def _extensions(message: bytes) -> dict[int, bytes]:
    if message[0] != CLIENT_HELLO or int.from_bytes(message[1:4]) != len(message) - 4:
        raise NotAHello  # all of it in one record, as every client sends it
    at = HELLO_HEAD
    at += 1 + message[at]  # session
    at += 2 + struct.unpack_from(">H", message, at)[0]  # ciphers
    at += 1 + message[at]  # compression
    found: dict[int, bytes] = {}
    at += 2
    while at < len(message):
        kind, size = struct.unpack_from(">HH", message, at)
        if kind in found:
            raise NotAHello
        found[kind] = message[at + 4 : at + 4 + size]
        at += 4 + size
    return found
