"""An agent that the user has named: any command that speaks the protocol on standard input.

How to switch off its own tools is unknown, so it keeps them, and the sandbox confines them: a
reader's worktree is read-only, and neither key nor login is in there. This requires an agent whose
model address can be set; any other would need the user's key, and is refused.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from sparing import backend_name as names
from sparing.agents.acp.agents import AcpAgent, InstalledAgent, Placed, Started
from sparing.agents.api.providers import PROVIDERS
from sparing.errors import ConfigError

ADDRESS = "{address}"
EXAMPLE = "OPENAI_BASE_URL={address},OPENAI_API_KEY={key}"
BASE_TOKENS = 8_000
"""Tokens of its own prompt and tools, typical for such agents (estimated)."""


def custom_agent(
    command: Sequence[str], variables: Sequence[str], environ: Mapping[str, str]
) -> InstalledAgent:
    if not command:
        raise ConfigError(
            "no agent is named", "name its command: sparing config set agent.acp_command goose,acp"
        )
    title = Path(command[0]).name
    if not any(ADDRESS in line for line in variables):
        raise ConfigError(
            f"{title} can't be used safely: nothing tells it to reach its model through "
            "Sparing, so it would need your key",
            f"name its variables: sparing config set agent.acp_environment '{EXAMPLE}'",
        )
    program = shutil.which(command[0], path=environ.get("PATH", ""))
    if program is None:
        raise ConfigError(f"{command[0]} is not installed", "install it, or name another command")
    told = dict(line.split("=", 1) for line in variables)
    agent = AcpAgent(
        name=names.ACP,
        title=title,
        package="",
        tested="",
        prepare=partial(_prepare, told),
        providers=tuple(PROVIDERS),
        base_tokens=BASE_TOKENS,
        writer_tokens=BASE_TOKENS,
        own_tools=False,
        replays=True,
    )
    found = Path(program).resolve()
    return InstalledAgent(agent, (program, *command[1:]), "", (found.parent,))


def _prepare(told: Mapping[str, str], placed: Placed) -> Started:
    call = placed.call
    given = {
        "address": placed.model,
        "key": placed.word,
        "model": placed.setup.model_name(call.model),
        "home": str(placed.home),
    }
    environment = {"PWD": str(call.seen), "XDG_CONFIG_HOME": str(placed.home / "config")}
    for name, value in told.items():
        for word, meant in given.items():
            value = value.replace(f"{{{word}}}", meant)
        environment[name] = value
    return Started(placed.setup.program, environment)
