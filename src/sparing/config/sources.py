"""What the layers say, as found: two kinds of files and the environment, not yet understood.

Reading is careful because a project's file was written by a stranger: only regular files of
bounded size, and no link that leads out of the repository. Nothing is parsed here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparing.config import faults
from sparing.errors import ConfigError

SIZE_LIMIT = 4 * 1024 * 1024
PREFIX = "SPARING_"
PLACES = ("HOME", "XDG_STATE_HOME")


@dataclass(frozen=True)
class SettingsFile:
    path: Path
    text: str


@dataclass(frozen=True)
class Sources:
    user: SettingsFile | None = None
    project: tuple[SettingsFile, ...] = ()
    """`sparing.toml`, `pyproject.toml`, or both as far as they exist."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables with our prefix, and those that say where home and state are."""
    roles: Path | None = None
    """The folder of the user's own role files; it need not exist."""


def read_sources(environ: Mapping[str, str], repository: Path | None) -> Sources:
    """Look for the settings of this user and this repository's root folder."""
    file = user_file(environ)
    return Sources(
        user=None if file is None else _read(file, None),
        project=() if repository is None else _project(repository),
        environ={k: v for k, v in environ.items() if k.startswith(PREFIX) or k in PLACES},
        roles=None if file is None else file.with_name("roles"),
    )


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own settings stand, whether there are any or not."""
    folder, home = absolute(environ, "XDG_CONFIG_HOME"), absolute(environ, "HOME")
    if folder is None and home is not None:
        folder = home / ".config"
    return None if folder is None else folder / "sparing" / "config.toml"


def absolute(environ: Mapping[str, str], name: str) -> Path | None:
    """The folder that a variable names; an empty or relative one counts as not set."""
    value = environ.get(name, "")
    return Path(value) if value.startswith("/") else None


def _project(repository: Path) -> tuple[SettingsFile, ...]:
    found = (_read(repository / name, repository) for name in ("sparing.toml", "pyproject.toml"))
    return tuple(document for document in found if document is not None)


def _read(path: Path, inside: Path | None) -> SettingsFile | None:
    try:
        data = _bytes(path, inside)
    except OSError as error:
        raise faults.unreadable(path, error.strerror or "unknown reason") from None
    if data is None:
        return None
    try:
        return SettingsFile(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise faults.broken(path, line, "a byte that is not UTF-8") from None


def _bytes(path: Path, inside: Path | None) -> bytes | None:
    """At most the limit, from a regular file; None if there is no such file."""
    if inside is not None and path.is_symlink():
        _refuse_escape(path, inside)
    try:
        # Without NONBLOCK a named pipe would hold us up for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if path.is_symlink():
            raise faults.unreadable(path, "a link to nothing") from None
        return None
    try:
        fault = _fault(os.fstat(handle).st_mode)
        if fault is not None:
            raise faults.unreadable(path, fault)
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(SIZE_LIMIT + 1)
    finally:
        os.close(handle)
    if len(data) > SIZE_LIMIT:
        raise faults.unreadable(path, f"more than {SIZE_LIMIT // 1024**2} MiB")
    return data


def _refuse_escape(path: Path, inside: Path) -> None:
    try:
        target = path.resolve(strict=False)
    except RuntimeError:
        raise faults.unreadable(path, "a link to itself") from None
    if not target.is_relative_to(inside.resolve()):
        raise ConfigError(
            f"project file {faults.clean(str(path))}: a link that leads out of the repository",
            "replace the link with a file of its own",
        )


def _fault(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return "a folder" if stat.S_ISDIR(mode) else "not a regular file"
