"""After a kill, agents that live on are found by the lock they hold, and ended.

Covers: G3, I1
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.agents.worktree_lock import worktree_lock
from sparing.errors import StateError
from tests.agents.backends import BACKENDS, BEHIND_RELAY, alive, gone

ROOT = Path(__file__).resolve().parent.parent.parent
HOLDER = """
import fcntl, os, signal, sys, time
if sys.argv[3:]: signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
os.pwrite(lock, sys.argv[2].encode() or str(os.getpid()).encode(), 0)
print("held", flush=True)
time.sleep(60)
"""
ENGINE = """
import asyncio, sys
from pathlib import Path
from sparing.agents.worktree_lock import worktree_lock
from tests.agents.backends import BACKENDS, Act, call

folder = Path(sys.argv[2])
backend = BACKENDS[sys.argv[1]](folder / "sessions").make(
    Act(delay_seconds=60, write={"late.txt": "written by an orphan"})
)
with worktree_lock(folder / "lock") as lock:
    turn = call(folder / "worktree", lock=lock, limit_seconds=120)
    asyncio.run(backend.run(turn, lambda event: print(event.kind, flush=True)))
"""


def hold(path: Path, written: str, deaf: bool = False) -> subprocess.Popen[bytes]:
    """Another process, in a group of its own, that has the lock and says who it is."""
    argv = [sys.executable, "-c", HOLDER, str(path), written, *(["deaf"] * deaf)]
    holder = subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def end(holder: subprocess.Popen[bytes]) -> None:
    holder.kill()
    holder.communicate()


@pytest.mark.parametrize("name", sorted(BACKENDS))
def test_an_agent_outlives_a_killed_engine_only_until_the_next_one(
    name: str, tmp_path: Path
) -> None:
    """I1: kill -9 in the middle of a turn; whoever takes the lock next has the worktree alone."""
    (tmp_path / "worktree").mkdir()
    engine = subprocess.Popen(
        [sys.executable, "-c", ENGINE, name, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert engine.stdout is not None
    assert engine.stdout.readline() == b"answering\n"
    agent = int((tmp_path / "lock").read_text())
    os.kill(engine.pid, signal.SIGKILL)
    engine.communicate()
    # Behind our relay an agent has lost its model with the engine, and Codex the other end of its
    # pipe: both may end by themselves.
    assert alive(agent) or name in {*BEHIND_RELAY, "codex"}

    with worktree_lock(tmp_path / "lock"):
        assert gone(agent)
    assert list((tmp_path / "worktree").iterdir()) == []


def test_a_free_lock_is_taken_and_given_back(tmp_path: Path) -> None:
    """G3: one at a time, again and again; what an earlier agent left written there is nobody."""
    path = tmp_path / "lock"
    path.write_text(str(os.getpid()))
    for _ in range(2):
        with worktree_lock(path) as descriptor, path.open("rb") as other:
            assert not os.get_inheritable(descriptor)
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_holder_is_ended(tmp_path: Path, how: signal.Signals) -> None:
    """G3: it is asked first, so that a supervisor can end what it watches; a deaf one is killed."""
    holder = hold(tmp_path / "lock", "", deaf=how is signal.SIGKILL)
    with worktree_lock(tmp_path / "lock", patience_seconds=0.3):
        assert holder.wait(120) == -how
    end(holder)


@pytest.mark.parametrize("written", ["nobody", "-1", "0", "1", "ours", "9" * 9, "9" * 30])
def test_a_holder_that_lies_ends_nobody(tmp_path: Path, written: str) -> None:
    """G3: an agent can write into the file; neither we nor all processes are ended for it."""
    holder = hold(tmp_path / "lock", str(os.getpgrp()) if written == "ours" else written)
    try:
        with (
            pytest.raises(StateError) as caught,
            worktree_lock(tmp_path / "lock", patience_seconds=0.05),
        ):
            pass
        assert alive(holder.pid)
    finally:
        end(holder)
    assert caught.value.what == "an agent of an earlier run still locks lock"
    assert caught.value.repair == "end that process, then run the same command again"


def test_a_lock_that_can_not_be_made(tmp_path: Path) -> None:
    """I3, K1: no folder, or a link in its place: two lines, and nothing is followed."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for path in (tmp_path / "gone" / "lock", tmp_path / "link"):
        with pytest.raises(StateError) as caught, worktree_lock(path):
            pass
        assert caught.value.what.startswith(f"the lock {path} can't be used: ")
    assert not (tmp_path / "target").exists()
