"""Whether an engine is at work, asked of its lock and of nobody else. Covers: A6"""

from __future__ import annotations

import os
from pathlib import Path

from sparing.desk.features.engine_presence import is_held
from sparing.runtime.engine_lock import engine_lock


def test_a_lock_that_is_held(tmp_path: Path) -> None:
    lock = tmp_path / "engine.lock"
    assert not is_held(lock)
    with engine_lock(lock):
        assert is_held(lock)
    assert not is_held(lock), "the number of a process is left in it, and proves nothing"


def test_a_lock_of_a_process_that_is_gone(tmp_path: Path) -> None:
    lock = tmp_path / "engine.lock"
    child = os.posix_spawn("/bin/true", ("true",), {})
    os.waitpid(child, 0)
    for left in (f"{child}\n", "", "no number", "-1" + "9" * 40):
        lock.write_text(left)
        assert not is_held(lock)


def test_looking_takes_nothing_away(tmp_path: Path) -> None:
    """Whoever starts an engine right after a look gets the lock."""
    lock = tmp_path / "engine.lock"
    lock.write_text(f"{os.getpid()}\n")
    assert not is_held(lock)
    with engine_lock(lock):
        pass
