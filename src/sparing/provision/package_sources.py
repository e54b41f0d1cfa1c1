"""Where packages may come from: the user's own settings and their package managers' defaults.

Asked of the programs themselves, in an empty folder, so that a repository's settings don't count.
No registry's address is hard-coded. Logins are given only to a set-up on the files a feature began
with: for files that an agent has changed the same addresses are given without them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit, urlunsplit

from sparing.agents.tunnel import TLS_PORT, Host
from sparing.workspace.git.special_files import read_plain

ASK_SECONDS = 20
HTTP_PORT = 80
_PIP_DEFAULTS = """
import sys
try:
    import pip
except ImportError:
    import ensurepip, pathlib
    own = pathlib.Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl")
    sys.path[:0] = map(str, own)
from pip._internal.models.index import PyPI
print(PyPI.simple_url, "https://" + PyPI.file_storage_domain)
"""
_PIP_LINE = re.compile(r"^[\w:-]+\.(?P<key>[\w-]+)='(?P<value>.*)'$")
_PIP_KEYS = ("index-url", "extra-index-url", "find-links")
_ADDRESS = re.compile(r"(?:sparse\+|git\+)?(https?://[^\s'\",|]+)")
_LOGINS = ("TOKEN", "PASSWORD", "AUTH", "_KEY", "CLIENT_CERT", "HTTP_BASIC", "USERCONFIG", "NETRC")
_FILES = ("PIP_CONFIG_FILE", "GLOBALCONFIG")
_NOT_GIVEN = frozenset({"PATH", "HOME", "XDG_CONFIG_HOME", "CARGO_HOME"})
_QUIET = {"npm_config_logs_max": "0", "npm_config_update_notifier": "false"}
_PROXIES = frozenset({"HTTPS_PROXY", "https_proxy"})


class PackageSources(NamedTuple):
    hosts: frozenset[Host] = frozenset()
    public: Mapping[str, str] = {}
    """Variables with the addresses but no login."""
    own: Mapping[str, str] = {}
    """All settings of the user's package managers, including logins."""
    files: tuple[Path, ...] = ()
    """The user's settings files, which may contain logins."""
    readable: tuple[Path, ...] = ()
    """Local packages and certificates that the settings name."""
    proxy: str = ""
    """The user's own proxy."""


def package_sources(environ: Mapping[str, str], folder: Path) -> PackageSources:
    """Ask the package managers, in an empty `folder`; once per process."""
    return _sources(tuple(sorted(environ.items())), folder)


@lru_cache(maxsize=4)
def _sources(environ: tuple[tuple[str, str], ...], folder: Path) -> PackageSources:
    known = dict(environ)
    pip, npm = _pip(known, folder), _npm(known, folder)
    told = {**pip, **npm}
    files = _own_files(known)
    own = {name: value for name, value in known.items() if name not in _NOT_GIVEN | _PROXIES}
    own |= {name: str(path) for name, path in files.items() if name not in known}
    public = {name: without_login(value) for name, value in {**told, **own}.items()}
    hidden = {name for name in public if _is_login(name) or name in files}
    public = {name: value for name, value in public.items() if name not in hidden}
    addresses = (*told.values(), *own.values(), *_asked_of_others(known, folder))
    return PackageSources(
        hosts=frozenset(host for text in addresses for host in hosts_in(text)),
        public=public,
        own=own,
        files=tuple(files.values()),
        readable=_folders(public.values()),
        proxy=known.get("HTTPS_PROXY") or known.get("https_proxy", ""),
    )


def hosts_in(text: str) -> Iterator[Host]:
    for found in _ADDRESS.finditer(text):
        with suppress(ValueError):
            parts = urlsplit(found[1])
            usual = HTTP_PORT if parts.scheme == "http" else TLS_PORT
            yield Host((parts.hostname or "").lower(), parts.port or usual)


