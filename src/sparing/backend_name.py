"""The coding agents that can be named in settings, one row each.

A new one is a row here, a folder in `agents` and a line in `clients/backends.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

AUTO, SCRIPTED = "auto", "scripted"
CLAUDE, CLAUDE_DOUBLE = "claude", "claude-double"
CODEX, CODEX_DOUBLE = "codex", "codex-double"
API, API_DOUBLE = "api", "api-double"
API_ANTHROPIC, API_OPENAI = "api-anthropic", "api-openai"
API_GOOGLE, API_SERVER = "api-google", "api-server"
OPENCODE, OPENCODE_DOUBLE = "opencode", "opencode-double"
GEMINI, GEMINI_DOUBLE = "gemini", "gemini-double"
ACP = "acp"


class BackendRow(NamedTuple):
    vendor: str
    """The vendor of its models; empty if it depends on the model."""
    words: str
    client: str = ""
    """The backend whose client it uses under another name; empty if it has its own."""
    played: bool = False
    """True if its model is a script or a double, not a real model."""


class BackendLimit(NamedTuple):
    """How many turns of a backend may run at once, and begin in a minute; 0: any number."""

    backend: str
    at_once: int = 0
    per_minute: int = 0


BACKENDS: Mapping[str, BackendRow] = MappingProxyType(
    {
        AUTO: BackendRow("Anthropic", "the first that is installed and logged in", CLAUDE),
        CLAUDE: BackendRow("Anthropic", "Claude Code"),
        CODEX: BackendRow("OpenAI", "Codex"),
        API: BackendRow("", "the first provider whose key is set", API_ANTHROPIC),
        API_ANTHROPIC: BackendRow("Anthropic", "Anthropic's API"),
        API_OPENAI: BackendRow("OpenAI", "OpenAI's API"),
        API_GOOGLE: BackendRow("Google", "Google's API for Gemini"),
        API_SERVER: BackendRow("", "your own server with an OpenAI-compatible API"),
        OPENCODE: BackendRow("", "opencode"),
        GEMINI: BackendRow("Google", "Gemini CLI"),
        ACP: BackendRow("", "another agent that speaks the Agent Client Protocol"),
        SCRIPTED: BackendRow("", "follows a script", played=True),
        CLAUDE_DOUBLE: BackendRow(
            "Anthropic", "Claude Code with a stand-in for the model", CLAUDE, True
        ),
        CODEX_DOUBLE: BackendRow("OpenAI", "Codex with a stand-in for the model", CODEX, True),
        API_DOUBLE: BackendRow(
            "Anthropic", "Anthropic's API with a stand-in for the model", API_ANTHROPIC, True
        ),
        OPENCODE_DOUBLE: BackendRow("", "opencode with a stand-in for the model", OPENCODE, True),
        GEMINI_DOUBLE: BackendRow(
            "Google", "Gemini CLI with a stand-in for the model", GEMINI, True
        ),
    }
)
NAMES = tuple(BACKENDS)
MODEL_VENDORS: Mapping[str, str] = MappingProxyType(
    {"claude": "Anthropic", "gpt-": "OpenAI", "codex-": "OpenAI", "gemini": "Google"}
)
"""Prefixes of model names that identify the vendor."""


def is_played(name: str) -> bool:
    return name in BACKENDS and BACKENDS[name].played


def client_name(name: str) -> str:
    """The name under which models and prices are looked up."""
    row = BACKENDS.get(name)
    return row.client or name if row else name


def vendor_of(name: str, model: str = "") -> str:
    """The model's vendor; empty if unknown."""
    row = BACKENDS.get(name)
    return (row.vendor if row else "") or model_vendor(model)


def model_vendor(model: str) -> str:
    """The vendor according to a model's name; empty if unknown."""
    plain = model.rpartition("/")[2]
    return next((one for start, one in MODEL_VENDORS.items() if plain.startswith(start)), "")


def may_have(name: str, model: str) -> bool:
    """False only where backend and model are known to be of different vendors."""
    vendor, other = vendor_of(name), model_vendor(model)
    return not vendor or not other or vendor == other
