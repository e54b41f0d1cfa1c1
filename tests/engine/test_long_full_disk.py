"""A disk that fills up under a run: it stops in two lines, and goes on once there is room.

Covers: I3, K1
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.first_hour import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import QUICK

WALK = """
mount -t tmpfs -o size={size}k none "$STATE" || exit 99
"$0" -m sparing start "Greet by name" --tier L1 --json > /dev/null || exit 98
"$0" -m sparing run --yes 2> first; echo $? > first.code
mount -o remount,size=64m "$STATE" || exit 97
"$0" -m sparing run --yes 2> second; echo $? > second.code
"""
SIZES = (
    pytest.param(900, marks=pytest.mark.nightly),
    1500,
    pytest.param(2000, marks=pytest.mark.nightly),
)
"""Full before the first step, in the first turn, and somewhat later."""


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.skipif(
    level_reached().level < SandboxLevel.SEALED, reason="needs a mount namespace of its own"
)
def test_a_disk_that_fills_up(tmp_path: Path, size: int) -> None:
    """I3: without a watch on it the engine would try to write for ever."""
    files = {"README.md": "# Sample\n", "Makefile": "test:\n\ttrue\n", ".gitignore": "*\n"}
    repository = make_repository(tmp_path / "sample", files)
    (tmp_path / "state").mkdir()
    (tmp_path / "script.toml").write_text(SCRIPT)
    environ = {
        **os.environ, **QUICK, "STATE": str(tmp_path / "state"),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"), "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
    }  # fmt: skip
    walk = WALK.format(size=size)
    line = ("unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", walk)
    done = subprocess.run((*line, sys.executable), cwd=repository, env=environ, check=False)
    assert done.returncode == 0
    first, second = ((repository / name).read_text() for name in ("first", "second"))
    *_, what, repair = first.strip().splitlines()
    assert (repository / "first.code").read_text() == "1\n"
    assert what.startswith("error: "), first
    assert "no space left on device" in what or "disk is full" in what
    assert repair.startswith("fix: "), first
    assert (repository / "second.code").read_text() == "0\n", second
    assert git(repository, "show", "feature/001-greet-by-name:greeting.txt") == "Hello, Ada."
