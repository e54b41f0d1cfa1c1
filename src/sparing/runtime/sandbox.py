"""Sandbox policies for agents and checks, built from what surrounds a run.

The level is settled once, when a run starts; everything that is started later is
confined as far as that. Agents get the user's tools to read, their worktree, and nothing of the
environment but what their client needs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sparing.agents.backend import Launch, Launched, Needs
from sparing.event import SandboxEvent
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.git.config import without_credentials
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.sandbox.launcher import tool_roots, wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy


def empty_folder(around: Surroundings) -> Path:
    """For an agent that is to see nothing of the repository."""
    folder = around.folder.path / "empty"
    folder.mkdir(mode=0o500, exist_ok=True)
    return folder


def launch_in(
    around: Surroundings, worktree: Worktree, *, writes: bool, outside: bool = False
) -> Launch:
    """How a client is started there; `outside`: in an empty folder, without the repository."""

    def launch(argv: Sequence[str], needs: Needs) -> Launched:
        policy = SandboxPolicy(
            SandboxAccess.AUTHOR if writes else SandboxAccess.REVIEWER,
            empty_folder(around) if outside else worktree.path,
            {**around.environ, **needs.environment},
            secrets=needs.secrets,
            git_dir=None if outside else around.repository.git_dir,
            covered={} if outside else covered_files(around.repository),
            readable=(*tools(around), *needs.readable),
            client_state=needs.state,
            shell_variable=needs.shell_variable,
            ports=needs.ports,
            level=around.level,
        )
        return wrap(policy, argv, around.folder.scratch)

    return launch


def check_sandbox(around: Surroundings) -> CheckSandbox:
    """For the repository's own checks: like an author, without any network."""
    folder = around.folder.scratch
    return CheckSandbox(
        folder, around.repository.git_dir, tools(around), level=around.level,
        covered=covered_files(around.repository),
    )  # fmt: skip


def covered_files(repository: Repository) -> dict[Path, str]:
    """The repository's settings may hold a login: whoever is confined sees those without it."""
    found = {repository.git_dir / "config": without_credentials(repository.git().settings())}
    own = repository.git_dir / "config.worktree"
    return found | ({own: ""} if own.is_file() else {})


def tools(around: Surroundings) -> tuple[Path, ...]:
    """Where the programs lie that are found by PATH, without what lies beside them in HOME."""
    home = Path(around.sources.environ.get("HOME", os.devnull))
    own = around.environ.get("VIRTUAL_ENV")
    roots = tool_roots(around.environ.get("PATH", os.defpath), home)
    return (*roots, Path(own)) if own else roots


def record_sandbox(around: Surroundings, row: FeatureRow, at: float, words: str) -> None:
    """On record with the feature, once a leg."""
    name = around.level.name.lower()
    key = f"{row.leg_id}.{SandboxEvent.kind}.{name}"
    with around.database.write() as tx:
        told = SandboxEvent(name)
        events.add(tx, Event.of(told, key=key, feature=row.feature.key, at=at, text=words))
