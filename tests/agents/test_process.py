"""A client is a process that can always be ended, and nothing it prints is an exception.

Covers: G1, G3
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.agents.process import STDERR_LIMIT, Client, Command
from sparing.agents.worktree_lock import worktree_lock
from tests.agents.backends import gone

KIB = 1024


class Ended(NamedTuple):
    messages: list[dict[str, Any]]
    code: int
    complaint: str


def talk(cwd: Path, program: str, stdin: bytes = b"", line_limit: int = 64 * KIB) -> Ended:
    """Run a program of a few lines of Python as the client."""

    async def whole() -> Ended:
        argv = (sys.executable, "-c", "import json, os, sys, time\n" + program)
        command = Command(argv, cwd, {"LANG": "C.UTF-8"}, stdin, line_limit=line_limit)
        async with asyncio.timeout(240), Client(command) as client:
            messages = [message async for message in client.messages()]
            return Ended(messages, *await client.ended())

    return asyncio.run(whole())


def test_messages_are_json_objects_line_by_line(cwd: Path) -> None:
    """G1: stray prints and the half line of a killed client are left out."""
    program = """
print('a warning of some library')
print('{"n": 1}')
print('[1, 2]', 'null', '"text"', sep="\\n")
print('[' * 50_000)
sys.stdout.flush()
sys.stdout.buffer.write(b'\\xff\\xfe\\n{"n": 2}\\n{"n": ')
sys.stdout.flush()
os.kill(os.getpid(), 9)
"""
    assert talk(cwd, program) == Ended([{"n": 1}, {"n": 2}], -9, "")


def test_a_line_beyond_the_limit_ends_the_client(cwd: Path) -> None:
    """G3: it would fill our memory; the client is ended although it goes on printing."""
    program = """
print('{"n": 1}', flush=True)
while True:
    sys.stdout.write('x' * 100_000)
"""
    found = talk(cwd, program)
    assert found == Ended([{"n": 1}], -9, "a line of more than 65536 bytes")


def test_a_line_beyond_the_limit_that_never_ends(cwd: Path) -> None:
    """G3: a child that left the group goes on printing; the client that died is not waited for.

    Its stderr is closed: it is waited for before its end is known, and then its pipes count too.
    """
    program = """
import subprocess
os.close(2)
print('{"n": 1}', flush=True)
endless = "while True: print('x' * 100_000, end='')"
subprocess.Popen([sys.executable, "-c", endless], start_new_session=True, stderr=subprocess.DEVNULL)
time.sleep(600)
"""
    found = talk(cwd, program)
    assert found == Ended([{"n": 1}], -9, "a line of more than 65536 bytes")


def test_a_long_line_within_the_limit(cwd: Path) -> None:
    """G1"""
    found = talk(cwd, "print(json.dumps({'text': 'x' * 300_000}))", line_limit=KIB * KIB)
    assert [len(message["text"]) for message in found.messages] == [300_000]


def test_a_client_that_does_not_listen(cwd: Path) -> None:
    """G3: it closes its input, or ends, before it has read a large prompt."""
    program = "sys.stdin.close(); print('{\"n\": 1}')"
    found = talk(cwd, program, stdin=b"x" * 5_000_000)
    assert (found.messages, found.code) == ([{"n": 1}], 0)


def test_the_end_of_what_it_complained_about(cwd: Path) -> None:
    """G1: its last words tell why; a flood of them does not stop it."""
    program = """
sys.stderr.write('noise ' * 200_000 + '\\udc80 the last words\\n')
print('{"n": 1}')
sys.exit(3)
"""
    found = talk(cwd, program)
    assert (found.messages, found.code, len(found.complaint)) == ([{"n": 1}], 3, STDERR_LIMIT)
    assert found.complaint.endswith("noise \\udc80 the last words")


def test_what_the_client_started_ends_with_it(cwd: Path) -> None:
    """G3: also children that ignore the polite signals, after a turn that ended well."""
    program = """
import subprocess
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
child = subprocess.Popen([sys.executable, "-c", deaf], **silent)
print(json.dumps({"child": child.pid}))
"""
    (message,) = talk(cwd, program).messages
    assert gone(message["child"])


def test_a_child_that_left_the_group_holds_nobody_up(cwd: Path) -> None:
    """G3: it keeps the client's pipes open, but the turn ends at its limit all the same."""
    program = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                         start_new_session=True)
print(json.dumps({"child": child.pid}), flush=True)
"""
    seen: list[int] = []

    async def turn() -> None:
        argv = (sys.executable, "-c", "import json, sys\n" + program)
        stdin = b"x" * 1_000_000
        async with asyncio.timeout(240) as limit, Client(Command(argv, cwd, {}, stdin)) as client:
            async for message in client.messages():
                seen.append(message["child"])
                limit.reschedule(asyncio.get_running_loop().time() + 0.2)

    began = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            asyncio.run(turn())
        assert time.monotonic() - began < 240
    finally:
        for child in seen:
            os.kill(child, signal.SIGKILL)
    assert len(seen) == 1


@pytest.mark.parametrize("before", ["", "4242"])
def test_the_lock_names_the_running_group(cwd: Path, tmp_path: Path, before: str) -> None:
    """G3: while it runs the file has its id and nothing of an earlier one; it holds the lock."""
    path = tmp_path / "lock"
    path.write_text(before)

    async def turn() -> tuple[int, int]:
        with worktree_lock(path) as lock:
            program = f"import os; os.fstat({lock}); print('{{\"pid\": %d}}' % os.getpid())"
            command = Command((sys.executable, "-c", program), cwd, {}, b"", lock)
            async with Client(command) as client:
                written = int(path.read_text())
                (message,) = [message async for message in client.messages()]
                return written, message["pid"]

    written, pid = asyncio.run(turn())
    assert written == pid
    assert gone(pid)


def test_a_lock_names_nobody_before_its_client_runs(cwd: Path, tmp_path: Path) -> None:
    """G3: killed in between, the next engine must not take an earlier id for the holder's."""
    path = tmp_path / "lock"
    path.write_text("4242")

    async def fails() -> None:
        with worktree_lock(path) as lock:
            async with Client(Command(("/nonexistent",), cwd, {}, b"", lock)):
                pass

    with pytest.raises(FileNotFoundError):
        asyncio.run(fails())
    assert path.read_text() == ""


def test_it_ends_while_the_whole_program_does(cwd: Path) -> None:
    """I3: Ctrl-C in a turn: no thread can be started any more, and no traceback is shown."""

    async def whole() -> None:
        command = Command((sys.executable, "-c", "input()"), cwd, {}, b"")
        async with asyncio.timeout(240), Client(command):
            await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(whole())
