"""Role files as shown to people: which are in force, need trust, or have errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.config.sources import sources_here
from sparing.desk.office import Office
from sparing.desk.setup.web import web_warnings
from sparing.errors import ConfigError
from sparing.roles import trust
from sparing.roles.catalog import Catalog, load_catalog
from sparing.roles.files import RoleFile, RoleLayer, repository_files
from sparing.roles.load import parse_foreign
from sparing.roles.trust import RoleTrust


class RoleCandidate(NamedTuple):
    """A role file of the repository, for a person to judge."""

    file: RoleFile
    standing: RoleTrust
    notes: tuple[str, ...]
    """What it would not be granted, or why it can't be used at all."""


def catalog(office: Office) -> Catalog:
    checkout = office.repository.checkout
    return load_catalog(sources_here(checkout).roles, checkout, office.folder.path)


def check_roles(office: Office) -> tuple[str, ...]:
    """Check before a run: an unusable file of the user's stops it; other problems are reported."""
    found = catalog(office)
    if found.problems:
        raise found.problems[0]
    settings = office.loaded.settings
    for name in (*settings.models.named_roles, *settings.roles.named):
        found.role(name)  # a misspelt role would otherwise keep its model and agent, unnoticed
    return (*found.warnings, *web_warnings(office))


def candidates(office: Office) -> list[RoleCandidate]:
    hashes = trust.trusted_hashes(office.folder.path)
    return [
        RoleCandidate(file, trust.standing(file, hashes), _notes(file))
        for file in repository_files(office.repository.checkout)
    ]


def trust_files(office: Office, files: Sequence[RoleFile]) -> None:
    trust.trust(office.folder.path, files)


def revoke_all(office: Office) -> int:
    return trust.revoke(office.folder.path)


def _notes(file: RoleFile) -> tuple[str, ...]:
    users = file.layer is RoleLayer.USER
    try:
        role = parse_foreign(file.text, file.where, file.stem, users=users)
    except ConfigError as error:
        return (f"{error.what}: it would be left out",)
    access = f"{role.role_class} with {', '.join(role.tools) or 'no tools'}, model {role.model}"
    return (f"role {role.name}: {access}", *role.warnings)
