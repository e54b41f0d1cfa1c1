"""Objects and refs by name, from git processes that stay open while an engine runs.

Starting git takes longer than most answers. Within `kept_open`, one process per repository answers,
one question after the other; otherwise, and whenever that process does not answer, the caller
starts git itself. Refs are read anew for each question. The repository's settings are judged before
each use, and a process started under different ones is no longer asked. A second process moves refs
that have no log.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from sparing.workspace.git.config import Setting, includes, judge
from sparing.workspace.git.runner import (
    LOOK_SECONDS,
    Git,
    Signature,
    common_dir,
    signature,
    stamp,
)

PIECE_BYTES = 65536
READS = ("cat-file", "--batch-command", "-z")
MOVES = ("update-ref", "--stdin", "-z")


class GitObject(NamedTuple):
    id: str
    kind: str
    data: bytes = b""


class NoAnswer(Exception):
    """No git process is kept open, or it has ended: the caller must start git itself."""


class Started(NamedTuple):
    """The conditions under which a process that is kept open was started."""

    process: int
    files: Signature
    overrides: tuple[Setting, ...]


class Reader:
    """One git process, asked by one thread at a time."""

    def __init__(self, started: Started, process: subprocess.Popen[bytes]) -> None:
        self.started = started
        self.ended = False
        self._process = process
        self._lock = Lock()
        self._left = b""

    def ask(self, question: str, name: str) -> GitObject | None:
        with self._lock:
            try:
                return self._answer(os.fsencode(f"{question} {name}") + b"\0")
            except (OSError, ValueError) as error:
                self._end()
                raise NoAnswer from error

    def tell(self, orders: bytes, answers: tuple[bytes, ...]) -> None:
        """Send commands that must be answered by exactly these lines; otherwise end the process."""
        with self._lock:
            try:
                self._say(orders)
                if any(self._line() != answer for answer in answers):
                    raise OSError("git said something else")
            except (OSError, ValueError) as error:
                self._end()
                raise NoAnswer from error

    def _say(self, words: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(words)
        stdin.flush()

    def _line(self) -> bytes:
        while b"\n" not in self._left:
            self._more()
        line, _, self._left = self._left.partition(b"\n")
        return line

    def _answer(self, question: bytes) -> GitObject | None:
        self._say(question)
        head = self._line()
        fields = head.rsplit(b" ", 2)
        if fields[-1] in (b"missing", b"ambiguous") or len(fields) < 3:
            return None
        data = self._take(int(fields[2])) if question.startswith(b"contents") else b""
        return GitObject(fields[0].decode(), fields[1].decode(), data)

    def _take(self, size: int) -> bytes:
        """Read the content, and skip the line break that follows it."""
        parts, found = [self._left], len(self._left)
        while found <= size:
            self._left = b""
            self._more()
            parts.append(self._left)
            found += len(self._left)
        whole = b"".join(parts)
        self._left = whole[size + 1 :]
        return whole[:size]

    def _more(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], LOOK_SECONDS)[0]:
            raise OSError("git does not respond")
        piece = os.read(stdout.fileno(), PIECE_BYTES)
        if not piece:
            raise OSError("git has ended")
        self._left += piece

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        """End the process, unless it belongs to a process that we were forked from."""
        self.ended = True
        if self.started.process != os.getpid():
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


_lock = Lock()
_keepers: list[object] = []
_readers: dict[tuple[Path, tuple[str, ...]], Reader] = {}


@contextmanager
def kept_open() -> Generator[None]:
    """Within this context, questions about one repository go to one process."""
    keeper = object()
    with _lock:
        _keepers.append(keeper)
    try:
        yield
    finally:
        with _lock:
            _keepers.remove(keeper)
            readers = [] if _keepers else [*_readers.values()]
            if not _keepers:
                _readers.clear()
        for reader in readers:
            reader.close()


def object_id(git: Git, name: str) -> str:
    """The id of the object that a name refers to; empty if there is none."""
    try:
        found = _asked(git, "info", name)
    except NoAnswer:
        args = ("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return git.text(*args, ok_codes=(0, 1, 128))
    return found.id if found else ""


def blob(git: Git, name: str) -> bytes | None:
    """A file of a commit, by `commit:path`; None if there is none."""
    try:
        found = _asked(git, "contents", name)
    except NoAnswer:
        return _read_alone(git, name)
    return found.data if found and found.kind == "blob" else None


def contents(git: Git, name: str) -> GitObject | None:
    """Any object with its bytes. Raises `NoAnswer` if no git process is open."""
    return _asked(git, "contents", name)


def _read_alone(git: Git, name: str) -> bytes | None:
    stdin = os.fsencode(name) + b"\0"
    head, _, rest = git.run("cat-file", "--batch", "-z", stdin=stdin).partition(b"\n")
    fields = head.split(b" ")
    if len(fields) != 3 or fields[1] != b"blob":
        return None
    return rest[: int(fields[2])]


def swap_ref(git: Git, ref: str, new: str, old: str) -> None:
    """Move a ref between commits; the null id as `old` creates it, as `new` deletes it. Only for
    refs without a reflog. Raises `NoAnswer` if it failed: running git yourself then says why."""
    if "\n" in ref or "\0" in ref or " " in ref:
        raise NoAnswer
    order = os.fsencode(f"update {ref}\0{new}\0{old}\0")
    orders, answers = b"start\0" + order + b"commit\0", (b"start: ok", b"commit: ok")
    _opened(git, MOVES).tell(orders, answers)


def _asked(git: Git, question: str, name: str) -> GitObject | None:
    # A line break would come back in the answer, where nobody could tell it from its end.
    if "\n" in name or "\0" in name:
        raise NoAnswer
    return _opened(git, READS).ask(question, name)


def _opened(git: Git, command: tuple[str, ...]) -> Reader:
    if not _keepers or git.work_tree is not None:
        raise NoAnswer
    common = common_dir(git.git_dir)
    signed = signature(git.git_dir, common)
    settings = git.settings(signed)
    if includes(settings):
        raise NoAnswer
    more = (f"{common}/objects/info/alternates", f"{common}/shallow")
    files = (*signed, *map(stamp, more))
    started = Started(os.getpid(), files, judge(settings, git.trusted, None))
    with _lock:
        known = _readers.get((git.git_dir, command))
        if known is not None and known.started == started and not known.ended:
            return known
        fresh = _readers[git.git_dir, command] = Reader(started, git.stay_open(*command))
    if known is not None:
        known.close()
    return fresh
