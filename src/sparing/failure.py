"""The ways in which an agent's turn can fail: a closed set, the same for every backend."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    AUTH = "auth"
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    NETWORK = "network"
    CONTEXT_OVERFLOW = "context overflow"
    INVALID_SESSION = "invalid session"
    PERMISSION_DENIED = "permission denied"
    REFUSED = "refused"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    BUDGET = "budget"
    GARBAGE = "garbage"
    LIMIT = "limit reached"
    """A limit of memory or disk was reached."""


LIMIT_REACHED = 122
"""The exit code when the sandbox ends a client at a limit; its last line says which."""
STOPPED = "sandbox: stopped: "


def limit_words(code: int, said: str) -> str:
    """Which limit a client has reached, from its exit code and last output; empty if none."""
    last = said.rstrip().rpartition("\n")[2]
    return last.removeprefix(STOPPED) if code == LIMIT_REACHED and last.startswith(STOPPED) else ""
