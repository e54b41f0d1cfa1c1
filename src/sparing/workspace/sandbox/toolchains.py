"""Where the programs are that agents and checks may read and run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from sparing.workspace.git.special_files import read_plain
from sparing.workspace.sandbox.policy import SYSTEM_ROOTS

_LIBRARIES = ("bin", "lib", "lib64", "include")
_PARTS = (
    *("bin", "sbin", "shims", "lib", "lib32", "lib64", "libexec", "share", "include", "libs"),
    *("versions", "version", "installs", "install", "plugins", "tools", "toolchains", "candidates"),
    *("node_modules", "store", "packages", "pkgs", "envs", "opt", "Cellar", "py", "self", "ghc"),
    *("stublibs", "conf", "jmods", "legal", "release", "pyvenv.cfg", "pyenv.d", "rbenv.d"),
    *("completions", "global", "ssl", "sdk", "shared", "boot", "src", "pkg", "go.env", "VERSION"),
)
"""Of a folder of a tool's own in HOME: programs and what they load. Next to these lie logins."""
_INSTALLED = frozenset(
    {"versions", "installs", "candidates", "toolchains", "rubies", "gos", "envs", "Cellar", "pkgs"}
)
"""What is below one of these is one version of one tool, which keeps its logins elsewhere."""
_PACKAGES = "vendor"


def python_roots() -> tuple[Path, ...]:
    """Where the Python that runs us, its packages and its libraries are."""
    found = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    prefixes = [Path(prefix) for prefix in found]
    # A Python that was installed into ~/.local is in one folder with what other programs keep.
    return tuple(
        dict.fromkeys(
            part
            for prefix in prefixes
            for part in (_parts(prefix, _LIBRARIES) if prefix.name == ".local" else (prefix,))
        )
    )


@lru_cache(maxsize=8)
def tool_roots(path: str, home: Path) -> tuple[Path, ...]:
    """Folders that the user's tools need to read, inferred from PATH: prefixes, not all of HOME."""
    found: list[Path] = []
    for folder in map(Path, path.split(os.pathsep)):
        known = any(folder.is_relative_to(root) for root in SYSTEM_ROOTS)
        if known or not folder.is_absolute() or home.is_relative_to(folder):
            continue
        prefix = folder.parent
        private = prefix.name in (".local", ".cargo") or home.is_relative_to(prefix)
        if folder.name not in ("bin", "sbin", "shims") or private:
            found.append(folder)
        elif _holds_logins(prefix, home):
            found += (folder, *_parts(prefix, _PARTS))
        else:
            found.append(prefix)
    if home / ".cargo" / "bin" in found:
        found.append(home / ".rustup")
    return tuple(dict.fromkeys(found))


def _parts(prefix: Path, names: Iterable[str]) -> tuple[Path, ...]:
    return tuple(part for name in names if (part := prefix / name).exists())


def _holds_logins(prefix: Path, home: Path) -> bool:
    """Whether it may be a folder like `~/.docker`, which holds programs and logins alike."""
    if not prefix.is_relative_to(home):
        return False
    top, *below = prefix.relative_to(home).parts
    installed = prefix.name == _PACKAGES or not _INSTALLED.isdisjoint(below[:-1])
    return top.startswith(".") and not installed


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
