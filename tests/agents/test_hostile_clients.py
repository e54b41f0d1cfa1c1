"""A hostile model behind each client: whatever it calls, it reaches no key, no login, no port.

Covers: H5, H6
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.failure import Failure
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.agents.backends import BACKENDS
from tests.agents.hostile_clients import CLIENTS, COMMANDS, HostileRow, attack

HERE = [name for name in CLIENTS if "claude" in BACKENDS or name == "acp"]
sealed = pytest.mark.skipif(
    level_reached().level is not SandboxLevel.SEALED, reason="this host has no namespaces"
)


@sealed
@pytest.mark.parametrize("name", HERE)
def test_a_hostile_model_reaches_nothing(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """H5, H6: its client's own tools included. Commands really ran, and the turn has ended."""
    row = attack(CLIENTS[name], tmp_path)
    record_property("hostile", json.dumps(row._asdict()))
    nothing = HostileRow(name, row.attempts, len(COMMANDS), 0, 0, 0, 0, 0, 0, row.ended)
    assert row == nothing
    assert row.ended in ("", Failure.PERMISSION_DENIED)


def test_without_a_sandbox_the_same_attempts_reach_it_all(tmp_path: Path) -> None:
    """H6: so what is counted above can be found; a key there is none, even then."""
    row = attack(CLIENTS["acp"], tmp_path, lambda _cwd, _scratch: None)
    assert min(row.logins, row.ports, row.read, row.written) > 0
    assert row.keys == 0
