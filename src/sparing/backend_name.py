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
    """Whose models it has; empty: whose, the model's name says."""
    words: str
    client: str = ""
    """The backend whose client it is, under a name of its own."""
    played: bool = False
    """Its model is a script or a double, and not a model."""


BACKENDS: Mapping[str, BackendRow] = MappingProxyType(
    {
        AUTO: BackendRow("Anthropic", "the first that is installed and logged in", CLAUDE),
        CLAUDE: BackendRow("Anthropic", "Claude Code"),
        CODEX: BackendRow("OpenAI", "Codex"),
        API: BackendRow("", "the first provider whose key is set", API_ANTHROPIC),
        API_ANTHROPIC: BackendRow("Anthropic", "Anthropic's API"),
        API_OPENAI: BackendRow("OpenAI", "OpenAI's API"),
        API_GOOGLE: BackendRow("Google", "Google's API for Gemini"),
        API_SERVER: BackendRow("", "a server of your own that speaks OpenAI's format"),
        OPENCODE: BackendRow("", "opencode"),
        GEMINI: BackendRow("Google", "Gemini CLI"),
        ACP: BackendRow("", "another agent that speaks the Agent Client Protocol"),
        SCRIPTED: BackendRow("", "plays a script", played=True),
        CLAUDE_DOUBLE: BackendRow("Anthropic", "Claude Code, its model played", CLAUDE, True),
        CODEX_DOUBLE: BackendRow("OpenAI", "Codex, its model played", CODEX, True),
        API_DOUBLE: BackendRow(
            "Anthropic", "Anthropic's API, its model played", API_ANTHROPIC, True
        ),
        OPENCODE_DOUBLE: BackendRow("", "opencode, its model played", OPENCODE, True),
        GEMINI_DOUBLE: BackendRow("Google", "Gemini CLI, its model played", GEMINI, True),
    }
)
NAMES = tuple(BACKENDS)
MODEL_VENDORS: Mapping[str, str] = MappingProxyType(
    {"claude": "Anthropic", "gpt-": "OpenAI", "codex-": "OpenAI", "gemini": "Google"}
)
"""How names of models begin, where that says whose they are."""


def is_played(name: str) -> bool:
    return name in BACKENDS and BACKENDS[name].played


def client_name(name: str) -> str:
    """Under which models and prices are looked up."""
    row = BACKENDS.get(name)
    return row.client or name if row else name


def vendor_of(name: str, model: str = "") -> str:
    """Whose model it is; empty where nobody can tell."""
    row = BACKENDS.get(name)
    return (row.vendor if row else "") or model_vendor(model)


def model_vendor(model: str) -> str:
    """From a model's name; empty where that says nothing."""
    plain = model.rpartition("/")[2]
    return next((one for start, one in MODEL_VENDORS.items() if plain.startswith(start)), "")


def may_have(name: str, model: str) -> bool:
    """False only where backend and model are known to be of different vendors."""
    vendor, other = vendor_of(name), model_vendor(model)
    return not vendor or not other or vendor == other
