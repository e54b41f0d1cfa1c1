"""All roles in force: those that ship, a repository's trusted ones over them, the user's on top.

A file that can't be used is listed as a problem, and the role below it stays in force: a run in
progress does not die of an edit. User interfaces show the problems before a run begins.

Also combines several roles that are asked in one turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from sparing.errors import ConfigError
from sparing.roles.files import RoleFile, RoleLayer, repository_files, user_files
from sparing.roles.load import Role, parse_foreign, shipped
from sparing.roles.trust import RoleTrust, standing, trusted_hashes


@dataclass(frozen=True, slots=True)
class Catalog:
    own: Mapping[str, Role]
    """Roles that come from a file of the user or the repository."""
    problems: tuple[ConfigError, ...] = ()
    """The user's files that can't be used."""
    ignored: tuple[str, ...] = ()
    """The repository's files that can't be used, with the reason."""
    untrusted: tuple[str, ...] = ()
    """The repository's files that are not trusted in their current state."""

    def role(self, name: str) -> Role:
        return self.own.get(name) or shipped(name)

    @property
    def warnings(self) -> tuple[str, ...]:
        told = [
            f"role {role.name} ({role.origin}): {warning}"
            for role in self.own.values()
            for warning in role.warnings
        ]
        waiting = [f"{where} is not trusted: sparing trust" for where in self.untrusted]
        return (*told, *self.ignored, *waiting)


def load_catalog(user: Path | None, checkout: Path | None, state: Path) -> Catalog:
    """`user` holds the user's role files, `state` what they trust of this repository."""
    theirs = () if checkout is None else repository_files(checkout)
    hashes = trusted_hashes(state) if theirs else {}
    trusted = [file for file in theirs if standing(file, hashes) is RoleTrust.TRUSTED]
    return _catalog(
        [*trusted, *user_files(user)], tuple(one.where for one in theirs if one not in trusted)
    )


def _catalog(files: Iterable[RoleFile], untrusted: tuple[str, ...]) -> Catalog:
    own: dict[str, Role] = {}
    problems: list[ConfigError] = []
    ignored: list[str] = []
    for file in files:
        try:
            users = file.layer is RoleLayer.USER
            role = parse_foreign(file.text, file.where, file.stem, users=users)
        except ConfigError as error:
            if file.layer is RoleLayer.USER:
                problems.append(error)
            else:
                ignored.append(f"{error.what}: left out")
            continue
        own[role.name] = role
    return Catalog(MappingProxyType(own), tuple(problems), tuple(ignored), untrusted)


def united(roles: Sequence[Role]) -> Role:
    """The first of them, with what all of them may know and use; its words stay its own."""
    first = roles[0]
    if len(roles) == 1:
        return first
    return replace(
        first,
        tools=tuple(dict.fromkeys(chain.from_iterable(one.tools for one in roles))),
        artifacts=tuple(dict.fromkeys(chain.from_iterable(one.artifacts for one in roles))),
        always_fresh=any(one.always_fresh for one in roles),
    )
