"""A hostile client, at each level: what lands is known by name, and at the top nothing does.

Covers: H6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import Reach, SandboxAccess, SandboxLevel
from tests.workspace.damage import BARE, Outcome, attack, attack_from_tests, table
from tests.workspace.hostile import ATTEMPTS

_METADATA = {
    "shell changes the mode of a private key",
    "shell changes the date of a file",
    "shell points its worktree elsewhere",
}
_UNTOLD = {
    "shell reads the key in its environment",
    "shell edits the client's own record",
    "shell calls the port of the API",
}
_AROUND = {
    "shell calls it by fast open",
    "shell calls it by multipath",
    "shell sends a datagram",
    "shell uses a socket file",
    "shell writes to the log by a pair of sockets",
}
LANDS = {
    SandboxLevel.SEALED: set[str](),
    SandboxLevel.SHELL: _METADATA,
    SandboxLevel.CALLS: _METADATA | _UNTOLD,
    SandboxLevel.FILES: _METADATA | _UNTOLD | _AROUND,
}
# What older kernels can't hold unless it is sealed; `Reach.gaps` says so to people.
_SINCE = {
    3: {"shell cuts a file to nothing"},
    4: {"shell calls another port"},
    6: {"shell ends the orchestrator", "shell uses a nameless socket"},
}
# Some hosts do not have what these use in the first place.
_HOST_MAY_LACK = {
    "shell calls it by fast open",
    "shell calls it by multipath",
    "shell takes powers in a new namespace",
}


def promised(level: SandboxLevel, reach: Reach) -> set[str]:
    found = set(LANDS[level])
    for version, names in _SINCE.items():
        if reach.landlock < version and level < SandboxLevel.SHELL:
            found |= names
    return found


def landed(outcomes: dict[str, Outcome]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome.landed}


def test_every_attempt_is_real(tmp_path: Path) -> None:
    """H6: without a launcher each of them lands, so that stopping one means something."""
    missed = {attempt.name for attempt in ATTEMPTS} - landed(attack(tmp_path, None))
    assert missed <= _HOST_MAY_LACK


@pytest.mark.parametrize("wanted", [level for level in SandboxLevel if level in LANDS])
def test_what_lands_at_each_level(tmp_path: Path, wanted: SandboxLevel) -> None:
    """H6: a host that can't reach a level is held to the one it reaches."""
    reach = level_reached()
    level = min(wanted, reach.level)
    assert level in LANDS, f"no agent runs here unless the user says so: {reach.words}"
    outcomes = attack(tmp_path, level)
    print(table({level.name.lower(): outcomes}))
    assert landed(outcomes) <= promised(level, reach)
    assert promised(level, reach) - landed(outcomes) <= _HOST_MAY_LACK
    assert level is wanted or reach.gaps, "a lower level is never silent"


def test_without_a_sandbox_the_supervisor_still_stands(tmp_path: Path) -> None:
    """H6: unsandboxed, nothing outlives the turn, speaks for the client or gets our descriptors."""
    stopped = {
        "shell forges a result",
        "a daemon lives on",
        "client uses a descriptor of the orchestrator",
    }
    outcomes = attack(tmp_path, SandboxLevel.UNSANDBOXED)
    assert stopped.isdisjoint(landed(outcomes))
    assert len(landed(outcomes)) >= 35


def test_a_reviewer_changes_nothing_at_all(tmp_path: Path) -> None:
    """H6: not even its own worktree, whatever it tries."""
    level = min(SandboxLevel.SEALED, level_reached().level)
    outcomes = attack(tmp_path, level, SandboxAccess.REVIEWER)
    expected = promised(level, level_reached()) - {"shell points its worktree elsewhere"}
    assert landed(outcomes) == expected
    kept = {path.name for path in (tmp_path / "worktrees" / "feature").iterdir()}
    assert kept == {".git", ".gitignore", "app.py", "beats", "link-to-home"}


def test_hostile_tests_are_held_like_an_author(tmp_path: Path) -> None:
    """H7: a conftest.py tries all before the first test runs; what is its own it may spoil."""
    level = min(SandboxLevel.SEALED, level_reached().level)
    own = {"shell forges a result", "shell reads the memory of its client"}
    assert landed(attack_from_tests(tmp_path, level)) == promised(level, level_reached()) | own


def test_the_table_names_what_stopped_each() -> None:
    """H6: read from the levels themselves: the first at which it no longer lands."""
    levels = (BARE, *(level.name.lower() for level in SandboxLevel))
    outcomes = {
        name: {attempt.name: Outcome("", number < 3) for attempt in ATTEMPTS}
        for number, name in enumerate(levels)
    }
    lines = table(outcomes).splitlines()
    assert lines[1].endswith(
        "LANDS       LANDS       LANDS           -           -           -  seccomp"
    )
    assert lines[-1].split()[:4] == ["landed", "of", str(len(ATTEMPTS)), str(len(ATTEMPTS))]
