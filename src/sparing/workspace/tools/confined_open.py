"""Opens files below one folder, whatever an agent does to the folder meanwhile.

The kernel resolves the whole path at once and refuses to leave the folder: by dots, by a link,
through `/proc`. Links that stay inside are followed for reading. Where the kernel has no such call,
or it is blocked, every component is opened separately and no link is followed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import stat
import struct
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.project.paths import Confined, PathRefused, check_path

READ_LIMIT = 4_000_000
_OPENAT2 = 437
_NO_MAGIC_LINKS, _BENEATH = 0x02, 0x08
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_TRIES = 8
_OWN_FILES = "/proc/self/fd"
"""Where the kernel tells the path of a descriptor."""


class Beneath(NamedTuple):
    root: Path
    kernel: bool = True
    """Let the kernel resolve paths; if off or not available: component by component."""

    def relative(self, path: str) -> str:
        """The path relative to the folder; one that leads out of it is refused."""
        plain = path.strip()
        root = f"{self.root}/"
        plain = plain[len(root) :] if plain.startswith(root) else plain
        return "/".join(check_path(re.sub(r"^(?:\./+)+", "", plain)))

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes:
        """Read a regular file of at most so many bytes."""
        name = self.relative(path)
        if not (self.kernel and has_openat2()):
            return Confined(self.root).read_bytes(name, limit)
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            file = _open(name, folder)
        finally:
            os.close(folder)
        try:
            self._check(name, file)
            with os.fdopen(file, "rb", closefd=False) as stream:
                data = stream.read(limit + 1)
        finally:
            os.close(file)
        if len(data) > limit:
            raise PathRefused(path, f"it is larger than {limit} bytes")
        return data

    def _check(self, name: str, file: int) -> None:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise PathRefused(name, "it is not a regular file")
        if found.st_nlink > 1:
            raise PathRefused(name, "it is a hard link, the file has another name elsewhere")
        # A link inside may lead to what no name may say: git's own files.
        root, real = self.root.resolve(), Path(f"{_OWN_FILES}/{file}").readlink()
        if not real.is_relative_to(root):
            raise PathRefused(name, "it leads out of the folder")
        if real != root / name:
            check_path(str(real.relative_to(root)))


@cache
def has_openat2() -> bool:
    """Whether the kernel call works, tried once: old kernels lack it, containers may block it."""
    if not Path(_OWN_FILES).is_dir():
        return False
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(_openat2(".", folder))
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def _open(name: str, folder: int) -> int:
    for _ in range(_TRIES):
        try:
            return _openat2(name, folder)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno == errno.EAGAIN:  # something was moved meanwhile
                continue
            raise PathRefused(name, _reason(error)) from error
    raise PathRefused(name, "it is being moved")


def _openat2(name: str, folder: int) -> int:
    how = struct.pack("=QQQ", _FLAGS, 0, _NO_MAGIC_LINKS | _BENEATH)
    libc = _libc()
    found = libc.syscall(
        ctypes.c_long(_OPENAT2), ctypes.c_int(folder), os.fsencode(name), how, ctypes.c_size_t(24)
    )
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(found)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _reason(error: OSError) -> str:
    if error.errno in (errno.EXDEV, errno.ELOOP):
        return "it leads out of the folder"
    return error.strerror or "it can't be opened"
