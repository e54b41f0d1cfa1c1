"""Agents that speak the protocol as they are installed here, and which keys there are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparing import backend_name as names
from sparing.agents.acp.agents import AcpAgent, InstalledAgent
from sparing.agents.acp.backend import AcpBackend
from sparing.agents.acp.custom import custom_agent
from sparing.agents.acp.gemini import GEMINI
from sparing.agents.acp.opencode import OPENCODE
from sparing.agents.acp.options import AcpSetup, provider_of
from sparing.agents.api.detection import address_of, key_here
from sparing.agents.api.providers import PROVIDERS, FoundKey, find_key
from sparing.agents.reported_version import reported_version
from sparing.errors import ConfigError

AGENTS: Mapping[str, AcpAgent] = {one.name: one for one in (OPENCODE, GEMINI)}
SCRIPT = ".js"


@dataclass(frozen=True, slots=True)
class AcpPlace:
    """The surroundings of an agent's turns here."""

    folder: Path
    environ: Mapping[str, str]
    model: str
    """The model of most roles: there must be a key for it."""
    server: str = ""
    """The address of the user's own model server."""


def acp_backend(found: InstalledAgent, place: AcpPlace) -> AcpBackend:
    agent, environ = found.agent, place.environ
    keys = keys_here(agent, place.model, environ)
    addresses = {
        backend: address_of(PROVIDERS[backend], environ, place.server)
        for backend in keys
        if backend != names.API_SERVER or place.server
    }
    setup = AcpSetup(
        agent=agent,
        program=found.program,
        version=found.version,
        config=place.folder / agent.name,
        keys=keys,
        addresses=addresses,
        provider=agent.providers[0] if len(agent.providers) == 1 else "",
        readable=found.readable,
        upstream=environ.get("HTTPS_PROXY") or environ.get("https_proxy", ""),
    )
    return AcpBackend(setup)


def found_agent(
    name: str, environ: Mapping[str, str], command: Sequence[str], variables: Sequence[str]
) -> InstalledAgent:
    """A known agent, or the one whose command the user has named."""
    if name in AGENTS:
        return agent_here(name, environ)
    return custom_agent(command, variables, environ)


def agent_here(name: str, environ: Mapping[str, str]) -> InstalledAgent:
    agent = AGENTS[name]
    fix = f"npm install -g {agent.package}@{agent.tested}"
    named = shutil.which(name, path=environ.get("PATH", ""))
    if named is None:
        raise ConfigError(f"{agent.title} is not installed", fix)
    program = Path(named).resolve()
    readable = (_package(program) or program.parent,)
    argv = (str(program),)
    if program.suffix == SCRIPT:
        node = shutil.which("node", path=environ.get("PATH", ""))
        if node is None:
            raise ConfigError(f"{agent.title} needs Node, which is not installed", "install Node")
        readable += (Path(node).resolve().parent.parent,)
        argv = (node, *argv)
    version = _version(program, argv)
    if not version:
        raise ConfigError(f"{agent.title} can't be started ({program})", fix)
    return InstalledAgent(agent, argv, version, readable)


def keys_here(agent: AcpAgent, model: str, environ: Mapping[str, str]) -> dict[str, FoundKey]:
    """All keys that its models may need; raises if the one for the main model is missing."""
    wanted = agent.providers[0] if len(agent.providers) == 1 else provider_of(model)
    key_here(PROVIDERS[wanted], environ)
    found = {name: find_key(PROVIDERS[name], environ) for name in agent.providers}
    return {name: key for name, key in found.items() if key is not None}


def _package(program: Path) -> Path | None:
    """The folder of the npm package that a program belongs to."""
    found = (one for one in program.parents[:4] if (one / "package.json").is_file())
    return next(found, None)


def _version(program: Path, argv: tuple[str, ...]) -> str:
    """The version, from the package, since some agents take seconds to report it themselves."""
    package = _package(program)
    if package is not None:
        try:
            return str(json.loads((package / "package.json").read_text("utf-8")).get("version", ""))
        except (OSError, ValueError):
            pass
    return reported_version(argv)
