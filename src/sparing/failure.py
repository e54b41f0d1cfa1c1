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
    """Of memory or disk."""


LIMIT_REACHED = 122
"""With this code the sandbox ends a client that has reached one; its last line says which."""
STOPPED = "sandbox: stopped: "


def limit_words(code: int, said: str) -> str:
    """Which limit a client has reached, from its exit code and its last words; empty if none."""
    last = said.rstrip().rpartition("\n")[2]
    return last.removeprefix(STOPPED) if code == LIMIT_REACHED and last.startswith(STOPPED) else ""
