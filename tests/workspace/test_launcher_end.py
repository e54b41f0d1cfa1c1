"""Nothing outlives the turn, the supervisor or the orchestrator, however these end.

A program that leaves a daemon behind writes to a file without end; when the file stops growing,
everything is dead.

Covers: H6, I1
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparing.workspace.sandbox.launcher import Wrapped, level_reached, wrap
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.workspace.launched import Place, make_place, sh

TOP = level_reached().level
LEVELS = [level for level in SandboxLevel if level <= TOP]
BEAT = "while :; do echo . >> beats; sleep 0.02; done"
DAEMON = f"(setsid sh -c '{BEAT}' &) ; {BEAT}"

ORCHESTRATOR = """
import subprocess, sys, time
from pathlib import Path
from tests.workspace.launched import make_place
from sparing.workspace.sandbox.launcher import wrap
place = make_place(Path(sys.argv[1]))
wrapped = wrap(place.policy(), ("sh", "-c", sys.argv[3]), place.scratch)
argv = wrapped.argv if sys.argv[2] == "line" else (str(wrapped.program),)
subprocess.Popen(argv, cwd=place.worktree, env=wrapped.env, pass_fds=wrapped.pass_fds)
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def beats(worktree: Path) -> int:
    file = worktree / "beats"
    return file.stat().st_size if file.exists() else 0


def await_beats(worktree: Path) -> None:
    for _ in range(6000):
        if beats(worktree) > 6:
            return
        time.sleep(0.02)
    raise AssertionError("the program never started")


def is_still(worktree: Path) -> bool:
    """Nobody writes any more; a few moments are given for dying."""
    for _ in range(100):
        before = beats(worktree)
        time.sleep(0.15)
        if beats(worktree) == before:
            return True
    return False


def start(
    place: Place, level: SandboxLevel, script: str
) -> tuple[Wrapped, subprocess.Popen[bytes]]:
    wrapped = wrap(place.policy(level=level), ("sh", "-c", script), place.scratch)
    process = subprocess.Popen(
        wrapped.argv,
        cwd=place.worktree,
        env=wrapped.env,
        pass_fds=wrapped.pass_fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    return wrapped, process


@pytest.mark.parametrize("level", LEVELS)
def test_a_daemon_ends_with_the_program(place: Place, level: SandboxLevel) -> None:
    script = f"(setsid sh -c '{BEAT}' > /dev/null 2>&1 &); until [ -s beats ]; do :; done"
    assert sh(place, place.policy(level=level), script).code == 0
    assert beats(place.worktree) > 0
    assert is_still(place.worktree)


@pytest.mark.parametrize("level", LEVELS)
def test_letting_go_ends_everything(place: Place, level: SandboxLevel) -> None:
    wrapped, process = start(place, level, DAEMON)
    with process:
        await_beats(place.worktree)
        wrapped.end()
        assert process.wait(120) == 137
    assert is_still(place.worktree)
    wrapped.cleanup()
    wrapped.cleanup()
    assert list(place.scratch.iterdir()) == []


@pytest.mark.parametrize("way", ["line", "program"])
def test_everything_dies_with_the_orchestrator(tmp_path: Path, way: str) -> None:
    """I1: also if that is killed and can say nothing, and by a library that passes no lifeline."""
    argv = (sys.executable, "-c", ORCHESTRATOR, str(tmp_path), way, DAEMON)
    root = str(Path(__file__).resolve().parents[2])
    found = os.pathsep.join((root, *sys.path))
    process = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": found})
    worktree = tmp_path / "worktrees" / "feature"
    with process:
        await_beats(worktree)
        process.kill()
    assert is_still(worktree)


def test_everything_dies_with_the_supervisor(place: Place) -> None:
    wrapped, process = start(place, TOP, BEAT if TOP < SandboxLevel.SEALED else DAEMON)
    with process:
        await_beats(place.worktree)
        process.kill()
    assert is_still(place.worktree)
    wrapped.cleanup()


def test_nobody_listens_any_more(place: Place) -> None:
    """A client whose output goes nowhere is of no use to anybody."""
    wrapped, process = start(place, TOP, "while echo talking; do :; done")
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(120) == 137
    wrapped.cleanup()


def test_a_signal_is_passed_on_and_then_meant(place: Place) -> None:
    """Asked to end, a client may end well; one that will not is killed."""
    wrapped, process = start(place, TOP, f"trap 'exit 5' TERM; {BEAT}")
    await_beats(place.worktree)
    process.send_signal(signal.SIGTERM)
    with process:
        assert process.wait(120) == 5
    wrapped.cleanup()
    (place.worktree / "beats").unlink()
    wrapped, process = start(place, TOP, f"trap '' TERM; {BEAT}")
    await_beats(place.worktree)
    process.send_signal(signal.SIGTERM)
    with process:
        assert process.wait(120) == 137
    wrapped.cleanup()
