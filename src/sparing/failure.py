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
