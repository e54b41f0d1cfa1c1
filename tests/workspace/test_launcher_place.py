"""Every worktree at one path, wherever it lies: for agents, their shells and checks.

Covers: H6
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sparing import sandbox_path
from sparing.workspace.checks.discover import Check
from sparing.workspace.checks.run import CheckSandbox, run_check
from sparing.workspace.sandbox.launcher import level_reached, place_of
from sparing.workspace.sandbox.policy import Reach, SandboxAccess, SandboxLevel
from tests.workspace.launched import PATH, Place, make_place, sh

WORK = str(sandbox_path.WORKTREE)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def test_two_worktrees_look_the_same(tmp_path: Path) -> None:
    """H6: whoever works there says the same paths in both, also in the shell of a client."""
    script = 'pwd; git rev-parse --show-toplevel; echo "$HOME $TMPDIR $SHELL"; $SHELL -c pwd'
    places = [make_place(tmp_path / name) for name in ("one", "another")]
    first, second = (sh(one, one.policy(), script) for one in places)
    assert first == second
    run = sandbox_path.PRIVATE
    assert first.out.splitlines() == [WORK, WORK, f"{run}/home {run}/tmp {run}/bash", WORK]


def test_what_is_written_there_lies_in_the_worktree(place: Place) -> None:
    done = sh(place, place.policy(), f"cd {WORK} && mkdir sub && echo new > sub/made.py")
    assert done.code == 0
    assert (place.worktree / "sub" / "made.py").read_text() == "new\n"


def test_its_own_path_is_still_there_to_read(place: Place) -> None:
    """H6: for what an earlier release has installed; nothing is written around the constant one."""
    script = f"cat {place.worktree}/app.py; echo x > {place.worktree}/app.py"
    done = sh(place, place.policy(), script)
    assert done.out == "APP = 1\n"
    assert "Read-only file system" in done.err


def test_a_repository_in_shared_memory(tmp_path: Path) -> None:
    """H6: the sandbox has shared memory of its own; what it may read of the host's stays there."""
    roots = [Path(one) for one in ("/dev/shm", "/var/tmp") if os.access(one, os.W_OK)]
    for root in roots or [tmp_path]:
        with tempfile.TemporaryDirectory(dir=root, prefix="sparing-test-") as folder:
            place = make_place(Path(folder))
            (place.root / "private").write_text("nobody's\n")
            log = "git log --format=%s; git status --short"
            script = f"{log}; $SHELL -c '{log}'; echo x > {place.main}/.git/y; cat {folder}/private"
            done = sh(place, place.policy(), script)
            assert done.out == "first commit\nfirst commit\n", (root, done.err)
            assert done.code != 0
            assert not (place.main / ".git" / "y").exists()


def test_a_reviewer_writes_nothing_there(place: Place) -> None:
    done = sh(place, place.policy(SandboxAccess.REVIEWER), f"echo x > {WORK}/app.py")
    assert done.code != 0
    assert (place.worktree / "app.py").read_text() == "APP = 1\n"


def test_nobody_makes_anything_beside_it(place: Place) -> None:
    top = sandbox_path.TOP
    tries = ("touch {top}/x", "mkdir /new", "mv {work} {top}/y", "ln -s / {top}/z")
    for attempt in tries:
        line = attempt.format(top=top, work=WORK)
        assert sh(place, place.policy(), line).code != 0, line


def test_without_namespaces_the_path_is_its_own(place: Place) -> None:
    """H6: a lever that is off, and said."""
    done = sh(place, place.policy(level=SandboxLevel.SHELL), "pwd")
    assert done.out == f"{place.worktree}\n"
    assert place_of(place.worktree, SandboxLevel.SHELL) == place.worktree
    assert "keep their own paths" in Reach(SandboxLevel.SHELL, 7, root=False).words
    assert "paths" not in level_reached().words


def test_a_check_sees_the_constant_path_and_we_do_not(place: Place) -> None:
    """H6: what it prints is told from the worktree on."""
    words = ("sh", "-c", "pwd; echo $PYTHONPATH; echo $PWD/app.py:3: wrong; exit 1")
    check = Check("test", words, "")
    found = run_check(check, place.worktree, 600, {"PATH": PATH}, CheckSandbox(place.scratch))
    assert found.output == ".\nsrc:.\napp.py:3: wrong\n"


def test_where_one_stands_does_not_decide_what_the_host_can_do(tmp_path: Path) -> None:
    """H6: below /tmp, where the probe mounts, it found no constant path."""
    script = "from sparing.workspace.sandbox.launcher import level_reached as r; print(r())"
    line = (sys.executable, "-c", script)
    told = {subprocess.check_output(line, cwd=folder, text=True) for folder in (tmp_path, "/")}
    assert told == {f"{level_reached()}\n"}
