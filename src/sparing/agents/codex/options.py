"""How Codex is started for a turn: lean, isolated, and without a single tool of its own.

Its shell takes the name of a program from the model, and its patches write wherever the process
may, so both would get around a wrapped shell. A model catalog that we write says that the model has
neither; agents work with our tools only, whose commands run in a sandbox that knows no key, no
login and no port.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sparing.agents.backend import AgentCall, Needs
from sparing.agents.codex.client import CREDENTIALS, KEY, CodexLogin
from sparing.agents.own_tools import ToolOffer
from sparing.agents.tunnel import TLS_PORT, Host, way_out
from sparing.codec import JsonObject
from sparing.tool import ToolSpec
from sparing.usage import Origin

VENDOR = "https://api.openai.com/v1"
OWN_HOSTS = ("chatgpt.com", "auth.openai.com")
"""Hosts that the user's own login needs: for the model, and to be renewed."""
PROVIDER = "sparing"
WINDOW_TOKENS = 272_000
RESULT_TOKENS = 40_000
"""Tokens of one result that the client passes on untruncated."""
NEVER_TOKENS = 100_000_000
SWITCHED_OFF = (
    *("apps", "browser_use", "code_mode", "computer_use", "fast_mode", "goals", "hooks"),
    *("guardian_approval", "image_generation", "in_app_browser", "memories", "mentions_v2"),
    *("multi_agent", "plugins", "shell_snapshot", "shell_tool", "skill_mcp_dependency_install"),
    *("sleep_tool", "tool_suggest", "unified_exec", "view_image"),
)
LEAN: Mapping[str, str] = {
    # Folders and the day, before every prompt: nothing after them would be shared.
    "include_environment_context": "false",
    "include_permissions_instructions": "false",
    "project_doc_max_bytes": "0",
    "skills.bundled.enabled": "false",
    "tools.experimental_request_user_input": "{enabled=false}",
    "web_search": '"disabled"',
    "model_auto_compact_token_limit": str(NEVER_TOKENS),
    "check_for_update_on_startup": "false",
    "analytics.enabled": "false",
    "cli_auth_credentials_store": '"file"',
}


@dataclass(frozen=True, slots=True)
class CodexSetup:
    """What is the same in all turns of one backend."""

    program: Path
    version: str
    config: Path
    """The client's folder: its sessions and nothing of the user's."""
    login: CodexLogin
    base_url: str = ""
    """The provider's address; empty for the vendor's own."""
    origin: Origin = Origin.MEASURED
    retries: int = 4
    headers: Callable[[AgentCall], Mapping[str, str]] = lambda _: {}
    """Sent with every request of the turn."""
    upstream: str = ""
    """The user's own proxy, if they need one to reach the internet."""
    proxy: str = ""
    """Our local proxy, the client's only way to the network."""
    tools: ToolOffer = ToolOffer()


def argv(setup: CodexSetup, call: AgentCall) -> list[str]:
    settings = {
        **LEAN,
        **{f"features.{name}": "false" for name in SWITCHED_OFF},
        "model_catalog_json": json.dumps(str(catalog(setup, call.model))),
        **_provider(setup, call),
    }
    line = [str(setup.program), "app-server"]
    for name, value in settings.items():
        line += ["-c", f"{name}={value}"]
    return line


def _provider(setup: CodexSetup, call: AgentCall) -> dict[str, str]:
    """Settings for the provider; the user's own login works only with the client's own one."""
    if setup.login.folder is not None:
        return {"model_provider": '"openai"'}
    fields = {
        "name": PROVIDER,
        "base_url": setup.base_url or VENDOR,
        "env_key": KEY,
        "wire_api": "responses",
    }
    headers = ",".join(f"{json.dumps(k)}={json.dumps(v)}" for k, v in setup.headers(call).items())
    words = [f"{name}={json.dumps(value)}" for name, value in fields.items()]
    words += [f"request_max_retries={setup.retries}", f"stream_max_retries={setup.retries}"]
    table = ",".join([*words, f"http_headers={{{headers}}}"])
    return {"model_provider": f'"{PROVIDER}"', f"model_providers.{PROVIDER}": f"{{{table}}}"}


