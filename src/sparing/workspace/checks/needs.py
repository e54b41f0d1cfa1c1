"""What a check that fails in the sandbox would have needed: a server, Docker, a variable, a file.

Inferred from its output. Pure; a misread line costs a hint too many, never a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

MOST_READ = 400_000
"""How many characters are read, from the end of the output."""
MOST_TOLD = 4
HIGHEST_PORT = 65_535


class NeedKind(StrEnum):
    SERVICE = "service"
    SOCKET = "socket"
    DOCKER = "docker"
    VARIABLE = "variable"
    FILE = "file"


class CheckNeed(NamedTuple):
    kind: NeedKind
    name: str
    """Such as `127.0.0.1:5432`, `DATABASE_URL`, `.env` or the path of a socket file."""

    @property
    def words(self) -> str:
        match self.kind:
            case NeedKind.SERVICE:
                return f"a server at {self.name}, which checks can't reach"
            case NeedKind.SOCKET:
                return f"the socket file {self.name}, which checks can't reach: use 127.0.0.1"
            case NeedKind.DOCKER:
                return "Docker, which checks can't reach: start its containers yourself"
            case NeedKind.VARIABLE:
                return f"the variable {self.name}, which checks don't have"
            case NeedKind.FILE:
                return f"the file {self.name}, which git does not track"

    @property
    def setting(self) -> str:
        """The setting that provides it; empty if none can."""
        settings = {
            NeedKind.SERVICE: "services",
            NeedKind.VARIABLE: "lend_env",
            NeedKind.FILE: "copy",
        }
        return settings.get(self.kind, "")


_HOST = r"(?P<host>127\.0\.0\.1|localhost|\[?::1\]?|0\.0\.0\.0)"
_PORT = r"(?P<port>\d{2,5})"
_REFUSED = r"(?:refused|ECONNREFUSED|Errno 111|Error 111)"
_SERVICES = (
    re.compile(rf"{_HOST}\"?(?: \([^)\n]{{1,60}}\))?, port {_PORT} failed"),
    re.compile(rf"ECONNREFUSED {_HOST}:{_PORT}"),
    re.compile(rf"connecting to {_HOST}:{_PORT}"),
    re.compile(rf"dial tcp {_HOST}:{_PORT}: connect: connection refused"),
    re.compile(rf"{_HOST}[:'\", ]{{1,3}}(?:port[= ]{{1,2}})?{_PORT}[^\n]{{0,160}}{_REFUSED}"),
    re.compile(rf"{_REFUSED}[^\n]{{0,160}}?{_HOST}[:'\", ]{{1,3}}(?:port[= ]{{1,2}})?{_PORT}"),
    re.compile(rf"{_HOST}[^\n]{{0,80}}accepting\s{{1,4}}TCP/IP connections on port {_PORT}"),
)
_SOCKET = re.compile(r"(?P<name>/[\w./-]{1,80}\.s\.PGSQL\.\d+|/[\w./-]{1,80}/mysqld?\.sock)\b")
_DOCKER = re.compile(
    r"Cannot connect to the Docker daemon|docker\.errors\.DockerException|/var/run/docker\.sock"
    r"|docker: (?:command )?not found|Could not find a valid Docker environment"
)
_NAME = r"['\"`]?(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]{1,60}|[A-Z]{4,40})['\"`]?"
_VARIABLES = (
    re.compile(rf"[Ee]nvironment variable(?:s)?(?: not found)?:? {_NAME}"),
    re.compile(rf"{_NAME} (?:environment|env) variable"),
    re.compile(rf"{_NAME} (?:is not set|is not defined|must be set|is required|not set)\b"),
    re.compile(rf"[Ss]et the {_NAME}\b"),
    re.compile(rf"[Mm]issing (?:required )?(?:env|ENV)(?:ironment)?(?: var(?:iable)?)?:? {_NAME}"),
)
_KEY_ERROR = re.compile(r"^(?:E\s+)?KeyError: '(?P<name>[A-Z][A-Z0-9_]{2,60})'", re.MULTILINE)
_FILE = re.compile(
    r"(?:No such file or directory|ENOENT|not found)[^\n]{0,80}?"
    r"['\"](?P<name>[^'\"\n]{0,80}\.env[\w.]{0,20})['\"]"
)


def needs_of(output: str) -> tuple[CheckNeed, ...]:
    """The first few needs found in a check's output, without duplicates."""
    text = output[-MOST_READ:]
    return tuple(dict.fromkeys(_found(text)))[:MOST_TOLD]


def _found(text: str) -> Iterator[CheckNeed]:
    for match in _each(_SERVICES, text):
        if int(match["port"]) <= HIGHEST_PORT:
            yield CheckNeed(NeedKind.SERVICE, f"{_address(match['host'])}:{match['port']}")
    for match in _SOCKET.finditer(text):
        yield CheckNeed(NeedKind.SOCKET, match["name"])
    if _DOCKER.search(text):
        yield CheckNeed(NeedKind.DOCKER, "docker")
    names = (*_VARIABLES, _KEY_ERROR) if "environ" in text else _VARIABLES
    for match in _each(names, text):
        yield CheckNeed(NeedKind.VARIABLE, match["name"])
    for match in _FILE.finditer(text):
        yield CheckNeed(NeedKind.FILE, match["name"].removeprefix("/sparing/work/"))


def _each(patterns: Iterable[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    return (match for pattern in patterns for match in pattern.finditer(text))


def _address(host: str) -> str:
    """One spelling for each loopback address."""
    return "[::1]" if "::1" in host else "127.0.0.1"


def advice(needs: Iterable[CheckNeed]) -> str:
    """The commands that set what is needed; empty if no setting can provide it."""
    named: dict[str, list[str]] = {}
    for one in needs:
        if one.setting:
            named.setdefault(one.setting, []).append(one.name)
    return " && ".join(
        f"sparing config set workspace.{setting} {','.join(names)}"
        for setting, names in named.items()
    )
