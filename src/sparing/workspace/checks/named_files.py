"""Files that decide what a check does because a command, a script or a runner's settings name them.

A script's own helpers count as far as they are in its folder, or are scripts too: product code that
a script starts is what is checked, and changes with every feature.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from sparing.workspace.git.snapshot import Snapshot

DEEPEST = 5
_SHELL = frozenset({".sh", ".bash", ".zsh"})
_SCRIPT = _SHELL | {".mk", ".ini", ".cfg", ".toml"}
_SOURCE = frozenset({".py", ".js", ".mjs", ".cjs", ".ts"})
_PRODUCT = frozenset({"src", "lib", "app", "pkg", "cmd", "internal", "packages", ""})
_TEST = re.compile(r"(^|[/_.-])(test|spec)s?([/_.-]|$)")
_WORD = re.compile(r"[\w./*-]+")
_ELSEWHERE = re.compile(r"(?:-C|--directory|(?:^|[\s;&|(])cd)[\s=]+([\w./-]+)")
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
_LOADED = re.compile(r"[\"'](\.{1,2}/[\w./-]+)[\"']")
_PREPARES = re.compile(
    r"(?:setup\w*|global\w+|testEnvironment|environment|runner|testRunner|transform|require|file"
    r"|import|loader|preset|resolver|add_test)[\"']?\s*[:=(]\s*(\[[^\]]*\]|\{[^}]*\}|[^\n]*)"
)
"""Keys of settings whose files run before or around the tests."""


def named_scripts(files: Snapshot, text: str) -> Iterator[tuple[str, str]]:
    """Files that a command names and that decide what it does, other than tests."""
    found = dict[str, str]()
    waiting = [(text, ("", *_folders(text)), 0)]
    while waiting:
        words, folders, depth = waiting.pop()
        for path in _named(files, words, folders):
            if path not in found and depth < DEEPEST and (not depth or _is_tool(path)):
                found[path] = files.text(path) or files.entries[path][1]
                own = str(PurePosixPath(path).parent)
                inner = _inner(files, path, found[path])
                waiting.append((inner, ("", own, *_folders(inner)), depth + 1))
    yield from sorted(found.items())
    for folder in _folders(text):
        for name in ("GNUmakefile", "makefile", "Makefile"):
            path = posixpath.normpath(posixpath.join(folder, name))
            if path in files.entries:
                yield path, files.text(path)


def prepared_by(files: Snapshot, settings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Files that settings of a runner name to be run before or around the tests."""
    for text in settings:
        for found in _PREPARES.finditer(text):
            yield from named_scripts(files, found[1].replace("<rootDir>/", "").replace("}/", " "))


def _folders(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(posixpath.normpath(one) for one in _ELSEWHERE.findall(text)))


def _named(files: Snapshot, text: str, folders: Iterable[str]) -> Iterator[str]:
    for word in dict.fromkeys(_WORD.findall(text)):
        for folder in dict.fromkeys(folders):
            path = posixpath.normpath(posixpath.join(folder, word))
            paths = (path,) if "*" not in word else _matching(files, path)
            yield from (one for one in paths if _is_script(files, one))


def _matching(files: Snapshot, pattern: str) -> tuple[str, ...]:
    start = pattern.partition("*")[0]
    if "/" not in start:
        return ()
    depth = pattern.count("/")
    return tuple(
        path
        for path in files.entries
        if path.startswith(start) and path.count("/") == depth and fnmatchcase(path, pattern)
    )


def _is_script(files: Snapshot, path: str) -> bool:
    if path not in files.entries:
        return False
    place = PurePosixPath(path)
    if place.suffix in _SCRIPT or files.entries[path].mode == "100755":
        return True
    return place.suffix in _SOURCE and not _TEST.search(path)


def _is_tool(path: str) -> bool:
    """Whether it is a script, or lies where no product code does."""
    place = PurePosixPath(path)
    return place.suffix in _SHELL or place.parts[0] not in _PRODUCT | {place.name}


def _inner(files: Snapshot, path: str, text: str) -> str:
    """What a script's text names: all words of a shell's, the modules that others load."""
    place = PurePosixPath(path)
    if place.suffix == ".py":
        return " ".join(f"{name}.py" for name in _IMPORT.findall(text))
    if place.suffix in _SOURCE:
        names = _LOADED.findall(text)
        endings = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js")
        return " ".join(f"{name}{ending}" for name in names for ending in endings)
    return text if place.suffix in _SHELL or files.entries[path].mode == "100755" else ""
