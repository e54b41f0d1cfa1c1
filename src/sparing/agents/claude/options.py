"""How Claude Code is started for a turn: lean, isolated, and equal for all that share a trunk.

Nothing of the user's settings, memory or servers is used. What differs between two turns of one
group is in the prompt's last blocks, because everything before them is cached.

What the client can do, and what it sends before any prompt, follows from the tools it is given.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sparing.agents.backend import EVERY_MODEL, Access, AgentCall, Capabilities, Needs
from sparing.agents.claude import secret_pipe
from sparing.agents.claude.login import Login
from sparing.agents.claude.rules import SERVER, rules_of, tools_of
from sparing.agents.own_tools import ToolOffer
from sparing.agents.tunnel import Host, way_out
from sparing.usage import Origin

CONFIG = "CLAUDE_CONFIG_DIR"
HOOK = "before-a-tool"
INITIALIZE = "initialize"
TLS_PORT = 443
VENDOR = "https://api.anthropic.com"
REFRESHING = ("platform.claude.com",)
"""Hosts where the user's own login is renewed."""
SHORT = "5m"
OWN_TOOL_SECONDS = 900
"""Seconds after which the client gives up on a call of our tools, which have their own limits."""
_OUR_SERVER = {"mcpServers": {SERVER: {"type": "sdk", "name": SERVER, "alwaysLoad": True}}}
"""Our tool server, which lives in the process that drives the client."""
WINDOW_TOKENS = 200_000
RESERVE_TOKENS = 33_000
"""Measured: with less than this left of a window the client compacts the session."""
BASE_TOKENS, WRITER_TOKENS = 2_200, 5_400
"""Tokens of tools, a reader's verdict form and the client's own line, as the double counts."""
NO_SHELL_TOKENS = 2_580
"""The same for a writer without a shell."""
LEAN_SHELL_TOKENS = 3_730
"""The same for a writer whose shell does not say how to commit."""
STOCK_TOKENS = 18_700
"""The same for the client as installed, for readers and writers alike."""
OWN_READER_TOKENS, OWN_WRITER_TOKENS = 435, 360
"""The same with our tools in place of the client's."""
LEAN = {
    # Its own words about itself, which differ from prompt to prompt and end the shared prefix.
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "DISABLE_AUTO_COMPACT": "1",
}
NO_COMMITS = {"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1"}
"""The program makes the commits: how to make one, or a pull request, is 1,670 tokens of the
shell's description and 140 of a reminder that an agent here has no use for."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is the same in all turns of one backend."""

    program: Path
    version: str
    config: Path
    """The client's folder: its sessions and nothing of the user's."""
    login: Login
    base_url: str = ""
    """The provider's address; empty for the vendor's own."""
    origin: Origin = Origin.MEASURED
    max_turns: int = 60
    retries: int = 4
    headers: Callable[[AgentCall], Mapping[str, str]] = lambda _: {}
    """Sent with every request of the turn."""
    upstream: str = ""
    """The user's own proxy, if they need one to reach the internet."""
    proxy: str = ""
    """Our local proxy, the client's only way to the network."""
    tools: ToolOffer = ToolOffer()
    stock: bool = False
    """True to start it as installed, for comparison: its own system prompt and all its tools.
    Rules, the check of every call and the sandbox are the same."""


def argv(setup: Setup, call: AgentCall, own: Sequence[str] = ()) -> list[str]:
    """The command line. Values that others chose are bound to their flag by an equals sign."""
    root = call.seen
    line = [
        *_started(setup),
        *("--output-format", "stream-json", "--input-format", "stream-json", "--verbose"),
        *("--include-partial-messages", "--strict-mcp-config", "--setting-sources="),
        *_brought(setup, call, own),
        f"--allowedTools={','.join(rules_of(call.access, root, own, web=call.web))}",
        "--permission-mode=dontAsk",
        f"--model={call.model}",
        f"--max-turns={setup.max_turns}",
    ]
    if own:
        line.append(f"--mcp-config={_compact(_OUR_SERVER)}")
    if call.limit_usd is not None:
        line.append(f"--max-budget-usd={call.limit_usd:.6f}")
    if call.schema is not None:
        line.append(f"--json-schema={_compact(call.schema)}")
    if call.resume:
        line.append(f"--resume={call.resume}")
    if call.fork:
        line.append("--fork-session")
    return line


def _brought(setup: Setup, call: AgentCall, own: Sequence[str]) -> tuple[str, ...]:
    """Options for the system prompt and the tools on offer."""
    if setup.stock:
        return (f"--append-system-prompt={call.system}",)
    tools = ",".join(tools_of(call.shown or call.access, own, web=call.web))
    return f"--system-prompt={call.system}", f"--tools={tools}"


