"""The sandbox that the engine puts a client in, for tests without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparing.agents.backend import Launch, Launched, Needs
from sparing.workspace.sandbox.launcher import place_of, wrap
from sparing.workspace.sandbox.policy import (
    ProcessLimits,
    SandboxAccess,
    SandboxLevel,
    SandboxPolicy,
)


def sandboxed(
    cwd: Path,
    scratch: Path,
    access: SandboxAccess = SandboxAccess.AUTHOR,
    limits: ProcessLimits | None = None,
) -> Launch:
    def start(argv: Sequence[str], needs: Needs) -> Launched:
        policy = SandboxPolicy(
            access,
            cwd,
            needs.environment,
            secrets=needs.secrets,
            readable=needs.readable,
            client_state=needs.state,
            shell_variable=needs.shell_variable,
            passwd_shell=needs.passwd_shell,
            ports=needs.ports,
            listens=needs.listens,
            limits=limits or ProcessLimits(),
        )
        return wrap(policy, argv, scratch)

    return Launch(start, place_of(cwd, SandboxLevel.SEALED))
