"""Which files of a commit a set-up has read, and which missing files it looked for.

Learned by tracing it: `strace` sees every lookup, including failed ones. Where that is not
installed or not allowed, access times tell what was read, if the file system keeps them. The result
decides when a person is asked, never what a set-up may see.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.git.special_files import read_plain

PROBE_SECONDS = 20
MOST_BYTES = 256 << 20
"""Bytes of a trace that are read; a longer trace counts as not seen."""
MOST_PATHS = 20_000
OLD_NS = 1_000_000_000
"""Older than any change of a file, so that the first read is recorded, even with `relatime`."""
CALLS = (
    "open", "openat", "openat2", "execve", "execveat", "access", "faccessat", "faccessat2", "stat",
    "lstat", "newfstatat", "statx", "readlink", "readlinkat", "chdir",
)  # fmt: skip
READING = frozenset(
    {"open", "openat", "openat2", "execve", "execveat", "readlink", "readlinkat"}
)  # fmt: skip
_TEXT = r'"(?P<path>(?:[^"\\]|\\.)*)"'
_LINE = re.compile(rf"(?P<call>\w+)\((?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?{_TEXT}(?P<rest>.*)")
_END = re.compile(r"= (?P<code>-?\d+)(?:<(?P<real>[^>]*)>| (?P<error>E[A-Z]+) .*)?$")
_ESCAPED = re.compile(rb"\\(?:x(?P<hex>[0-9a-f]{2})|(?P<octal>[0-7]{1,3})|(?P<letter>.))")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}
_WRITING = re.compile(r"\bO_WRONLY\b|\bO_DIRECTORY\b")


class TraceKind(StrEnum):
    CALLS = "calls"
    """Every lookup, including failed ones."""
    TIMES = "times"
    """Only what was read."""
    NOTHING = "nothing"
    """It ran, but could not be traced."""
    NEVER = "never"
    """It has not run yet."""


class Traced(NamedTuple):
    kind: TraceKind = TraceKind.NEVER
    read: tuple[str, ...] = ()
    """Paths of the commit, sorted."""
    absent: tuple[str, ...] = ()
    """Paths where a file or folder was looked for but missing, sorted."""
    unread: tuple[str, ...] = ()
    """Files that by their names a set-up may read, but this one did not."""

    def joined(self, other: Traced) -> Traced:
        """What two runs of the same commands have read; only as reliable as the worse of them."""
        order = list(TraceKind)
        read = {*self.read, *other.read}
        absent, unread = {*self.absent, *other.absent}, {*self.unread, *other.unread}
        kind = max(self.kind, other.kind, key=order.index)
        return Traced(kind, *(tuple(sorted(one)) for one in (read, absent - read, unread - read)))


UNSEEN = Traced(TraceKind.NOTHING)


@lru_cache(maxsize=1)
def trace_kind() -> TraceKind:
    """The best kind of tracing that works here; tried once per process."""
    if tracer() is None:
        return TraceKind.TIMES
    argv = (*trace_line(Path(os.devnull), each=False), shutil.which("true") or "true")
    try:
        done = subprocess.run(argv, env={}, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return TraceKind.TIMES
    return TraceKind.CALLS if done.returncode == 0 else TraceKind.TIMES


@lru_cache(maxsize=1)
def tracer() -> str | None:
    return shutil.which("strace", path=os.defpath)


def trace_line(folder: Path, *, each: bool = True) -> tuple[str, ...]:
    """The prefix of a command line that traces it. The sandbox itself forbids tracing, so this
    runs outside of it; paths are those of the outside."""
    named = ",".join(f"?{name}" for name in CALLS)
    follow = ("-ff", "-o", str(folder / "calls")) if each else ("-f", "-o", str(folder))
    quiet = ("-qq", "-e", "signal=none", "-y", "-s", "4096", "-e", f"trace={named}")
    return (tracer() or "strace", *follow, "--seccomp-bpf", *quiet)


def read_calls(folder: Path, roots: Iterable[Path], known: Collection[str]) -> Traced:
    """Read traces; `roots` are the worktree's paths, `known` the paths of the commit."""
    names = tuple(str(root) for root in roots)
    read, absent, left = set[str](), set[str](), MOST_BYTES
    for file in sorted(folder.glob("calls.*")):
        data = read_plain(file, left) or b""
        left -= len(data)
        if left <= 0:
            return UNSEEN
        for look in _looks(data.decode("utf-8", "surrogateescape"), names[0]):
            found = {_below(path, names) for path in look.paths} & set(known)
            if found and look.reads:
                read |= found
            elif look.failed and (path := _below(look.paths[0], names)) and path not in known:
                absent.add(path)
    if len(absent) > MOST_PATHS:
        return UNSEEN
    return Traced(TraceKind.CALLS, tuple(sorted(read)), tuple(sorted(absent)))


class _Look(NamedTuple):
    paths: tuple[str, ...]
    """The path as requested, and the one that was opened."""
    reads: bool
    failed: bool


def _looks(text: str, root: str) -> Iterator[_Look]:
    """Lookups of one process. Older calls don't name their starting folder: it is where the
    process was last seen."""
    here = root
    for line in text.splitlines():
        call = _LINE.match(line)
        end = _END.search(call["rest"]) if call else None
        if call is None or end is None:
            continue
        folder = _plain(call["folder"]) if call["folder"] else here
        asked = posixpath.normpath(posixpath.join(folder, _plain(call["path"])))
        failed = end["error"] in ("ENOENT", "ENOTDIR")
        if "AT_FDCWD<" in line:
            here = folder
        if call["call"] == "chdir":
            here = here if end["error"] else asked
            continue
        reads = call["call"] in READING and not end["error"] and not _WRITING.search(call["rest"])
        yield _Look((asked, *((_plain(end["real"]),) if end["real"] else ())), reads, failed)


def _plain(text: str) -> str:
    """Undo the escapes of strace."""
    return os.fsdecode(_ESCAPED.sub(_letter, os.fsencode(text)))


def _letter(found: re.Match[bytes]) -> bytes:
    if found["hex"]:
        return bytes.fromhex(found["hex"].decode())
    if found["octal"]:
        return bytes([int(found["octal"], 8) & 255])
    return _LETTERS.get(found["letter"], found["letter"])


def _below(path: str, roots: Iterable[str]) -> str:
    """The path relative to the worktree; empty if outside of it."""
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(root) + 1 :]
    return ""


def forget_times(root: Path, paths: Iterable[str]) -> None:
    """Reset access times, so that they tell from now on whether a file was read."""
    for path in paths:
        place = root / path
        if place.is_file() and not place.is_symlink():
            os.utime(place, ns=(OLD_NS, place.lstat().st_mtime_ns))


def read_times(root: Path, paths: Iterable[str], probe: Path) -> Traced:
    """Read access times; `probe` is a file to create and remove on the same file system."""
    if not _keeps_times(probe):
        return UNSEEN
    places = ((path, root / path) for path in paths)
    seen = (p for p, place in places if os.path.lexists(place) and _was_read(place))
    return Traced(TraceKind.TIMES, tuple(sorted(seen)))


def _was_read(place: Path) -> bool:
    return place.lstat().st_atime_ns != OLD_NS or place.is_symlink()


def _keeps_times(probe: Path) -> bool:
    probe.write_text("read me", "utf-8")
    try:
        os.utime(probe, ns=(OLD_NS, probe.stat().st_mtime_ns))
        read_plain(probe)
        return probe.stat().st_atime_ns != OLD_NS
    finally:
        probe.unlink()
