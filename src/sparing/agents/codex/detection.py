"""Codex as it is installed and logged in on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sparing.agents.codex.backend import CodexBackend
from sparing.agents.codex.client import (
    TESTED,
    CodexLogin,
    InstalledCodex,
    find_codex,
    find_codex_login,
)
from sparing.agents.codex.options import CodexSetup
from sparing.errors import ConfigError

FOLDER = "codex"
LOG = "codex-double.jsonl"


def codex_backend(folder: Path, environ: Mapping[str, str]) -> CodexBackend:
    found, login = codex_here(environ), codex_login(environ)
    return CodexBackend(
        CodexSetup(
            program=found.program,
            version=found.version,
            config=folder / FOLDER,
            login=login,
            base_url=environ.get("OPENAI_BASE_URL", ""),
            upstream=environ.get("HTTPS_PROXY") or environ.get("https_proxy", ""),
        )
    )


def codex_here(environ: Mapping[str, str]) -> InstalledCodex:
    found = find_codex(environ.get("PATH"))
    if found is None:
        raise ConfigError("Codex is not installed", f"npm install -g @openai/codex@{TESTED}")
    if not found.usable:
        raise ConfigError(
            f"{found.words} is too old or does not start",
            f"npm install -g @openai/codex@{TESTED}",
        )
    return found


def codex_login(environ: Mapping[str, str]) -> CodexLogin:
    login = find_codex_login(environ)
    if login is None:
        raise ConfigError("Codex is not logged in", "set OPENAI_API_KEY, or log in with `codex`")
    return login
