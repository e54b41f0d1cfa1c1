"""One mutant against the tests that call its function, in a copy of the repository.

The process that does it is a fork of one that has loaded the libraries, so a trial costs little
more than its tests. It is held to processor time, not to a clock: a loop without an end is a
fault that was seen, a slow machine is none.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.mutants.sites import Mutant

LIBRARIES = (
    "asyncio", "click", "dbos", "genai_prices", "hypothesis.stateful", "hypothesis.strategies",
    "jinja2", "markdown_it", "pydantic", "rich.console", "sqlalchemy", "sqlite3",
)  # fmt: skip
FIRST_TESTS = 12
"""Are tried alone before the others: few files are read then, and most faults are seen."""
MOST_SECONDS = 600.0
"""By the clock: only for what waits for ever without using a processor."""
MEMORY_BYTES = 4 << 30
TESTS_FAILED = 1
NO_TESTS = 5


class Outcome(NamedTuple):
    killed: bool
    how: str
    seconds: float


def load_libraries() -> None:
    """Of other people, none of ours: what is mutated must be loaded anew each time."""
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.freeze()


def make_copy(root: Path, target: Path) -> None:
    """What git knows and what is new, with its compiled files."""
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=root, capture_output=True, check=True,
    )  # fmt: skip
    shutil.rmtree(target, ignore_errors=True)
    for name in os.fsdecode(listed.stdout).split("\0"):
        if name and (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)
    subprocess.run(("git", "init", "-q"), cwd=target, check=True)
    (target / ".venv").symlink_to(root / ".venv")


def attempt(mutant: Mutant, tests: Sequence[str], copy: Path, cpu_seconds: float) -> Outcome:
    """Put the fault into the copy, run the tests, take it out again."""
    file = copy / mutant.file
    sound = file.read_bytes()
    began = time.monotonic()
    try:
        _overwrite(file, mutant.applied(sound))
        how = run_tests(tests[:FIRST_TESTS], copy, cpu_seconds)
        if how == "survived" and tests[FIRST_TESTS:]:
            how = run_tests(tests[FIRST_TESTS:], copy, cpu_seconds)
    finally:
        _overwrite(file, sound)
    return Outcome(how != "survived", how, time.monotonic() - began)


def _overwrite(file: Path, data: bytes) -> None:
    """A new file, and its compiled form gone: time stamps are too coarse to tell them apart."""
    file.write_bytes(data)
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink(missing_ok=True)


def run_tests(tests: Sequence[str], copy: Path, cpu_seconds: float) -> str:
    pid = os.fork()
    if pid == 0:
        _become_pytest(tests, copy, cpu_seconds)
    until = time.monotonic() + MOST_SECONDS
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "waited for ever"
        time.sleep(0.02)
    _end_group(pid)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return "looped" if -code in (signal.SIGXCPU, signal.SIGKILL) else "crashed"
    return {0: "survived", TESTS_FAILED: "test failed"}.get(code, "does not load")


def _end_group(pid: int) -> None:
    """What its tests have begun and not ended."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _become_pytest(tests: Sequence[str], copy: Path, cpu_seconds: float) -> None:
    code = NO_TESTS
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds), int(cpu_seconds) + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy / "src")
        sys.path[:] = [str(copy), str(copy / "src"), *_foreign(sys.path)]
        for name in [one for one in sys.modules if one.split(".")[0] in ("bench", "tests")]:
            del sys.modules[name]
        quiet = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist")
        own = ("--rootdir", str(copy), "--basetemp", f"{copy}-temporary", "--assert=plain")
        code = int(pytest.main([*quiet, *own, *tests]))
    finally:
        os._exit(code)


def _foreign(path: Sequence[str]) -> list[str]:
    root = str(Path(__file__).parents[2])
    return [one for one in path if one and not (one == root or one == f"{root}/src")]
