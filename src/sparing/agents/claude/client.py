"""Where Claude Code is on this machine, and which version of it.

The one bundled with the extra `sparing[claude]` goes first: it is the one that was tested. No
package of it is imported and no network is used.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "claude_agent_sdk"
TESTED = "2.1.325"
OLDEST = (2, 1, 248)
"""Older versions would interpret commands and file names in prompts that are documents."""
PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class InstalledClient:
    program: Path
    version: str
    bundled: bool
    """True if it came with the extra."""

    @property
    def usable(self) -> bool:
        return numbers(self.version) >= OLDEST

    @property
    def words(self) -> str:
        where = "installed with sparing" if self.bundled else str(self.program)
        tested = "" if self.version == TESTED else f", tested with {TESTED}"
        return f"Claude Code {self.version} ({where}{tested})"


def find_client(path: str | None = None) -> InstalledClient | None:
    """Find the client; `path` is searched if the extra is not installed. None if there is none."""
    program = _bundled()
    if program is not None:
        return InstalledClient(program, _version(program), bundled=True)
    named = shutil.which("claude", path=path) if path else None
    if named is None:
        return None
    return InstalledClient(Path(named), _version(Path(named)), bundled=False)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:3])


def _bundled() -> Path | None:
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        program = Path(folder) / "_bundled" / "claude"
        if program.is_file():
            return program
    return None


def _version(program: Path) -> str:
    """The version it reports, or that is noted beside it; empty if it can't be started."""
    noted = program.with_name("claude.version")
    words = noted.read_text("utf-8", "replace") if noted.is_file() else _asked(program)
    found = re.search(r"\d+\.\d+\.\d+", words)
    return found.group() if found else ""


def _asked(program: Path) -> str:
    try:
        done = subprocess.run(
            [str(program), "--version"],
            capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
