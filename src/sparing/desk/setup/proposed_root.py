"""The package of a monorepo that a new feature is about, if its request names one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sparing.desk.office import Office
from sparing.flow.package_root import NamedRoot, named_root, paths_of
from sparing.printable import printable
from sparing.workspace.checks.discover import find_checks
from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.project.sparse_package import MANIFESTS

ROOT = "workspace.root"
WHOLE = "."
"""As a root: the repository itself, whatever the request names."""


def given_root(root: str | None) -> Mapping[str, object]:
    """The setting for a root given by a person."""
    if not root:
        return {}
    return {ROOT: "" if root.rstrip("/") == WHOLE else root.rstrip("/")}


def proposed_root(office: Office, request: str) -> NamedRoot | None:
    """None if a setting or an option decides it, or if the request names no single package."""
    settings = office.loaded.settings.workspace
    if settings.root or ROOT in office.flags or not paths_of(request):
        return None
    base = resolve_base(office.repository, settings.base_branch)
    files = Snapshot(office.repository, base.commit)

    def is_package(folder: str) -> bool:
        # Many folders have a Makefile of some kind; one with checks is a project's.
        if any(f"{folder}/{name}" in files.entries for name in MANIFESTS):
            return True
        return bool(find_checks(Snapshot(office.repository, base.commit, folder)))

    return named_root(request, files.entries, is_package)


def with_root(office: Office, root: str) -> Office:
    return replace(office, flags={**office.flags, ROOT: root})


def root_line(found: NamedRoot) -> str:
    return (
        f"root: {printable(found.root)}, because the request names {printable(found.named)}"
        f" (the whole repository: --root {WHOLE})"
    )