def catalog(setup: CodexSetup, model: str) -> Path:
    return setup.config / "catalogs" / f"{model.replace('/', '_')}.json"


def write_catalog(setup: CodexSetup, model: str) -> None:
    """Write the client's description of the model, replacing its own: no tools, no text."""
    entry: JsonObject = {
        "slug": model,
        "display_name": model,
        "shell_type": "disabled",
        "base_instructions": "",
        "visibility": "list",
        "supported_in_api": True,
        "priority": 1,
        "support_verbosity": False,
        "supported_reasoning_levels": [],
        "supports_reasoning_summaries": True,
        "default_reasoning_summary": "none",
        "supports_parallel_tool_calls": True,
        "truncation_policy": {"mode": "tokens", "limit": RESULT_TOKENS},
        "context_window": WINDOW_TOKENS,
        "effective_context_window_percent": 95,
        "experimental_supported_tools": [],
        "input_modalities": ["text"],
    }
    path, text = catalog(setup, model), json.dumps({"models": [entry]})
    if not path.is_file() or path.read_text("utf-8", "replace") != text:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(text, "utf-8")


def link_login(setup: CodexSetup) -> None:
    """Link the user's login, so that it is refreshed in place: a copy would log them out."""
    if setup.login.folder is None:
        return
    link = setup.config / CREDENTIALS
    target = setup.login.folder / CREDENTIALS
    if not link.is_symlink() or link.readlink() != target:
        link.unlink(missing_ok=True)
        link.symlink_to(target)


def hosts(setup: CodexSetup) -> frozenset[Host]:
    """Hosts that the client must reach through a tunnel; none if its provider is local."""
    if setup.login.folder is not None:
        return frozenset(map(Host, OWN_HOSTS))
    return way_out(setup.base_url or VENDOR)


def needs(setup: CodexSetup, call: AgentCall) -> Needs:
    address = setup.proxy or setup.base_url
    own = setup.login.folder
    return Needs(
        environment=environment(setup, call),
        secrets=frozenset({KEY}) if own is None else frozenset(),
        ports=frozenset({urlsplit(address).port or TLS_PORT}),
        state=(setup.config,) if own is None else (setup.config, own),
        readable=(setup.program.resolve().parent.parent,),
        passwd_shell=True,
    )


def environment(setup: CodexSetup, call: AgentCall) -> dict[str, str]:
    found = {"CODEX_HOME": str(setup.config), "PWD": str(call.seen)}
    if setup.login.folder is None:
        found[KEY] = setup.login.secret
    if setup.proxy:
        found["HTTPS_PROXY"] = setup.proxy
    return found


def thread_of(call: AgentCall, tools: tuple[ToolSpec, ...]) -> tuple[str, JsonObject]:
    """The request that begins, resumes or forks a thread. A resumed one keeps its tools."""
    common: JsonObject = {
        "cwd": str(call.seen),
        # Nothing of its own may write, and nobody is asked.
        "sandbox": "read-only",
        "approvalPolicy": "never",
        "model": call.model,
        "baseInstructions": call.system,
    }
    if not call.resume:
        listed = [_tool(spec) for spec in tools]
        more = {"dynamicTools": listed, "experimentalRawEvents": True, "ephemeral": call.ping}
        return "thread/start", {**common, **more}
    common |= {"threadId": call.resume, "excludeTurns": True}
    if call.fork or call.ping:
        return "thread/fork", {**common, "ephemeral": call.ping}
    return "thread/resume", common


def turn_of(call: AgentCall, thread: str) -> JsonObject:
    said = [segment.text for segment in call.prompt if segment.text.strip()]
    turn: JsonObject = {
        "threadId": thread,
        "input": [{"type": "text", "text": text, "text_elements": []} for text in said],
    }
    return turn if call.schema is None else {**turn, "outputSchema": dict(call.schema)}


def _tool(spec: ToolSpec) -> JsonObject:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.words,
        "inputSchema": spec.schema,
    }
