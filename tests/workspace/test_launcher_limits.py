"""Memory and disk of a turn or a check: reaching a limit ends it, in words.

Covers: H6
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.failure import LIMIT_REACHED, limit_words
from sparing.workspace.checks.discover import Check
from sparing.workspace.checks.run import CheckSandbox, run_check
from sparing.workspace.sandbox import supervisor
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import ProcessLimits, SandboxLevel
from tests.workspace.launched import PATH, PYTHON, Place, make_place, python, sh

MEGABYTE = 1 << 20
LEVELS = [level for level in SandboxLevel if level <= level_reached().level]
STAYS = "import time; time.sleep(600)"
HOG = f"data = bytearray({{megabytes}} << 20); data[::4096] = b'x' * len(data[::4096]); {STAYS}"
SHARED = (
    "import mmap; data = mmap.mmap(-1, {megabytes} << 20);"
    f" [data.__setitem__(n, 1) for n in range(0, len(data), 4096)]; {STAYS}"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def limits(memory: int = 0, disk: int = 0) -> ProcessLimits:
    return ProcessLimits(tree_bytes=memory * MEGABYTE or None, disk_bytes=disk * MEGABYTE or None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("hog", [HOG, SHARED], ids=["own", "shared"])
def test_memory_of_all_processes_together(place: Place, level: SandboxLevel, hog: str) -> None:
    """H6: four of them, each below the limit."""
    each = hog.format(megabytes=40)
    script = f'for n in 1 2 3 4; do {PYTHON} -I -c "{each}" & done; wait'
    done = sh(place, place.policy(limits=limits(memory=100), level=level), script)
    words = limit_words(done.code, done.err)
    assert words.startswith("its processes took 1")
    assert words.endswith(" MB of memory, 100 MB are allowed (workspace.memory_mb)")


def test_memory_that_processes_share_counts_once(place: Place) -> None:
    """H6: servers fork workers that read what their parent has loaded."""
    script = (
        "import os; data = bytearray(60 << 20)\n"
        "data[::4096] = b'x' * len(data[::4096])\n"
        "children = [os.fork() for _ in range(1)]\n"
        "for _ in range(2): os.fork()\n"
        "import time; time.sleep(1.2)"
    )
    done = python(place, place.policy(limits=limits(memory=150)), script)
    assert (done.code, done.err) == (0, "")


def test_a_command_of_an_agent_has_a_limit_of_its_own(place: Place) -> None:
    """H6: the turn goes on; the command alone fails."""
    line = f"$SHELL -c '{PYTHON} -I -c \"bytearray(300 << 20)\"'; echo goes on"
    done = sh(place, place.policy(limits=limits(memory=200)), line)
    assert done.code == 0
    assert "MemoryError" in done.err
    assert done.out == "goes on\n"


@pytest.mark.parametrize("where", [".", "$TMPDIR", "$HOME"])
def test_what_is_written(place: Place, where: str) -> None:
    """H6: in many files, none of which is large."""
    script = (
        f"cd {where}; for n in $(seq 100); do head -c 1000000 /dev/urandom > f$n; done; sleep 600"
    )
    done = sh(place, place.policy(limits=limits(disk=30)), script)
    words = limit_words(done.code, done.err)
    assert words.endswith(" MB of files, 30 MB are allowed (workspace.disk_mb)")


def test_what_was_there_before_does_not_count(place: Place) -> None:
    (place.worktree / "large").write_bytes(b"x" * 40 * MEGABYTE)
    script = "head -c 20000000 /dev/urandom > more; sync more; sleep 0.6"
    done = sh(place, place.policy(limits=limits(disk=30)), script)
    assert (done.code, done.err) == (0, "")


def test_a_check_says_which_limit_it_has_reached(place: Place) -> None:
    """H6: a red check, told in a line."""
    check = Check("test", (PYTHON, "-I", "-c", HOG.format(megabytes=150)), "")
    sandbox = CheckSandbox(place.scratch, limits=limits(memory=100))
    found = run_check(check, place.worktree, 600, {"PATH": PATH}, sandbox)
    assert not found.passed
    assert found.summary.startswith("stopped: its processes took 1")


def test_below_the_limits_nothing_is_said(place: Place) -> None:
    done = sh(place, place.policy(limits=limits(memory=400, disk=100)), "echo fine; exit 3")
    assert (done.code, done.out, done.err) == (3, "fine\n", "")


def test_the_code_means_the_same_on_both_sides() -> None:
    assert supervisor.LIMIT_REACHED == LIMIT_REACHED
    assert limit_words(1, "sandbox: stopped: x") == ""
    assert limit_words(LIMIT_REACHED, "x\nsandbox: stopped: too much\n") == "too much"
    assert limit_words(LIMIT_REACHED, "something else") == ""
