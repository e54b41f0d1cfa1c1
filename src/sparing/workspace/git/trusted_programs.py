"""Programs that a repository's git settings name, and which of them a person has trusted.

Kept in the user's own state, one file per repository: the hash of a setting and of the files it
names. One that changes is no longer trusted; if the file can't be read, nothing is trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from sparing.workspace.git.config import Effect, Setting, effect_of, named_files, pin
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.special_files import read_plain

NAME = "trusted-git.json"


class Program(NamedTuple):
    """A setting that makes git start something, for a person to judge."""

    setting: Setting
    effect: Effect
    files: tuple[Path, ...]
    """Files it names in the checkout; for an include, the included file."""
    pins: tuple[str, ...]
    """Its hash with the files it names in the checkout, and its hash without that folder."""

    @property
    def can_be_trusted(self) -> bool:
        return self.effect is not Effect.NEVER


def trusted_pins(folder: Path) -> frozenset[str]:
    return frozenset(_stored(folder))


def programs(repo: Repository) -> tuple[Program, ...]:
    """All programs that the repository's own settings would start, in order."""
    found: list[Program] = []
    for setting in dict.fromkeys(repo.checkout_git().settings()):
        effect = effect_of(setting)
        if effect is not None:
            pins = (pin(setting, repo.checkout), pin(setting, None))
            files = tuple(named_files(setting, repo.checkout))
            found.append(Program(setting, effect, files, pins))
    return tuple(found)


def is_trusted(folder: Path, program: Program) -> bool:
    return trusted_pins(folder).issuperset(program.pins)


def was_trusted(folder: Path, program: Program) -> bool:
    """Whether this key was trusted before it changed."""
    return program.setting.key in _stored(folder).values()


def trust_programs(folder: Path, chosen: Iterable[Program]) -> None:
    """Trust these as they were read; older pins of the same keys are dropped."""
    taken = {one_pin: one.setting.key for one in chosen for one_pin in one.pins}
    kept = {p: key for p, key in _stored(folder).items() if key not in taken.values()}
    _write(folder, {**kept, **taken})


def revoke_programs(folder: Path) -> int:
    count = len(set(_stored(folder).values()))
    if count:
        _write(folder, {})
    return count


def _stored(folder: Path) -> dict[str, str]:
    try:
        found: object = json.loads(read_plain(folder / NAME) or b"{}")
    except (OSError, ValueError, RecursionError):
        return {}
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {one: key for one, key in fields.items() if isinstance(key, str)}


def _write(folder: Path, pins: Mapping[str, str]) -> None:
    partial = folder / f"{NAME}.{os.getpid()}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(json.dumps(dict(sorted(pins.items())), indent=2) + "\n")
    partial.replace(folder / NAME)
