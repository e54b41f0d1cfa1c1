"""What `sparing doctor` says about the agent: client, login, which backend is used and why.

The engine checks the same things, with the same messages, when a run begins. Nothing is sent
anywhere unless requested, and even then no token is spent.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from sparing import backend_name as names
from sparing.agents.claude.options import VENDOR
from sparing.agents.scripted.script import read_script
from sparing.config.load import Loaded
from sparing.config.process_environment import client_environment
from sparing.config.settings import DoubledAgent
from sparing.errors import SparingError

HELLO = "/api/hello"
PATIENCE_SECONDS = 10


class DoctorLine(NamedTuple):
    name: str
    good: bool
    words: str
    repair: str = ""
    found: bool = True
    """True if it is installed, whether it is needed or not."""


def agent_findings(loaded: Loaded) -> list[DoctorLine]:
    backend, environ = loaded.settings.agent.backend, client_environment()
    codex, api = _codex(environ, backend), _api(loaded, environ)
    others = codex.usable or api.usable
    needed = backend == names.CLAUDE or (backend == names.AUTO and not others)
    client = _client(environ, needed=needed or backend == names.CLAUDE_DOUBLE)
    login = _login(loaded, environ, needed=needed)
    claude = _Parts(client, login)
    acp = _acp(loaded, environ)
    others_found = [line for one in acp.values() for line in (one if one.client.found else one[:1])]
    agent = _agent(loaded, claude, codex, acp.get(backend, api))
    return [client, login, *codex, *api, *others_found, agent]


class _Parts(NamedTuple):
    """What a client needs: to be installed, and to be logged in."""

    client: DoctorLine
    login: DoctorLine

    @property
    def usable(self) -> bool:
        return self.client.found and self.login.found

    @property
    def missing(self) -> str:
        if not self.client.good:
            return self.client.words
        return "" if self.login.good else self.login.words


def _codex(environ: Mapping[str, str], backend: str) -> _Parts:
    from sparing.agents.codex.detection import codex_here, codex_login

    needed = backend == names.CODEX
    played = backend == names.CODEX_DOUBLE
    try:
        vendor = names.BACKENDS[names.CODEX].vendor
        words = f"{codex_here(environ).words}, for models of {vendor}"
        client = DoctorLine("codex", True, words)
    except SparingError as error:
        client = _missing("codex", error, needed=needed or played)
    try:
        login = DoctorLine("codex login", True, codex_login(environ).words)
    except SparingError as error:
        login = _missing("codex login", error, needed=needed)
    return _Parts(client, login)


def _api(loaded: Loaded, environ: Mapping[str, str]) -> _Parts:
    """Providers whose models need only a key; shows which keys were found, never a key itself."""
    from sparing.agents.api.detection import (
        LIBRARY,
        address_of,
        first_provider,
        key_here,
        library_here,
    )
    from sparing.agents.api.providers import PROVIDERS, find_key

    backend, server = loaded.settings.agent.backend, loaded.settings.agent.server
    asked = backend == names.API or backend in PROVIDERS
    try:
        words = f"{LIBRARY} {library_here()}, for models of any provider"
        library = DoctorLine("api", True, words)
    except SparingError as error:
        played = backend == names.API_DOUBLE
        library = _missing("api", error, needed=asked or played)
    try:
        wanted = backend if backend in PROVIDERS else first_provider(environ, server)
        key_here(PROVIDERS[wanted], environ)
        address_of(PROVIDERS[wanted], environ, server)
        found = [one.words for one in (find_key(p, environ) for p in PROVIDERS.values()) if one]
        named = [words for words in found if "from" in words] or found
        keys = DoctorLine("api keys", True, f"{', '.join(named)}; api is {wanted}")
    except SparingError as error:
        keys = _missing("api keys", error, needed=asked)
    return _Parts(library, keys)


def _acp(loaded: Loaded, environ: Mapping[str, str]) -> dict[str, _Parts]:
    """Agents of the Agent Client Protocol; the user's own only if the settings name it."""
    from sparing.agents.acp.detection import AGENTS, found_agent, keys_here

    settings = loaded.settings
    agent, parts = settings.agent, dict[str, _Parts]()
    for name in (*AGENTS, *((names.ACP,) if agent.backend == names.ACP else ())):
        needed = agent.backend == name
        try:
            found = found_agent(name, environ, agent.acp_command, agent.acp_environment)
        except SparingError as error:
            played = names.client_name(agent.backend) == name
            missing = _missing(name, error, needed=needed or played)
            parts[name] = _Parts(missing, missing)
            continue
        try:
            keys = keys_here(found.agent, settings.models.of("standard", name), environ)
            words = ", ".join(key.words for key in keys.values() if key.variable)
            key = DoctorLine(f"{name} key", True, words or "no key, the server needs none")
        except SparingError as error:
            key = _missing(f"{name} key", error, needed=needed)
        parts[name] = _Parts(DoctorLine(name, True, found.words), key)
    return parts


