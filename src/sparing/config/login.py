"""Which login an agent's client is started with."""

from __future__ import annotations

from enum import StrEnum


class LoginName(StrEnum):
    AUTO = "auto"
    API_KEY = "api-key"
    TOKEN = "token"
    OWN = "own"
