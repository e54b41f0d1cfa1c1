"""What the layers say, as found: two kinds of files and the environment, not yet understood.

Reading is careful because a project's file was written by a stranger: only regular files of
bounded size, and no link that leads out of the repository. Nothing is parsed here.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from sparing.config import faults
from sparing.errors import ConfigError
from sparing.lazy_dataclass import lazy_dataclass

SIZE_LIMIT = 4 * 1024 * 1024
PARSED_LIMIT = 64 * 1024
DOTS_LIMIT = 250
PREFIX = "SPARING_"
PYPROJECT = "pyproject.toml"
PLACES = ("HOME", "XDG_STATE_HOME", "RUSTUP_HOME")


@lazy_dataclass
class SettingsFile:
    path: Path
    text: str


@lazy_dataclass
class Sources:
    user: SettingsFile | None = None
    project: tuple[SettingsFile, ...] = ()
    """`sparing.toml`, `pyproject.toml`, or both as far as they exist."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables with our prefix, and those that say where home, state and toolchains are."""
    roles: Path | None = None
    """The folder of the user's own role files; it need not exist."""

    @property
    def are_silent(self) -> bool:
        """True if nothing is set anywhere, valid or not."""
        named = any(name.startswith(PREFIX) for name in self.environ)
        return self.user is None and not named and not any(map(may_name_us, self.project))


def sources_here(repository: Path | None) -> Sources:
    """The layers of this process, to be loaded again with other flags."""
    return read_sources(os.environ, repository)


def read_sources(environ: Mapping[str, str], repository: Path | None) -> Sources:
    """Look for the settings of this user and this repository's root folder."""
    file = user_file(environ)
    return Sources(
        user=None if file is None else _read(file, None),
        project=() if repository is None else _project(repository),
        environ={k: v for k, v in environ.items() if k.startswith(PREFIX) or k in PLACES},
        roles=None if file is None else file.with_name("roles"),
    )


def state_root(folder: str, environ: Mapping[str, str]) -> Path:
    """Where state is kept; `folder` is what the settings say about it, empty if nothing."""
    if folder:
        return own_path(folder, environ)
    state = absolute(environ, "XDG_STATE_HOME")
    return (state or _home(environ) / ".local" / "state") / "sparing"


def own_path(text: str, environ: Mapping[str, str]) -> Path:
    return _home(environ) / text[2:] if text.startswith("~/") else Path(text)


def _home(environ: Mapping[str, str]) -> Path:
    home = absolute(environ, "HOME")
    if home is None:
        raise faults.no_home()
    return home


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Path of the user's settings file, whether it exists or not."""
    folder, home = absolute(environ, "XDG_CONFIG_HOME"), absolute(environ, "HOME")
    if folder is None and home is not None:
        folder = home / ".config"
    return None if folder is None else folder / "sparing" / "config.toml"


def absolute(environ: Mapping[str, str], name: str) -> Path | None:
    """The folder that a variable names; an empty or relative one counts as not set."""
    value = environ.get(name, "")
    return Path(value) if value.startswith("/") else None


def _project(repository: Path) -> tuple[SettingsFile, ...]:
    found = (_read(repository / name, repository) for name in ("sparing.toml", PYPROJECT))
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
            raise faults.unreadable(path, "a broken link") from None
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
            "replace the link with a regular file",
        )


def _fault(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return "a folder" if stat.S_ISDIR(mode) else "not a regular file"


def parse_file(document: SettingsFile) -> Mapping[str, object]:
    # Most repositories have no settings of ours.
    import tomllib

    _refuse_bombs(document)
    try:
        return tomllib.loads(document.text)
    except RecursionError:
        raise faults.unreadable(document.path, "nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else document.text.count("\n") + 1
        raise faults.broken(document.path, number, f"not TOML: {reason}") from None
    except ValueError:
        raise faults.unreadable(document.path, "a number with too many digits") from None


def _refuse_bombs(document: SettingsFile) -> None:
    """The parser's memory grows with the square of a dotted key's parts: 250 kB took it all."""
    if len(document.text) > PARSED_LIMIT:
        raise faults.unreadable(document.path, f"more than {PARSED_LIMIT // 1024} KiB")
    for number, line in enumerate(document.text.split("\n"), 1):
        if line.count(".") > DOTS_LIMIT:
            raise faults.broken(document.path, number, f"more than {DOTS_LIMIT} dots on a line")


def may_name_us(document: SettingsFile) -> bool:
    """Whether it may have settings of ours; a pyproject.toml that never names us is ignored."""
    return document.path.name != PYPROJECT or "sparing" in document.text