def online_finding() -> DoctorLine:
    """Whether the address that the client uses responds; the request costs nothing."""
    environ = client_environment()
    base = environ.get("ANTHROPIC_BASE_URL", VENDOR).rstrip("/")
    host = urlsplit(base).netloc
    proxy = environ.get("HTTPS_PROXY") or environ.get("https_proxy")
    door = urllib.request.ProxyHandler({"https": proxy} if proxy else {})
    request = urllib.request.Request(base + HELLO, method="HEAD")
    try:
        with urllib.request.build_opener(door).open(request, timeout=PATIENCE_SECONDS) as reply:
            words = f"{host} answers ({reply.status})"
    except urllib.error.HTTPError as error:
        words = f"{host} answers ({error.code})"
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", error)
        return DoctorLine("network", False, f"{host} does not answer: {why}", "check your network")
    return DoctorLine("network", True, words)


def _client(environ: Mapping[str, str], *, needed: bool) -> DoctorLine:
    from sparing.clients.claude_detection import client_here

    try:
        return DoctorLine("client", True, client_here(environ).words)
    except SparingError as error:
        return _missing("client", error, needed=needed)


def _login(loaded: Loaded, environ: Mapping[str, str], *, needed: bool) -> DoctorLine:
    from sparing.clients.claude_detection import login_here

    try:
        login = login_here(loaded.settings.agent.login, environ)
    except SparingError as error:
        return _missing("login", error, needed=needed)
    return DoctorLine("login", True, f"{login.words} ({login.kind})")


def _missing(name: str, error: SparingError, *, needed: bool) -> DoctorLine:
    """A problem only if it is needed."""
    if not needed:
        words = f"{error.what} (not needed)"
        return DoctorLine(name, True, words, found=False)
    return DoctorLine(name, False, error.what, error.repair, found=False)


def _agent(loaded: Loaded, claude: _Parts, codex: _Parts, api: _Parts) -> DoctorLine:
    backend = loaded.settings.agent.backend
    why = f"{backend}, set by {loaded.origins['agent.backend']}"
    if backend == names.AUTO:
        return _auto(claude, codex, api)
    if names.is_played(backend):
        return _playing(loaded, why)
    missing = {names.CLAUDE: claude, names.CODEX: codex}.get(backend, api).missing
    return DoctorLine("agent", not missing, f"{why}, but {missing}" if missing else why)


def _auto(claude: _Parts, codex: _Parts, api: _Parts) -> DoctorLine:
    ready = ((names.CLAUDE, claude), (names.CODEX, codex), (names.API, api))
    taken = next((name for name, parts in ready if parts.usable), "")
    if taken:
        why = "a key is set" if taken == names.API else "it is installed and logged in"
        return DoctorLine("agent", True, f"{taken}: {why}")
    return DoctorLine(
        "agent", False, f"none: {claude.missing}",
        "or see it all without an agent: sparing demo",
    )  # fmt: skip


def _playing(loaded: Loaded, why: str) -> DoctorLine:
    agent = loaded.settings.agent
    if agent.backend != names.SCRIPTED and loaded.agent_script is None:
        drawn = agent.double is not DoubledAgent.SCRIPT
        how = f"working like a {agent.double} agent" if drawn else "improvising without a script"
        return DoctorLine("agent", True, f"{why}, {how}")
    if loaded.agent_script is None:
        repair = "name one: SPARING_AGENT__SCRIPT=/path/to/script.toml"
        return DoctorLine("agent", False, f"{why}, but it has no script", repair)
    try:
        read_script(loaded.agent_script)
    except SparingError as error:
        return DoctorLine("agent", False, f"{why}, but {error.what}", error.repair)
    return DoctorLine("agent", True, f"{why}, playing {loaded.agent_script}")
