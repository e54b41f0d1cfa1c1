"""Where Codex is on this machine, which version of it, and how it is logged in.

The npm package wraps the program in a script that starts Node needlessly; we look for the program
behind it. No network is used.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparing.agents.reported_version import reported_version, version_numbers

TESTED = "0.166.0"
OLDEST = (0, 151, 0)
KEY = "OPENAI_API_KEY"
OWN_FOLDER, CREDENTIALS = ".codex", "auth.json"
NO_LOGIN = f"set {KEY}, or log in with `codex login`"
_BEHIND = "codex-*/vendor/*/bin/codex"


@dataclass(frozen=True, slots=True)
class InstalledCodex:
    program: Path
    version: str

    @property
    def usable(self) -> bool:
        return version_numbers(self.version) >= OLDEST

    @property
    def words(self) -> str:
        tested = "" if self.version == TESTED else f", tested with {TESTED}"
        return f"Codex {self.version or 'of an unknown version'} ({self.program}{tested})"


@dataclass(frozen=True, slots=True)
class CodexLogin:
    secret: str = field(default="", repr=False)
    folder: Path | None = None
    """The user's own folder, if they are logged in there."""

    @property
    def there(self) -> bool:
        """Whether the login still exists: it may vanish while a feature runs."""
        return bool(self.secret) or (
            self.folder is not None and (self.folder / CREDENTIALS).is_file()
        )

    @property
    def words(self) -> str:
        return f"your own login in {self.folder}" if self.folder else f"API key from {KEY}"


def find_codex(path: str | None) -> InstalledCodex | None:
    named = shutil.which("codex", path=path) if path else None
    if named is None:
        return None
    program = _behind(Path(named).resolve())
    return InstalledCodex(program, reported_version((str(program),)))


def find_codex_login(environ: Mapping[str, str]) -> CodexLogin | None:
    """Find the login; a key goes first, as it is what the user has set for programs."""
    secret = environ.get(KEY, "").strip()
    if secret:
        return CodexLogin(secret)
    home = environ.get("HOME", "")
    named = environ.get("CODEX_HOME") or (f"{home}/{OWN_FOLDER}" if home.startswith("/") else "")
    if not named or not (Path(named) / CREDENTIALS).is_file():
        return None
    return CodexLogin(folder=Path(named))


def _behind(script: Path) -> Path:
    """The program that the npm package's script would start; the script itself if there is none."""
    if script.suffix != ".js":
        return script
    package = script.parent.parent
    places = (package / "node_modules" / "@openai", package.parent)
    found = (program for place in places for program in sorted(place.glob(_BEHIND)))
    return next(found, script)
