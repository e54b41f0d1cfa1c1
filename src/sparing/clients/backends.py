"""How each backend is made from the settings; every name that settings accept has a line here.

A backend is imported where it is made: a run uses one of them, and most commands none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sparing import backend_name as names
from sparing.agents.api.detection import first_provider
from sparing.agents.api.providers import PROVIDERS
from sparing.agents.backend import Backend
from sparing.clients.conversation_rows import ConversationRows
from sparing.clients.simulated_agent import agent_of
from sparing.clients.tool_mode import mode_of
from sparing.config.load import Loaded
from sparing.config.process_environment import client_environment
from sparing.config.spending import STANDARD, ClientKind, ModelSettings
from sparing.errors import ConfigError
from sparing.records.folder import StateFolder
from sparing.tool import ToolMode

Maker = Callable[[Loaded, StateFolder], Backend]


def make_backend(loaded: Loaded, folder: StateFolder, name: str = "") -> Backend:
    """Make a backend; raises an error to show if something is missing."""
    if cassette := loaded.settings.agent.cassette:
        from sparing.clients.recorded_agent import open_recorded

        return open_recorded(cassette)
    settled = loaded if name else settle_backend(loaded, folder)
    wanted = name or settled.settings.agent.backend
    if wanted not in MAKERS:  # the settings refuse it; records of another version may name it
        raise ConfigError(f"there is no backend '{wanted}'", "sparing doctor lists them")
    return MAKERS[wanted](settled, folder)


def settle_backend(loaded: Loaded, folder: StateFolder) -> Loaded:
    """Replace `auto` and `api` by the actual backend; models are looked up by its name."""
    agent = loaded.settings.agent
    if agent.backend not in (names.AUTO, names.API):
        return loaded
    try:
        found = first_ready(loaded, folder)
    except ConfigError:
        if agent.backend == names.API:
            raise
        return loaded
    return replace(loaded, values={**loaded.values, "agent.backend": found})


def first_ready(loaded: Loaded, folder: StateFolder) -> str:
    """The first usable backend: installed clients with a login go before a provider's key alone."""
    agent = loaded.settings.agent
    if agent.backend == names.AUTO:
        for name in (names.CLAUDE, names.CODEX):
            if _is_ready(MAKERS[name], loaded, folder):
                return name
    return first_provider(client_environment(), agent.server)


def _is_ready(make: Maker, loaded: Loaded, folder: StateFolder) -> bool:
    try:
        make(loaded, folder)
    except ConfigError:
        return False
    return True


def _api(backend: str) -> Maker:
    def make(loaded: Loaded, folder: StateFolder) -> Backend:
        from sparing.agents.api.detection import ApiPlace, api_backend

        settings = loaded.settings
        check_models(backend, settings.models)
        place = ApiPlace(
            folder=folder.path,
            environ=client_environment(),
            store=ConversationRows(folder, backend),
            max_turns=settings.agent.max_turns,
            server=settings.agent.server,
        )
        return api_backend(backend, place)

    return make


def check_models(backend: str, models: ModelSettings) -> None:
    """Refuse the user's own server without model names, which can't be guessed."""
    if backend == names.API_SERVER and models.of("standard", backend) == STANDARD:
        raise ConfigError(
            "the models of your server are not set",
            "name one: sparing config set models.backends api-server.standard=MODEL",
        )


def _first_api(loaded: Loaded, folder: StateFolder) -> Backend:
    return MAKERS[first_provider(client_environment(), loaded.settings.agent.server)](
        loaded, folder
    )


def _api_double(loaded: Loaded, folder: StateFolder) -> Backend:
    from sparing.agents.api.double import DoubledApi

    store = ConversationRows(folder, names.API_DOUBLE)
    agent = agent_of(loaded.settings.agent)
    return DoubledApi(loaded.agent_script, folder.path, store, agent)


def _claude(loaded: Loaded, folder: StateFolder) -> Backend:
    from sparing.clients.claude_detection import claude_backend

    return claude_backend(loaded.settings.agent, folder.path, client_environment())


def _codex(_: Loaded, folder: StateFolder) -> Backend:
    from sparing.agents.codex.detection import codex_backend

    return codex_backend(folder.path, client_environment())


def _acp(name: str) -> Maker:
    def make(loaded: Loaded, folder: StateFolder) -> Backend:
        from sparing.agents.acp.detection import AcpPlace, acp_backend, found_agent

        settings, environ = loaded.settings, client_environment()
        agent = settings.agent
        found = found_agent(name, environ, agent.acp_command, agent.acp_environment)
        model = settings.models.of("standard", name)
        return acp_backend(found, AcpPlace(folder.path, environ, model, agent.server))

    return make


def _acp_double(name: str) -> Maker:
    def make(loaded: Loaded, folder: StateFolder) -> Backend:
        from sparing.agents.acp.detection import agent_here
        from sparing.agents.acp.double import DoubledAcp

        found = agent_here(name, client_environment())
        return DoubledAcp(loaded.agent_script, folder.path, found, agent_of(loaded.settings.agent))

    return make


def _claude_double(loaded: Loaded, folder: StateFolder) -> Backend:
    from sparing.agents.claude.double import DoubledClaude

    agent = loaded.settings.agent
    stock = agent.client is ClientKind.STOCK
    return DoubledClaude(loaded.agent_script, folder.path, agent_of(agent), stock=stock)


def _codex_double(loaded: Loaded, folder: StateFolder) -> Backend:
    from sparing.agents.codex.detection import codex_here
    from sparing.agents.codex.double import DoubledCodex

    found = codex_here(client_environment())
    return DoubledCodex(loaded.agent_script, folder.path, found, agent_of(loaded.settings.agent))


def _scripted(loaded: Loaded, folder: StateFolder) -> Backend:
    if loaded.agent_script is None:
        raise ConfigError(
            "the scripted backend has no script",
            "name one: SPARING_AGENT__SCRIPT=/path/to/script.toml",
        )
    from sparing.agents.scripted.backend import ScriptedBackend
    from sparing.agents.scripted.script import read_script

    own = mode_of(loaded.settings) is not ToolMode.CLIENT
    return ScriptedBackend(read_script(loaded.agent_script), folder.scripted, own_readers=own)


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        names.AUTO: _claude,
        names.CLAUDE: _claude,
        names.CODEX: _codex,
        names.SCRIPTED: _scripted,
        names.CLAUDE_DOUBLE: _claude_double,
        names.CODEX_DOUBLE: _codex_double,
        names.API: _first_api,
        **{backend: _api(backend) for backend in PROVIDERS},
        names.API_DOUBLE: _api_double,
        names.OPENCODE: _acp(names.OPENCODE),
        names.GEMINI: _acp(names.GEMINI),
        names.ACP: _acp(names.ACP),
        names.OPENCODE_DOUBLE: _acp_double(names.OPENCODE),
        names.GEMINI_DOUBLE: _acp_double(names.GEMINI),
    }
)
