"""Where the programs are that agents and checks may read and run."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

from sparing.workspace.sandbox.policy import SYSTEM_ROOTS


def python_roots() -> tuple[Path, ...]:
    """Where the Python that runs us, its packages and its libraries are."""
    found = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    return tuple(dict.fromkeys(Path(prefix) for prefix in found))


@lru_cache(maxsize=8)
def tool_roots(path: str, home: Path) -> tuple[Path, ...]:
    """Folders that the user's tools need to read, inferred from PATH: prefixes, not all of HOME."""
    found: list[Path] = []
    for folder in map(Path, path.split(os.pathsep)):
        known = any(folder.is_relative_to(root) for root in SYSTEM_ROOTS)
        if known or not folder.is_absolute() or home.is_relative_to(folder):
            continue
        prefix = folder.parent
        # Next to these programs lie credentials.
        private = prefix in (home / ".local", home / ".cargo") or home.is_relative_to(prefix)
        is_prefix = folder.name in ("bin", "sbin", "shims") and not private
        found.append(prefix if is_prefix else folder)
    if home / ".cargo" / "bin" in found:
        found.append(home / ".rustup")
    return tuple(dict.fromkeys(found))