def named_hosts(names: Iterable[str]) -> Iterator[Host]:
    """Parse hosts as written in the setting."""
    for name in names:
        host, _, port = name.partition(":")
        yield Host(host.lower(), int(port)) if port else Host(host.lower())


def without_login(text: str) -> str:
    """Addresses without user name and password."""
    return _ADDRESS.sub(lambda found: found[0].replace(found[1], _plain(found[1])), text)


def _plain(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _is_login(name: str) -> bool:
    return any(word in name.upper() for word in (*_LOGINS, *_FILES))


def _pip(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Settings under the names of pip's variables."""
    found: dict[str, str] = {}
    for line in _ask(("python3", "-m", "pip", "config", "list"), environ, folder).splitlines():
        told = _PIP_LINE.match(line)
        if told and told["key"] in _PIP_KEYS:
            name = f"PIP_{told['key'].upper().replace('-', '_')}"
            found[name] = told["value"].replace("\\n", " ").strip()
    return found


def _npm(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    try:
        told: object = json.loads(_ask(("npm", "config", "list", "--json"), environ, folder))
    except ValueError:
        return {}
    rows = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    return {
        f"npm_config_{key}": value
        for key, value in rows.items()
        if key.endswith("registry") and isinstance(value, str)
    }


def _asked_of_others(environ: Mapping[str, str], folder: Path) -> Iterator[str]:
    """Addresses of other tools, in any form; pip's default applies to all tools for Python."""
    for python in ("python3", sys.executable):
        if default := _ask((python, "-I", "-c", _PIP_DEFAULTS), environ, folder):
            yield default
            break
    yield _ask(("pnpm", "config", "get", "registry"), environ, folder)
    yield _ask(("yarn", "config", "get", "registry"), environ, folder)
    for word in re.split(r"[\s,|]+", _ask(("go", "env", "GOPROXY", "GOSUMDB"), environ, folder)):
        yield word if "://" in word or "." not in word else f"https://{word}"
    home = Path(environ.get("HOME", os.devnull))
    config = Path(environ.get("XDG_CONFIG_HOME", home / ".config"))
    cargo = Path(environ.get("CARGO_HOME", home / ".cargo"))
    for file in (config / "uv" / "uv.toml", cargo / "config.toml"):
        yield from _values(file)
    for index in cargo.glob("registry/index/*-*"):
        yield f"https://{index.name.rpartition('-')[0]}"
        yield (read_plain(index / "config.json") or b"").decode("utf-8", "replace")


def _values(file: Path) -> Iterator[str]:
    text = (read_plain(file, follow=True) or b"").decode("utf-8", "replace")
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    yield text


def _own_files(environ: Mapping[str, str]) -> dict[str, Path]:
    """Settings files in HOME, by the variable that can point to them elsewhere."""
    home = Path(environ.get("HOME", os.devnull))
    config = Path(environ.get("XDG_CONFIG_HOME", home / ".config"))
    places = {
        "PIP_CONFIG_FILE": (config / "pip" / "pip.conf", home / ".pip" / "pip.conf"),
        "npm_config_userconfig": (home / ".npmrc",),
        "NETRC": (home / ".netrc",),
    }
    found = {name: [one for one in files if one.is_file()] for name, files in places.items()}
    return {name: files[0] for name, files in found.items() if files}


def _folders(values: Iterable[str]) -> tuple[Path, ...]:
    """The user's own local package folders."""
    words = (word.removeprefix("file://") for value in values for word in value.split())
    return tuple(Path(word) for word in words if word.startswith("/") and Path(word).exists())


def _ask(argv: tuple[str, ...], environ: Mapping[str, str], folder: Path) -> str:
    """The output of one of the user's programs; empty if it is missing or does not answer."""
    program = shutil.which(argv[0], path=environ.get("PATH", os.defpath))
    if program is None:
        return ""
    try:
        done = subprocess.run(
            (program, *argv[1:]), cwd=folder, env={**environ, **_QUIET}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=ASK_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
