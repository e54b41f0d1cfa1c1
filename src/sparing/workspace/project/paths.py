"""Paths that agents, artifacts or the page name, and that must not lead out of a folder.

A name is first checked as text, then opened component by component without following a link, so
that a link that is swapped in meanwhile changes nothing. What is opened is checked again before a
byte is read or written.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from sparing.errors import RepositoryError

NAME_LIMIT = 255
PATH_LIMIT = 1024
READ_LIMIT = 4_000_000

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE)


class PathRefused(RepositoryError):
    """A path that we refuse to open, and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path[:200]!r}: {reason}", "name a regular file inside the project")
        self.path = path
        self.reason = reason


def check_id(name: str) -> str:
    """Check an id from a file that a model may have written, since it becomes part of a path."""
    if not _ID.fullmatch(name):
        raise PathRefused(name, "it is not an id: letters, digits, dots, dashes, at most 80")
    return check_path(name)[0]


def is_id(value: object) -> TypeGuard[str]:
    try:
        return isinstance(value, str) and bool(check_id(value))
    except PathRefused:
        return False


def check_path(path: str) -> tuple[str, ...]:
    """Return the components of a relative path, or raise if its text is not harmless."""
    if not path or len(os.fsencode(path)) > PATH_LIMIT:
        raise PathRefused(path, "it is empty or too long")
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        raise PathRefused(path, "it is absolute")
    names = tuple(path.removesuffix("/").split("/"))
    for name in names:
        if reason := _fault(name):
            raise PathRefused(path, reason)
    return names


def _fault(name: str) -> str | None:
    if name in ("", ".", ".."):
        return "it leaves the folder"
    if len(os.fsencode(name)) > NAME_LIMIT:
        return "it is too long"
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for letter in name):
        return "it has invisible characters"
    if "\\" in name or "::$" in name:
        return "it means something else on other systems"
    if _is_git(name):
        return "it is git's own folder"
    return "it is a device" if _DEVICE.fullmatch(name) else None


def _is_git(name: str) -> bool:
    """Whether any file system may read it as `.git`; hidden characters are refused earlier."""
    plain = unicodedata.normalize("NFKC", name).casefold().split(":")[0].rstrip(". ")
    return plain == ".git" or re.fullmatch(r"\.?git~\d+", plain) is not None


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


@dataclass(frozen=True, slots=True)
class Confined:
    """Access to the files below one folder, and to no others."""

    root: Path

    def read_bytes(self, path: str, limit: int = READ_LIMIT) -> bytes:
        with self._folder(path, make=False) as (folder, name):
            _check_entry(path, folder, name)
            file = _open(path, name, _READ, folder)
            with os.fdopen(file, "rb") as stream:
                found = os.fstat(file)
                _check_stat(path, found)
                _check_alone(path, found)
                content = stream.read(limit + 1)
        if len(content) > limit:
            raise PathRefused(path, f"it is larger than {limit} bytes")
        return content

    def read_text(self, path: str, limit: int = READ_LIMIT) -> str:
        return self.read_bytes(path, limit).decode(errors="replace")

    def exists(self, path: str) -> bool:
        """Whether there is a regular file that `read_text` would open."""
        try:
            with self._folder(path, make=False) as (folder, name):
                return _check_entry(path, folder, name) is not None
        except (FileNotFoundError, NotADirectoryError):
            return False

    def write_text(self, path: str, text: str) -> None:
        self.write_bytes(path, text.encode(errors="replace"))

    def write_bytes(self, path: str, content: bytes) -> None:
        """Write a whole file atomically; missing parent folders are made."""
        with self._folder(path, make=True) as (folder, name):
            mode = _check_for_writing(path, folder, name)
            fresh = f".{name[:200]}.sparing"
            _unlink(fresh, folder)
            file = _open(path, fresh, _CREATE, folder)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(content)
                    if mode is not None:
                        os.fchmod(stream.fileno(), mode)
                os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                _unlink(fresh, folder)
                raise

    def remove(self, path: str) -> None:
        """Remove a file or a link (not what it leads to), and the folders this leaves empty."""
        names = path.split("/")
        if any(name in ("", ".", "..") or _is_git(name) for name in names):
            raise PathRefused(path, "it leaves the folder")
        with self._open_folder(path, tuple(names[:-1]), make=False) as folder:
            os.unlink(names[-1], dir_fd=folder)
        for depth in range(len(names) - 1, 0, -1):
            with self._open_folder(path, tuple(names[: depth - 1]), make=False) as folder:
                try:
                    os.rmdir(names[depth - 1], dir_fd=folder)
                except OSError:
                    return

    @contextmanager
    def _folder(self, path: str, make: bool) -> Generator[tuple[int, str]]:
        *parents, name = check_path(path)
        with self._open_folder(path, tuple(parents), make) as folder:
            yield folder, name

    @contextmanager
    def _open_folder(self, path: str, names: tuple[str, ...], make: bool) -> Generator[int]:
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in names:
                if make:
                    _make_folder(path, name, folder)
                below = _open(path, name, _FOLDER, folder)
                os.close(folder)
                folder = below
            yield folder
        finally:
            os.close(folder)


def _open(path: str, name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, 0o666, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        # ELOOP or ENOTDIR: a link, or a file where a folder should be.
        raise PathRefused(path, error.strerror or "it can't be opened") from error


def _make_folder(path: str, name: str, folder: int) -> None:
    _check_clash(path, folder, name)
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return


def _check_entry(path: str, folder: int, name: str) -> os.stat_result | None:
    """Check an entry before opening it: opening a device or a pipe can already have effects."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _check_stat(path, found)
    return found


def _check_stat(path: str, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise PathRefused(path, "it is a link")
    if not stat.S_ISREG(found.st_mode):
        raise PathRefused(path, "it is not a regular file")


def _check_for_writing(path: str, folder: int, name: str) -> int | None:
    found = _check_entry(path, folder, name)
    if found is None:
        _check_clash(path, folder, name)
        return None
    _check_alone(path, found)
    return stat.S_IMODE(found.st_mode)


def _check_alone(path: str, found: os.stat_result) -> None:
    if found.st_nlink > 1:
        raise PathRefused(path, "it is a hard link, the file has another name elsewhere")


def _check_clash(path: str, folder: int, name: str) -> None:
    """Refuse a name that differs from another only in case or accents: one file on some systems."""
    wanted = _fold(name)
    for other in os.listdir(folder):
        if other != name and _fold(other) == wanted:
            raise PathRefused(path, f"it clashes with {other!r}")


def _unlink(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
