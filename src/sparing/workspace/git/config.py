"""Which settings of a repository may have an effect when we start git.

A repository's own configuration can name programs that git runs. Most of them cannot run with the
commands we use, or are switched off here by a setting of higher precedence; what could still run,
and would give wrong files when switched off, is refused until a person trusts it. This file only
judges: it starts nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from sparing.errors import RepositoryError
from sparing.workspace.git.special_files import WHOLE, read_plain


class Setting(NamedTuple):
    key: str
    value: str
    origin: str = ""
    """The file that contains it."""


class Effect(StrEnum):
    """What Sparing does about a setting that names a program."""

    REFUSED = "Sparing stops until you trust it"
    OFF = "off until you trust it: counts as a conflict"
    PUSH = "nothing is pushed until you trust it"
    NEVER = "never run"


FIXED: tuple[Setting, ...] = (
    # No program of the repository's choice.
    Setting("core.hooksPath", os.devnull),
    Setting("core.fsmonitor", "false"),
    Setting("core.editor", "false"),
    Setting("core.pager", "cat"),
    Setting("core.sshCommand", "false"),
    Setting("credential.helper", ""),
    Setting("gpg.program", "false"),
    Setting("commit.gpgSign", "false"),
    Setting("log.showSignature", "false"),
    Setting("merge.verifySignatures", "false"),
    Setting("gc.auto", "0"),
    Setting("maintenance.auto", "false"),
    Setting("protocol.allow", "never"),
    Setting("protocol.ext.allow", "never"),
    Setting("submodule.recurse", "false"),
    Setting("safe.bareRepository", "explicit"),
    # git-lfs in its own spelling, whatever the repository says. Content that is not there yet
    # stays a pointer: we make no network call. What is there is put in place by `unpack`.
    Setting("filter.lfs.clean", "git-lfs clean -- %f"),
    Setting("filter.lfs.smudge", "git-lfs smudge --skip -- %f"),
    Setting("filter.lfs.process", "git-lfs filter-process --skip"),
    Setting("filter.lfs.required", "true"),
    # What we wrote is on the disk before we say so. An index is not: it can be made again.
    Setting("core.fsync", "committed,reference"),
    Setting("core.fsyncMethod", "fsync"),
    # A change can't hide: whole tree, whole stat data.
    Setting("core.sparseCheckout", "false"),
    Setting("core.splitIndex", "false"),
    Setting("core.untrackedCache", "false"),
    Setting("core.ignoreStat", "false"),
    Setting("core.trustctime", "true"),
    Setting("core.checkStat", "default"),
    Setting("core.protectHFS", "true"),
    Setting("core.protectNTFS", "true"),
    # The same words and bytes everywhere.
    Setting("core.safecrlf", "false"),
    Setting("core.quotePath", "false"),
    Setting("color.ui", "false"),
    Setting("i18n.commitEncoding", "UTF-8"),
)
SPARSE = (Setting("core.sparseCheckout", "true"), Setting("core.sparseCheckoutCone", "true"))
"""For a worktree that holds a part of its repository."""

_OURS = ("local", "worktree")
_INCLUDE = re.compile(r"include\.path|includeif\..*\.path", re.DOTALL)
_REMOTE = re.compile(r"remote\..*\.(url|pushurl)", re.DOTALL)
# All else is a path, or names a helper program by two colons.
_HOSTED = re.compile(
    r"(https?|ssh|git|git\+ssh|ssh\+git)://[\w\[].*|\w[\w.@-]+:(?!:|//).*", re.DOTALL
)
_APPROVED = re.compile(r"filter\.lfs\.(clean|smudge|process)")
_EFFECTS = {
    Effect.REFUSED: (
        r"include\.path|includeif\..*\.path",
        r"filter\..*\.(clean|smudge|process)",
        r"lfs\.extension\..*\.(clean|smudge)|lfs\.customtransfer\..*\.path",
    ),
    Effect.OFF: (r"merge\..+\.driver",),
    Effect.PUSH: (
        r"core\.(sshcommand|askpass|gitproxy)|ssh\.variant",
        r"(credential|http|protocol|url)\..*",
        r"remote\..*\.(receivepack|vcs|proxy)",
    ),
    Effect.NEVER: (
        r"core\.(hookspath|fsmonitor|editor|pager|alternaterefscommand)|sequence\.editor|pager\..*",
        r"diff\.external|diff\..*\.(command|textconv)|interactive\.difffilter",
        r"gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|remote\..*\.uploadpack",
        r"(diff|merge)tool\..*\.cmd|trailer\..*\.(cmd|command)|uploadpack\.packobjectshook",
    ),
}
_PATTERNS = {effect: re.compile("|".join(parts), re.DOTALL) for effect, parts in _EFFECTS.items()}
_PLAIN = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|symlinks|ignorecase|precomposeunicode|autocrlf|eol)"
    r"|extensions\.[a-z]+"
)
_LOGIN = re.compile(r"://[^/:@\s]*:([^/@\s]+)@|https?://([^/:@\s]{16,})(?::(?:x-oauth-basic)?)?@")
# As in `https://acme-engineering@dev.example.org/`: no token is made of words.
_USER = re.compile(r"(?:[A-Z]?[a-z]{2,40}+\d{0,4}+[-._]?)+")
_LOGIN_WITH_AT = re.compile(r"://[^/:@\s]*:([^/:@\s]{1,200}@[^/\s]{1,200})@")
_HEADER = re.compile(r"(?i)(?:authorization|[\w-]*(?:token|key))\s*:\s*(?:\w+\s+)?(\S+)")
_WORD = re.compile(r"""[^\s'"`|;&<>(){}$=]+""")


def parse_listing(listing: bytes) -> tuple[Setting, ...]:
    """The repository's own settings, from `git config --list -z --show-scope --show-origin`."""
    fields = os.fsdecode(listing).split("\0")
    found: list[Setting] = []
    for scope, origin, entry in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        if scope in _OURS:
            key, _, value = entry.partition("\n")
            found.append(Setting(key, value, origin.removeprefix("file:")))
    return tuple(found)


@lru_cache(maxsize=1024)
def effect_of(setting: Setting) -> Effect | None:
    """How a setting that names a program is treated; None for one that starts no program."""
    if not setting.value or _APPROVED.fullmatch(setting.key):
        return None
    if setting.key.startswith(("alias.", "submodule.")):
        return Effect.NEVER if setting.value.startswith("!") else None
    if _REMOTE.fullmatch(setting.key):
        # To push into a folder runs the hooks that lie in it.
        return None if is_hosted(setting.value) else Effect.PUSH
    return next((e for e, pattern in _PATTERNS.items() if pattern.fullmatch(setting.key)), None)


def is_hosted(url: str) -> bool:
    """Whether an address of a remote names a host, not a folder or a program."""
    return _HOSTED.fullmatch(url) is not None


def without_credentials(settings: Iterable[Setting]) -> str:
    """A config file with what git needs to read a repository, and nothing about remotes."""
    lines: list[str] = []
    for key, value, _ in settings:
        if _PLAIN.fullmatch(key):
            section, _, name = key.partition(".")
            quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            lines.append(f'[{section}]\n\t{name} = "{quoted}"\n')
    return "".join(lines)


def credentials(settings: Iterable[Setting]) -> tuple[str, ...]:
    """Credentials in a repository's settings: in URLs, and in HTTP headers."""
    found: dict[str, None] = {}
    for key, value, _ in settings:
        if key.endswith(".extraheader"):
            found |= dict.fromkeys((value, *_HEADER.findall(value)))
        found |= dict.fromkeys(logins_in_address(f"{key}\n{value}"))
    return tuple(value for value in found if value)


def logins_in_address(text: str) -> tuple[str, ...]:
    """Passwords in addresses, and names that are long enough to be a token."""
    found: dict[str, None] = {}
    for password, token in _LOGIN.findall(text):
        values = (password, "" if _USER.fullmatch(token) else token)
        found |= dict.fromkeys((*values, *map(unquote, values)))
    for password in _LOGIN_WITH_AT.findall(text):
        found |= dict.fromkeys((password, unquote(password)))
    return tuple(value for value in found if value and value != "x-oauth-basic")


@lru_cache(maxsize=64)
def includes(settings: tuple[Setting, ...]) -> bool:
    return any(_INCLUDE.fullmatch(setting.key) for setting in settings)


def pin(setting: Setting, root: Path | None) -> str:
    """A digest of what a person trusts: this key and value, and the bytes of the files they name.

    Files are looked for in the folder that git works in, because it may have changed there: an
    agent's worktree has its own copy of a script that a filter names.
    """
    told = hashlib.sha256(f"{setting.key}\0{setting.value}".encode(errors="replace"))
    for path in named_files(setting, root):
        data = read_plain(path, WHOLE, follow=True)
        content = b"none" if data is None else hashlib.sha256(data).digest()
        told.update(b"\0" + content)
    return told.hexdigest()


def named_files(setting: Setting, root: Path | None) -> Iterator[Path]:
    if _INCLUDE.fullmatch(setting.key):
        yield Path(setting.origin).parent / setting.value
    elif root is not None and effect_of(setting) is not Effect.PUSH:
        for word in _WORD.findall(setting.value):
            path = root / word
            if path.is_relative_to(root) and path.is_file():
                yield path


def judge(
    settings: Iterable[Setting], trusted: frozenset[str], root: Path | None
) -> tuple[Setting, ...]:
    """Overrides for this repository; raises an error that names a setting we refuse to run."""
    overrides: list[Setting] = []
    for setting in settings:
        effect = effect_of(setting)
        if effect not in (Effect.REFUSED, Effect.OFF) or pin(setting, root) in trusted:
            continue
        if effect is Effect.REFUSED:
            raise RepositoryError(
                f"the repository's git configuration has {setting.key}, which can run a program",
                f"look at it and decide: sparing trust; "
                f"if nothing needs it: git config --unset-all {setting.key}",
            )
        # A driver that fails is a conflict: a person merges that file.
        overrides.append(Setting(setting.key, "false"))
    return tuple(overrides)
