"""How Claude Code is logged in when we start it, in a folder that is ours and has no login.

A key or a long-lived token is handed over through a descriptor, never left in the client's
environment. Or the client uses the user's own folder: a login there is refreshed in place, since a
copy would log the user out. What is shown about a login never contains the secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

OWN_FOLDER = ".claude"
CREDENTIALS = ".credentials.json"


class LoginKind(StrEnum):
    API_KEY = "api-key"
    TOKEN = "token"
    OWN = "own"


class _Handing(NamedTuple):
    """The variable that holds a secret, and the one that names its descriptor."""

    variable: str
    descriptor: str


HANDINGS = {
    LoginKind.API_KEY: _Handing("ANTHROPIC_API_KEY", "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR"),
    LoginKind.TOKEN: _Handing("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR"),
}


@dataclass(frozen=True, slots=True)
class Login:
    kind: LoginKind
    secret: str = field(default="", repr=False)
    folder: Path | None = None
    """The user's own folder, if they are logged in there."""

    @property
    def words(self) -> str:
        match self.kind:
            case LoginKind.API_KEY:
                return "API key from ANTHROPIC_API_KEY"
            case LoginKind.TOKEN:
                return "long-lived token from CLAUDE_CODE_OAUTH_TOKEN"
            case LoginKind.OWN:
                return f"your own login in {self.folder}"

    @property
    def environment(self) -> dict[str, str]:
        if self.folder is not None:
            return {"CLAUDE_SECURESTORAGE_CONFIG_DIR": str(self.folder)}
        return {HANDINGS[self.kind].variable: self.secret}

    @property
    def secrets(self) -> frozenset[str]:
        return frozenset() if self.folder is not None else frozenset(self.environment)

    @property
    def state(self) -> tuple[Path, ...]:
        """Folders that the client must be able to write for its login."""
        return () if self.folder is None else (self.folder,)

    @property
    def handing(self) -> tuple[str, ...]:
        """Arguments of `secret_pipe.py`; empty if no secret is handed over."""
        return () if self.folder is not None else HANDINGS[self.kind]


def find_login(
    environ: Mapping[str, str], home: Path | None, wanted: LoginKind | None = None
) -> Login | None:
    """The login to use: the wanted kind, else the first one found."""
    for kind in LoginKind if wanted is None else (wanted,):
        found = _own(environ, home) if kind is LoginKind.OWN else _handed(environ, kind)
        if found is not None:
            return found
    return None


def _handed(environ: Mapping[str, str], kind: LoginKind) -> Login | None:
    secret = environ.get(HANDINGS[kind].variable, "").strip()
    return Login(kind, secret) if secret else None


def _own(environ: Mapping[str, str], home: Path | None) -> Login | None:
    named = environ.get("CLAUDE_CONFIG_DIR", "")
    folder = Path(named) if named else home / OWN_FOLDER if home else None
    if folder is None or not (folder / CREDENTIALS).is_file():
        return None
    return Login(LoginKind.OWN, folder=folder)
