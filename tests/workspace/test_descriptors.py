"""Files and pipes that are no longer needed are closed. Covers: I1, H8."""

from __future__ import annotations

import os
from pathlib import Path

from sparing.workspace.checks.live_output import live_output, running_commands
from sparing.workspace.sandbox.name_lookup import keep_only


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_looking_at_a_running_command_leaves_no_file_open(tmp_path: Path) -> None:
    """A page that is open all day looks every second."""
    with live_output(tmp_path, "test", "make test", tmp_path / "w"):
        before = open_files()
        for _ in range(5):
            assert len(list(running_commands(tmp_path))) == 1
        assert open_files() == before


def test_a_process_beside_the_sandbox_keeps_only_its_own_descriptors() -> None:
    """Or the end of a pipe that another one waits for would never come."""
    pipes = (*os.pipe(), *os.pipe())
    one, other, kept, end = pipes
    child = os.fork()
    if child == 0:
        keep_only([0, 1, 2, kept], end)
        found = [Path(f"/proc/self/fd/{number}").exists() for number in (0, *pipes)]
        os._exit(0 if found == [True, False, False, True, True] else 1)
    assert os.waitpid(child, 0)[1] == 0
    for number in (one, other, kept, end):
        os.close(number)
