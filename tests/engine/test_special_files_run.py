"""An agent that leaves pipes everywhere: the run goes on and ends, also after a kill.

Covers: H6, I1, I3
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import QUICK, sparing

NAMES = (".gitignore", "Makefile", "README.md", "deep/dir/.gitattributes", "plain")
MAKES = f"rm README.md; mkdir -p deep/dir; mkfifo {' '.join(NAMES)}"
TOLD = f"pipes, sockets or devices were moved aside: {', '.join(NAMES)}"
FILES = {"README.md": "# Gate\n", "app.py": "APP = 1\n"}
LIMIT_SECONDS = 240


def script_with(command: str) -> str:
    """Each turn runs it after its edits."""
    return SCRIPT.replace('\nreply = "', f"\nrun = ['{command}']\nreply = \"")


def test_an_agent_that_leaves_pipes_holds_nobody_up(tmp_path: Path) -> None:
    """H6, I1, I3: killed with pipes on disk, run again, and more pipes in every turn."""
    main, script = make_repository(tmp_path / "main", FILES), tmp_path / "script.toml"
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(script),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
    }
    assert sparing(main, "start", "Make a file", "--flow", "L1", environ=environ).code == 0
    script.write_text(script_with(f"{MAKES}; sleep 600"))
    _killed_when_there_are_pipes(main, tmp_path / "state", environ)

    script.write_text(script_with(MAKES))
    said = sparing(main, "run", "--yes", environ=environ)
    assert said.code == 0, said.err
    assert said.err.count(TOLD) == 3, said.err
    branch = "feature/001-make-a-file"
    kept = set(git(main, "ls-tree", "-r", "--name-only", branch).splitlines())
    assert kept >= {*FILES, "made.txt"}
    assert not kept & {*NAMES} - {*FILES}
    assert git(main, "show", f"{branch}:README.md") == "# Gate"


def _killed_when_there_are_pipes(main: Path, state: Path, environ: dict[str, str]) -> None:
    process = subprocess.Popen(
        (sys.executable, "-m", "sparing", "run", "--yes"),
        cwd=main,
        env={**os.environ, **QUICK, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ends = time.monotonic() + LIMIT_SECONDS
    try:
        while not list(state.glob("**/worktrees/001-make-a-file/plain")):
            assert process.poll() is None, "the run ended before its agent came so far"
            assert time.monotonic() < ends
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
