"""How each backend is made from the settings; a name that settings know has a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sparing import backend_name as names
from sparing.agents.backend import Backend
from sparing.agents.codex.claude_double import DoubledClaude
from sparing.agents.codex.double import DoubledCodex
from sparing.agents.codex.here import codex_backend, codex_here
from sparing.agents.script import read_script
from sparing.agents.scripted import ScriptedBackend
from sparing.config.load import Loaded
from sparing.config.process_environment import client_environment
from sparing.config.spending import ClientKind
from sparing.errors import ConfigError
from sparing.records.folder import StateFolder
from sparing.runtime.claude_double import agent_of
from sparing.runtime.clients import claude_backend
from sparing.runtime.own_tools import mode_of
from sparing.tool import ToolMode

Maker = Callable[[Loaded, StateFolder], Backend]


def make_backend(loaded: Loaded, folder: StateFolder, name: str = "") -> Backend:
    """Raises what is missing, in words to show."""
    settled = loaded if name else settle_backend(loaded, folder)
    return MAKERS[name or settled.settings.agent.backend](settled, folder)


def settle_backend(loaded: Loaded, folder: StateFolder) -> Loaded:
    """`auto` becomes `codex` where only Codex is ready; models are looked up by that name."""
    if loaded.settings.agent.backend != names.AUTO or _is_ready(_claude, loaded, folder):
        return loaded
    if not _is_ready(_codex, loaded, folder):
        return loaded
    return replace(loaded, values={**loaded.values, "agent.backend": names.CODEX})


def _is_ready(make: Maker, loaded: Loaded, folder: StateFolder) -> bool:
    try:
        make(loaded, folder)
    except ConfigError:
        return False
    return True


def _claude(loaded: Loaded, folder: StateFolder) -> Backend:
    return claude_backend(loaded.settings.agent, folder.path, client_environment())


def _codex(_: Loaded, folder: StateFolder) -> Backend:
    return codex_backend(folder.path, client_environment())


def _claude_double(loaded: Loaded, folder: StateFolder) -> Backend:
    agent = loaded.settings.agent
    stock = agent.client is ClientKind.STOCK
    return DoubledClaude(loaded.agent_script, folder.path, agent_of(agent), stock=stock)


def _codex_double(loaded: Loaded, folder: StateFolder) -> Backend:
    found = codex_here(client_environment())
    return DoubledCodex(loaded.agent_script, folder.path, found, agent_of(loaded.settings.agent))


def _scripted(loaded: Loaded, folder: StateFolder) -> Backend:
    if loaded.agent_script is None:
        raise ConfigError(
            "the scripted backend has no script",
            "name one: SPARING_AGENT__SCRIPT=/path/to/script.toml",
        )
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
    }
)
