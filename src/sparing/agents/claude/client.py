"""Where Claude Code is on this machine, and which version of it.

The one bundled with the extra `sparing[claude]` goes first: it is the one that was tested. No
package of it is imported and no network is used.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sparing.agents.reported_version import reported_version, version_in, version_numbers

PACKAGE = "claude_agent_sdk"
TESTED = "2.1.325"
OLDEST = (2, 1, 248)
"""Older versions would interpret commands and file names in prompts that are documents."""


@dataclass(frozen=True, slots=True)
class InstalledClient:
    program: Path
    version: str
    bundled: bool
    """True if it came with the extra."""

    @property
    def usable(self) -> bool:
        return version_numbers(self.version) >= OLDEST

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
    if noted.is_file():
        return version_in(noted.read_text("utf-8", "replace"))
    return reported_version((str(program),))
