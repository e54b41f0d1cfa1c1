"""Claude Code as it is installed and logged in on this machine, made into a backend.

Which client, which login and which address follow from the settings and from what the user's
environment says; `sparing doctor` uses the same functions.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.client import InstalledClient, find_client
from sparing.agents.claude.login import Login, LoginKind, find_login
from sparing.agents.claude.options import Setup
from sparing.config.settings import AgentSettings
from sparing.config.spending import ClientKind, LoginName
from sparing.config.terminal import homely
from sparing.errors import ConfigError
from sparing.installation import add_command

COMMAND = "claude"
FOLDER = "claude"
"""The folder of the client's sessions, in the state folder."""


def claude_backend(
    settings: AgentSettings, folder: Path, environ: Mapping[str, str]
) -> ClaudeBackend:
    found, login = client_here(environ), login_here(settings.login, environ)
    setup = Setup(
        found.program,
        found.version,
        folder / FOLDER,
        login,
        environ.get("ANTHROPIC_BASE_URL", ""),
        max_turns=settings.max_turns,
        upstream=environ.get("HTTPS_PROXY") or environ.get("https_proxy", ""),
        stock=settings.client is ClientKind.STOCK,
    )
    return ClaudeBackend(setup)


def client_here(environ: Mapping[str, str]) -> InstalledClient:
    found = find_client(environ.get("PATH"))
    if found is None:
        raise ConfigError(
            "Claude Code is not installed",
            f"{add_command('claude')}; or see the workflow without it: sparing demo",
        )
    if not found.usable:
        raise ConfigError(
            f"{found.words} is too old or does not start",
            f"install a newer one: {add_command('claude')}",
        )
    return found


def login_here(wanted: LoginName, environ: Mapping[str, str]) -> Login:
    home = environ.get("HOME", "")
    kind = None if wanted is LoginName.AUTO else LoginKind(wanted.value)
    login = find_login(environ, Path(home) if home.startswith("/") else None, kind)
    if login is None:
        typed = typed_client(environ)
        which = "" if kind is None else f" by '{kind}'"
        raise ConfigError(
            f"Claude Code is not logged in{which}",
            f"log in with `{typed}`; or set ANTHROPIC_API_KEY; or CLAUDE_CODE_OAUTH_TOKEN, from "
            + (
                f"`{typed} setup-token`"
                if typed == COMMAND
                else "the same command with `setup-token` after it"
            ),
        )
    return login


def typed_client(environ: Mapping[str, str]) -> str:
    """What starts the client in a shell: the one that came with Sparing is not on the path."""
    found = None if shutil.which(COMMAND, path=environ.get("PATH", "")) else find_client()
    return homely(shlex.quote(str(found.program))) if found else COMMAND
