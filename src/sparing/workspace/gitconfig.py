"""Which settings of a repository may have an effect when we start git.

A repository's own configuration can name programs that git runs. Most of them cannot fire with
the commands we use, or are switched off here by a setting of higher rank; what could still fire
and would give wrong files when switched off is refused. This file only judges: it starts nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from sparing.errors import RepositoryError


class Setting(NamedTuple):
    key: str
    value: str

    @property
    def digest(self) -> str:
        """What a person trusts: this key with exactly this value."""
        return hashlib.sha256(f"{self.key}\0{self.value}".encode(errors="replace")).hexdigest()


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
    # stays a pointer: we make no network call.
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

_OURS = ("local", "worktree")
_INCLUDE = re.compile(r"include\.path|includeif\..*\.path", re.DOTALL)
_FILTER = re.compile(r"filter\.(?!lfs\.).*(clean|smudge|process)", re.DOTALL)
_LFS_PROGRAM = re.compile(r"lfs\.extension\..*\.(clean|smudge)", re.DOTALL)
_MERGE_DRIVER = re.compile(r"merge\..+\.driver", re.DOTALL)


def parse_listing(listing: bytes) -> tuple[Setting, ...]:
    """What the repository itself sets, from `git config --list -z --show-scope`."""
    fields = os.fsdecode(listing).split("\0")
    pairs = zip(fields[0::2], fields[1::2], strict=False)
    found: list[Setting] = []
    for scope, entry in pairs:
        if scope in _OURS:
            key, _, value = entry.partition("\n")
            found.append(Setting(key, value))
    return tuple(found)


def judge(settings: Iterable[Setting], trusted: frozenset[str]) -> tuple[Setting, ...]:
    """Overrides for this repository, or an error that names the setting we will not run."""
    overrides: list[Setting] = []
    for setting in settings:
        if setting.digest in trusted:
            continue
        if _refused(setting):
            raise RepositoryError(
                f"the repository's git configuration has {setting.key}, which can run a program",
                f"look at it: git config --get-all {setting.key}; "
                f"if nothing needs it: git config --unset-all {setting.key}",
            )
        if _MERGE_DRIVER.fullmatch(setting.key):
            # A driver that fails is a conflict: a person merges that file.
            overrides.append(Setting(setting.key, "false"))
    return tuple(overrides)


def _refused(setting: Setting) -> bool:
    if not setting.value:
        return False
    return any(p.fullmatch(setting.key) for p in (_INCLUDE, _FILTER, _LFS_PROGRAM))
