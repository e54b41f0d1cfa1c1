"""How much memory all processes of a program take together, and how much they have written.

The supervisor asks several times a second. The kernel's limits apply to one process or file; a
program can start as many as it likes. Standard library only, and little of it, as `entry` says.
"""

import os
import time

from sparing.workspace.sandbox.landlock import Policy

EVERY_MS = 250
MEGABYTE = 1 << 20
LEAST_STEP = 8 * MEGABYTE
COUNTED = (b"RssAnon:", b"RssShmem:")
SHARED_OUT = (b"Pss_Anon:", b"Pss_Shmem:")


def clock() -> float:
    return time.monotonic()  # noqa: TID251 - of the supervisor's own process


class Meter:
    """Measures one program, from its start on."""

    def __init__(self, policy: Policy) -> None:
        self.memory = int(policy["tree_bytes"][0]) if policy["tree_bytes"] else 0
        self.disk = int(policy["disk_bytes"][0]) if policy["disk_bytes"] else 0
        self.folders = policy["disk_in"]
        self.began = time.time_ns()
        self.free = self._free() if self.disk else 0
        self.not_before = self.next_look = 0.0
        self.words = ""
        """Which limit was passed; empty as long as none was."""

    @property
    def pause_ms(self) -> int | None:
        """Milliseconds to wait for other events before measuring; None if nothing is limited."""
        return EVERY_MS if self.memory or self.disk else None

    def is_full(self, pid: int) -> bool:
        """True once, when a limit is exceeded: the caller then ends the program."""
        now = clock()
        if self.words or self.pause_ms is None or now < self.next_look:
            return False
        self.next_look = now + EVERY_MS / 1000
        self.words = self._excess(pid)
        return bool(self.words)

    def _excess(self, pid: int) -> str:
        if self.memory and (taken := self._taken(pid)) > self.memory:
            sizes = f"{taken // MEGABYTE:,} MB of memory, {self.memory // MEGABYTE:,} MB"
            return f"its processes took {sizes} are allowed (workspace.memory_mb)"
        if self.disk and (written := self._written()) > self.disk:
            sizes = f"{written // MEGABYTE:,} MB of files, {self.disk // MEGABYTE:,} MB"
            return f"its processes wrote {sizes} are allowed (workspace.disk_mb)"
        return ""

    def _taken(self, pid: int) -> int:
        """Memory in use; if over the limit, shared memory is counted once, which takes longer."""
        pids = tree(pid)
        most = sum(amount(f"/proc/{one}/status", COUNTED) or 0 for one in pids)
        return most if most <= self.memory else sum(map(shared_out, pids))

    def _written(self) -> int:
        """Bytes written; measured only if the disk's free space has shrunk noticeably."""
        free, now = self._free(), clock()
        if free > self.free - max(self.disk // 8, LEAST_STEP) or now < self.not_before:
            return 0
        written = sum(written_since(folder, self.began) for folder in self.folders)
        self.free = free
        self.not_before = clock() + 10 * (clock() - now)
        return written

    def _free(self) -> int:
        found = (os.statvfs(folder) for folder in self.folders)
        return min(one.f_bavail * one.f_frsize for one in found)


def tree(pid: int) -> list[int]:
    """A process and all its descendants."""
    found, waiting = list[int](), [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            threads = os.listdir(f"/proc/{one}/task")  # noqa: PTH208 - pathlib is slow to import
        except OSError:
            continue
        for thread in threads:
            waiting += map(int, content(f"/proc/{one}/task/{thread}/children").split())
    return found


def shared_out(pid: int) -> int:
    return amount(f"/proc/{pid}/smaps_rollup", SHARED_OUT) or (
        amount(f"/proc/{pid}/status", COUNTED) or 0
    )


def amount(path: str, names: tuple[bytes, ...]) -> int | None:
    """The sum of these lines, in bytes; None if there is none of them."""
    found = [line.split() for line in content(path).splitlines() if line.startswith(names)]
    return sum(int(words[1]) * 1024 for words in found) if found else None


def content(path: str) -> bytes:
    """A file's content in /proc; empty if its process has ended meanwhile."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = list[bytes]()
        while part := os.read(file, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(file)


def written_since(folder: str, began: int) -> int:
    """Bytes in files that were changed since then; a program can't set that time back."""
    total, waiting = 0, [folder]
    while waiting:
        try:
            for entry in os.scandir(waiting.pop()):
                found = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif found.st_ctime_ns >= began:
                    total += found.st_blocks * 512
        except OSError:
            continue
    return total
