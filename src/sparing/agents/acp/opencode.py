"""opencode: how it is started for a turn, without its own tools."""

from __future__ import annotations

import json
import socket

from sparing import backend_name as names
from sparing.agents.acp.agents import AcpAgent, Placed, Started
from sparing.agents.acp.tool_calls import SERVER
from sparing.codec import JsonObject

PROVIDER = AGENT = "sparing"
LIBRARIES = {
    names.API_ANTHROPIC: ("@ai-sdk/anthropic", "/v1"),
    names.API_OPENAI: ("@ai-sdk/openai", ""),
    names.API_GOOGLE: ("@ai-sdk/google", "/v1beta"),
    names.API_SERVER: ("@ai-sdk/openai-compatible", ""),
}
"""The bundled libraries it uses for each provider, and the prefix of their paths."""
ANSWER_TOKENS = 32_000
OFF = (
    *("AUTOUPDATE", "AUTOCOMPACT", "CLAUDE_CODE", "DEFAULT_PLUGINS", "EXTERNAL_SKILLS", "SHARE"),
    *("LSP_DOWNLOAD", "MODELS_FETCH", "PROJECT_CONFIG", "PRUNE", "TERMINAL_TITLE"),
    *("EMBEDDED_WEB_UI", "CHANNEL_DB"),
)
FOLDERS = {"DATA": "data", "CONFIG": "config", "CACHE": "cache", "STATE": "state"}


def prepare(placed: Placed) -> Started:
    """Configure it; it serves a port for itself, protected by a password only it knows."""
    home, port = placed.home, _free_port()
    config = home / "opencode.json"
    config.write_text(json.dumps(settings(placed)), "utf-8")
    environment = {
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in FOLDERS.items()},
        **{f"OPENCODE_DISABLE_{name}": "1" for name in OFF},
        "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER": "1",
        "OPENCODE_CONFIG": str(config),
        "OPENCODE_SERVER_PASSWORD": placed.word,
        "PWD": str(placed.desk),
    }
    argv = (*placed.setup.program, "acp", "--pure", "--port", str(port))
    return Started(argv, environment, frozenset({port}))


def settings(placed: Placed) -> JsonObject:
    call, setup = placed.call, placed.setup
    library, path = LIBRARIES[placed.provider.backend]
    window = {"context": setup.agent.window_tokens, "output": ANSWER_TOKENS}
    model = setup.model_name(call.model)
    provider: JsonObject = {
        "npm": library,
        "name": PROVIDER,
        "options": {"baseURL": placed.model + path, "apiKey": placed.word},
        "models": {model: {"name": model, "limit": window}},
    }
    agent: JsonObject = {
        "mode": "primary",
        "prompt": call.system or "You are a careful agent.",
        "permission": {"*": "deny", f"{SERVER}_*": "allow"},
    }
    unwanted: JsonObject = {name: {"disable": True} for name in ("title", "summary", "compaction")}
    chosen = f"{PROVIDER}/{model}"
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "compaction": {"auto": False, "prune": False},
        "enabled_providers": [PROVIDER],
        "provider": {PROVIDER: provider},
        "model": chosen,
        "small_model": chosen,
        "default_agent": AGENT,
        "agent": {AGENT: agent, **unwanted},
    }


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


OPENCODE = AcpAgent(
    name=names.OPENCODE,
    title="opencode",
    package="opencode-ai",
    tested="1.18.33",
    prepare=prepare,
    providers=tuple(LIBRARIES),
    base_tokens=270,
    writer_tokens=485,
)
