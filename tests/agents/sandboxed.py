"""The sandbox that the engine puts a client in, for tests without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparing.agents.backend import Launch, Launched, Needs
from sparing.workspace.sandbox.launcher import wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy


def sandboxed(cwd: Path, scratch: Path, access: SandboxAccess = SandboxAccess.AUTHOR) -> Launch:
    def launch(argv: Sequence[str], needs: Needs) -> Launched:
        policy = SandboxPolicy(
            access,
            cwd,
            needs.environment,
            secrets=needs.secrets,
            readable=needs.readable,
            client_state=needs.state,
            shell_variable=needs.shell_variable,
            ports=needs.ports,
        )
        return wrap(policy, argv, scratch)

    return launch
