"""Where the programs are that agents and checks may read and run."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

from sparing.workspace.git.special_files import read_plain
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
        private = prefix.name in (".local", ".cargo") or home.is_relative_to(prefix)
        is_prefix = folder.name in ("bin", "sbin", "shims") and not private
        found.append(prefix if is_prefix else folder)
    if home / ".cargo" / "bin" in found:
        found.append(home / ".rustup")
    return tuple(dict.fromkeys(found))


def past_shims(path: str, folder: Path) -> str:
    """PATH with the programs that pyenv's shims would start in front of the shims.

    A shim is a shell script that starts a dozen processes to find the version; the answer is
    the same for every command, unless the folder or one above it names a version of its own.
    """
    if any(os.path.lexists(one / ".python-version") for one in (folder, *folder.parents)):
        return path
    entries = path.split(os.pathsep)
    return os.pathsep.join(one for entry in entries for one in (*_shimmed(entry), entry))


def _shimmed(entry: str) -> tuple[str, ...]:
    root = Path(entry).parent
    if not entry.endswith("/shims") or not (root / "versions").is_dir():
        return ()
    data = read_plain(root / "version", follow=True)
    if data is None:
        return ()
    names = os.fsdecode(data).split()
    found = [root / "versions" / name / "bin" for name in names]
    # One that is not installed, or `system`: only pyenv knows what then.
    return tuple(map(str, found)) if all(one.is_dir() for one in found) else ()
