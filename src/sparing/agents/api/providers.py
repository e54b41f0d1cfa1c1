"""Providers whose models can be used with a key, and where it is found. Keys are never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from sparing import backend_name as names

SERVER = "server"


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    """The provider's name in `turn_process`."""
    backend: str
    vendor: str
    keys: tuple[str, ...]
    """Variables that may hold the key; the first that is set counts."""
    address_variable: str
    address: str
    marks: int = 0
    automatic: bool = False
    """It caches beginnings of prompts without marks, and says what was read."""
    window_tokens: int = 200_000
    needs_key: bool = True


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        one.backend: one
        for one in (
            Provider(
                "anthropic", names.API_ANTHROPIC, "Anthropic", ("ANTHROPIC_API_KEY",),
                "ANTHROPIC_BASE_URL", "https://api.anthropic.com", marks=1,
            ),
            Provider(
                "openai", names.API_OPENAI, "OpenAI", ("OPENAI_API_KEY",),
                "OPENAI_BASE_URL", "https://api.openai.com/v1", automatic=True,
                window_tokens=272_000,
            ),
            Provider(
                "google", names.API_GOOGLE, "Google", ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
                "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com",
                automatic=True, window_tokens=1_000_000,
            ),
            Provider(
                SERVER, names.API_SERVER, "", ("API_SERVER_KEY",), "", "",
                window_tokens=32_000, needs_key=False,
            ),
        )
    }
)  # fmt: skip


class FoundKey(NamedTuple):
    variable: str
    secret: str

    def __repr__(self) -> str:
        return f"FoundKey({self.variable})"

    @property
    def words(self) -> str:
        return f"API key from {self.variable}" if self.variable else "no key, the server needs none"


NO_KEY = FoundKey("", "")


def find_key(provider: Provider, environ: Mapping[str, str]) -> FoundKey | None:
    for variable in provider.keys:
        secret = environ.get(variable, "").strip()
        if secret:
            return FoundKey(variable, secret)
    return None if provider.needs_key else NO_KEY
