"""A pytest plugin: which functions of the program each test calls, and its processor time.

A line of JSON a test goes into a folder, in one file a process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import FrameType

import pytest

VARIABLE = "PYTEST_MUTANTS_CALLS"
"""A folder for the files of all processes."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    called: set[tuple[str, str]] = set()
    failed = item.session.testsfailed

    def seen(frame: FrameType, _event: str, _value: object) -> None:
        code = frame.f_code
        if "/sparing/" in code.co_filename:
            called.add((code.co_filename, code.co_qualname))

    began = _spent()
    threading.settrace(seen)
    sys.settrace(seen)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # pyright: ignore[reportArgumentType]
        if item.session.testsfailed == failed:  # one that fails by itself tells nothing
            _write(item.nodeid, _spent() - began, called)


def _spent() -> float:
    """With what it has started; a clock would only tell how busy the machine is."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def _write(test: str, seconds: float, called: set[tuple[str, str]]) -> None:
    root = str(Path.cwd()) + "/"
    functions = sorted(
        f"{file.removeprefix(root)}:{name.replace('.<locals>', '')}" for file, name in called
    )
    row = {"test": test, "seconds": seconds, "functions": functions}
    with Path(os.environ[VARIABLE], f"{os.getpid()}.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
