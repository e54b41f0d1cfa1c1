"""What runs for long can be looked at while it does. Covers: K1."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from sparing.workspace.checks.failures import is_network, telling_lines
from sparing.workspace.checks.live_output import live_output, running_commands

NPM = """npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
npm error request to https://registry.example/left-pad failed, reason: getaddrinfo EAI_AGAIN
npm error A complete log of this run can be found in: /tmp/x/_logs/debug-0.log
"""


def test_the_last_line_is_there_while_it_runs_and_gone_afterwards(tmp_path: Path) -> None:
    """K1"""
    with live_output(tmp_path, "set-up", "make setup", tmp_path / "w") as out:
        out.write(b"first\nfetching 3 of 9\r fetching 4 of 9")
        out.flush()
        (found,) = running_commands(tmp_path)
        assert (found.name, found.command, found.last) == (
            "set-up",
            "make setup",
            "fetching 4 of 9",
        )
        assert abs(found.since - time.time()) < 3600
    assert list(running_commands(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_says_nothing(tmp_path: Path) -> None:
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    note = {"name": "test", "command": "make", "worktree": "/w", "pid": gone}
    (tmp_path / "running-x.json").write_text(json.dumps(note))
    (tmp_path / "running-x.out").write_text("old")
    (tmp_path / "running-y.json").write_text("{")
    assert list(running_commands(tmp_path)) == []


def test_a_failure_shows_the_lines_that_matter() -> None:
    """K1: the cause, and not where the log lies."""
    first, *_ = telling_lines(NPM)
    assert first == "npm error code EAI_AGAIN"
    assert not any("complete log" in line for line in telling_lines(NPM, 9))
    assert is_network(NPM)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("x\nERROR: No matching distribution found for nope\n", "ERROR: No matching distribution"),
        (
            "cc -c a.c\na.c:1:1: error: unknown type name 'in'\nmake: *** [a.o] Error 1\n",
            "a.c:1:1:",
        ),
        ("bash: nope: command not found\n", "bash: nope: command not found"),
    ],
)
def test_tools_say_why_in_their_own_words(output: str, told: str) -> None:
    found = telling_lines(output)
    assert found[0].startswith(told)
    assert not is_network(output)
    assert telling_lines("all is well\n") == ()


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("/usr/bin/python3: No module named pytest\n", "/usr/bin/python3: No module named pytest"),
        (
            "Oops!\nESLint couldn't find a configuration file.\nIf you need more help, stop by.\n",
            "ESLint couldn't find a configuration file.",
        ),
    ],
)
def test_a_tool_that_lacks_something_says_what(output: str, line: str) -> None:
    """K1: seen in foreign repositories, whose last line said something else."""
    assert telling_lines(output, 1) == (line,)
