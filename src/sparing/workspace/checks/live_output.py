"""What a check or a set-up prints while it runs, for people who wait: a file, and a note beside it.

Both are in a folder of ours that the command can't write to, and are removed when it ends. A note
whose process is gone was left by one that was killed, and is ignored.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from sparing.sandbox_path import told
from sparing.workspace.git.special_files import read_plain

NOTES, SUFFIX = "running-*.json", ".json"
TAIL_BYTES = 4_096


class RunningCommand(NamedTuple):
    name: str
    """`set-up`, or the name of the check."""
    command: str
    worktree: str
    since: float
    """When it began."""
    output: Path
    last: str
    """The last line that it printed."""


@contextlib.contextmanager
def live_output(folder: Path, name: str, command: str, worktree: Path) -> Generator[BinaryIO]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(prefix="running-", suffix=".out", dir=folder)
    note = Path(path).with_suffix(SUFFIX)
    told = {"name": name, "command": command, "worktree": str(worktree), "pid": os.getpid()}
    try:
        with os.fdopen(handle, "w+b") as out:
            note.write_text(json.dumps(told), "utf-8")
            yield out
    finally:
        note.unlink(missing_ok=True)
        Path(path).unlink(missing_ok=True)


def running_commands(folder: Path) -> Iterator[RunningCommand]:
    for note in sorted(folder.glob(NOTES)):
        with contextlib.suppress(OSError, ValueError, KeyError):
            told = cast("dict[str, Any]", json.loads(read_plain(note) or b""))
            os.kill(told["pid"], 0)
            output = note.with_suffix(".out")
            yield RunningCommand(
                told["name"], told["command"], told["worktree"], note.stat().st_mtime, output,
                _last_line(output),
            )  # fmt: skip


def _last_line(path: Path) -> str:
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        start = max(0, os.fstat(file).st_size - TAIL_BYTES)
        text = os.pread(file, TAIL_BYTES, start).decode(errors="replace")
    finally:
        os.close(file)
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n")]
    return told(next((line for line in reversed(lines) if line), ""))
