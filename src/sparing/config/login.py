"""Which login an agent's client is started with, and how much it brings along."""

from __future__ import annotations

from enum import StrEnum


class LoginName(StrEnum):
    AUTO = "auto"
    API_KEY = "api-key"
    TOKEN = "token"
    OWN = "own"


class ClientKind(StrEnum):
    LEAN = "lean"
    """Our system prompt and the few tools that a role needs."""
    STOCK = "stock"
    """As installed: its own system prompt and all its tools. For comparison, never to work with."""