def hosts(setup: Setup) -> frozenset[Host]:
    """Hosts that the client must reach through a tunnel; none if its provider is local."""
    more = REFRESHING if setup.login.folder is not None else ()
    return way_out(setup.base_url or VENDOR, more)


def needs(setup: Setup, call: AgentCall) -> Needs:
    return Needs(
        environment=environment(setup, call),
        secrets=setup.login.secrets,
        ports=frozenset({_port(setup.proxy or setup.base_url)}),
        state=(setup.config, *setup.login.state),
        readable=(setup.program.resolve().parent,),
        shell_variable="CLAUDE_CODE_SHELL",
    )


def environment(setup: Setup, call: AgentCall) -> dict[str, str]:
    found = {
        CONFIG: str(setup.config),
        "PWD": str(call.seen),
        **({} if setup.stock else LEAN),
        **(NO_COMMITS if (call.shown or call.access) is Access.LEAN_SHELL else {}),
        # A background task gives a second result, and its usage is in neither.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_MAX_RETRIES": str(setup.retries),
        "MCP_TOOL_TIMEOUT": str(OWN_TOOL_SECONDS * 1000),
        # Without it the login decides: five minutes with a key, an hour with a token.
        "CLAUDE_CODE_PROMPT_CACHE_TTL": call.life,
        **setup.login.environment,
    }
    if setup.base_url:
        found["ANTHROPIC_BASE_URL"] = setup.base_url
    if setup.proxy:
        found["HTTPS_PROXY"] = setup.proxy
    headers = setup.headers(call)
    if headers:
        found["ANTHROPIC_CUSTOM_HEADERS"] = "\n".join(f"{k}: {v}" for k, v in headers.items())
    return found


def opening(call: AgentCall, own: Sequence[str] = ()) -> bytes:
    """The first two messages: our hook and tool server, then the prompt."""
    hook = {"matcher": None, "hookCallbackIds": [HOOK], "onFailure": "block"}
    servers = {"sdkMcpServers": [SERVER]} if own else {}
    hooks = {"PreToolUse": [hook]}
    return request(INITIALIZE, subtype="initialize", hooks=hooks, **servers) + _line(
        {
            "type": "user",
            "session_id": "",
            "parent_tool_use_id": None,
            "message": {"role": "user", "content": list(_content(call))},
            # As it stands: a document's `@file` or `/word` is no order to the client.
            "client_composed": True,
        }
    )


def request(id: str, **fields: Any) -> bytes:
    """A request from us to the client."""
    return _line({"type": "control_request", "request_id": id, "request": fields})


def response(id: str, output: Mapping[str, Any]) -> bytes:
    """The answer to a request from the client."""
    answer = {"subtype": "success", "request_id": id, "response": output}
    return _line({"type": "control_response", "response": answer})


def refusal(id: str, words: str) -> bytes:
    """The answer to a request that is not supported here."""
    answer = {"subtype": "error", "request_id": id, "error": words}
    return _line({"type": "control_response", "response": answer})


def _content(call: AgentCall) -> Iterator[dict[str, object]]:
    """One block per segment, none empty. The client sets three of four marks, so one is left.

    It stays in the transcript and is sent again: a second one would break the session forever.
    """
    said = [segment for segment in call.prompt if segment.text.strip()]
    marked = [] if call.resume else [segment for segment in said if segment.mark]
    for segment in said:
        block: dict[str, object] = {"type": "text", "text": segment.text}
        if marked and segment is marked[-1]:
            hour = {"ttl": call.life} if call.life != SHORT else {}
            block["cache_control"] = {"type": "ephemeral", **hour}
        yield block


def _started(setup: Setup) -> Iterator[str]:
    if setup.login.handing:
        yield from (sys.executable, "-I", "-S", str(Path(secret_pipe.__file__).resolve()))
        yield from setup.login.handing
    yield str(setup.program)


def _port(url: str) -> int:
    return urlsplit(url).port or TLS_PORT


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def capabilities_with(setup: Setup) -> Capabilities:
    tools = setup.tools
    client, writer = (STOCK_TOKENS,) * 2 if setup.stock else (BASE_TOKENS, WRITER_TOKENS)
    return Capabilities(
        resume=True,
        fork=True,
        schema=True,
        marks=1,
        context_tokens=WINDOW_TOKENS,
        reserve_tokens=RESERVE_TOKENS,
        base_tokens=OWN_READER_TOKENS if tools.readers else client,
        proven=False,
        writer_tokens=writer,
        primes=True,
        no_shell_tokens=0 if setup.stock else NO_SHELL_TOKENS,
        lean_shell_tokens=0 if setup.stock else LEAN_SHELL_TOKENS,
        trims=tools.readers and EVERY_MODEL in tools.writers,
        own_readers=tools.readers,
        own_lost=tools.lost,
        own_writers=tools.writers,
        own_writer_tokens=OWN_WRITER_TOKENS,
        client_tokens=client,
        searches=True,
    )
