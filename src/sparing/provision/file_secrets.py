"""Secrets that are known because of where they are: in files and variables that we share."""

from __future__ import annotations

from pathlib import Path

from sparing.config.process_environment import lent_environment, package_environment
from sparing.config.workspace import WorkspaceSettings
from sparing.workspace.project.file_secrets import login_secrets, shared_secrets
from sparing.workspace.setup.lent_files import matching


def known_from_files(checkout: Path, wanted: WorkspaceSettings) -> tuple[str, ...]:
    """Secret values in the files that `workspace.copy` names, in the variables that checks get,
    and in the settings of the person's package managers."""
    lent = lent_environment(wanted.lend_env)
    shared = shared_secrets(checkout, matching(checkout, wanted.copy))
    return (*shared, *login_secrets({**package_environment(), **lent}))
