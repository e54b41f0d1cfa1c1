"""Finding lines in files: which match, which of them are shown first, and how many are not.

Plain text is searched for here. Anything else is a regular expression from a model, which can run
forever: `search_child` runs it in a process that is ended when its time is up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.workspace.tools.pages import split_lines

BINARY_BYTES = 8_192
"""Leading bytes in which a NUL marks a file as binary."""
MOST_SHOWN = 60
MOST_IN_A_FILE = 8
MOST_HITS = 5_000
"""Hits of one pattern, after which the search stops."""
LINE_CHARS = 220
_SPECIAL = re.compile(r"[.^$*+?{}\[\]|()\\]")
_TEST = re.compile(r"(?:^|/)tests?(?:/|_)|(?:^|[/_.])(?:test|spec)[_.]|_test\.|\.spec\.")
_PROSE = (".md", ".rst", ".txt", ".lock", ".json", ".svg", ".csv")
_DEFINES = r"\b(?:def|class|func|fn|fun|function|interface|struct|enum|trait|type|const|let|var)\s+"


class Hit(NamedTuple):
    path: str
    line: int
    text: str


class Found(NamedTuple):
    hits: tuple[Hit, ...]
    whole: bool = True
    """True if every file was searched."""


def is_plain(pattern: str) -> bool:
    return _SPECIAL.search(pattern) is None


def text_of(data: bytes) -> str:
    """The text of a file; empty if it is binary, so that nothing is found in it."""
    return "" if b"\0" in data[:BINARY_BYTES] else data.decode("utf-8", "replace")


def lines_with(matches: Callable[[str], object], text: str) -> list[int]:
    return [number for number, line in enumerate(split_lines(text), 1) if matches(line)]


def under(paths: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Paths below one of the folders, or that match one of the name patterns."""
    if not wanted:
        return list(paths)
    folders = ["" if one in (".", "./") else one.strip("/").removeprefix("./") for one in wanted]
    return [path for path in paths if any(_fits(path, one) for one in folders)]


def ranked(pattern: str, hits: Sequence[Hit], first: frozenset[str]) -> list[Hit]:
    """Sort by definitions, files in `first`, code, tests, prose; hits of a file stay together."""
    defines = re.compile(_DEFINES + re.escape(pattern)) if pattern.isidentifier() else None

    def rank(hit: Hit) -> tuple[bool, bool, int, str, int]:
        named = defines is not None and defines.search(hit.text) is not None
        return (not named, hit.path not in first, _kind(hit.path), hit.path, hit.line)

    best: dict[str, tuple[bool, bool, int, str, int]] = {}
    for hit in sorted(hits, key=rank):
        best.setdefault(hit.path, rank(hit))
    return sorted(hits, key=lambda hit: (best[hit.path], hit.line))


def rendered(
    pattern: str, found: Found, first: frozenset[str] = frozenset(), scope: str = ""
) -> str:
    """The result as text; `scope` is the folder searched because no other was named."""
    asked = f'{pattern!r} in {scope} (elsewhere: under; all: ".")' if scope else repr(pattern)
    if not found.hits:
        return f"== search {asked}: no line matches"
    shown, held = _shown(ranked(pattern, found.hits, first))
    files, count = len({hit.path for hit in found.hits}), sum(map(len, shown.values()))
    least = "" if found.whole else "at least "
    head = f"== search {asked}: {least}{len(found.hits)} lines in {files} files"
    parts = [head if count == len(found.hits) and found.whole else f"{head}, {count} shown"]
    for path, hits in shown.items():
        parts.append(path)
        parts += [f"{hit.line}\t{_short(hit.text)}" for hit in hits]
        if held[path]:
            parts.append(f"[{held[path]} more in this file]")
    if files > len(shown):
        others = f"{files - len(shown)} more files"
        parts.append(f"[{others}: narrow the pattern, or name folders in under]")
    return "\n".join(parts)


def _shown(hits: Sequence[Hit]) -> tuple[dict[str, list[Hit]], dict[str, int]]:
    shown: defaultdict[str, list[Hit]] = defaultdict(list)
    held: defaultdict[str, int] = defaultdict(int)
    count = 0
    for hit in hits:
        if count < MOST_SHOWN and len(shown[hit.path]) < MOST_IN_A_FILE:
            shown[hit.path].append(hit)
            count += 1
        else:
            held[hit.path] += 1
    return {path: some for path, some in shown.items() if some}, held


def _fits(path: str, wanted: str) -> bool:
    if not wanted or path == wanted or path.startswith(f"{wanted}/"):
        return True
    pattern = wanted.removeprefix("**/")
    return fnmatchcase(path, wanted) or fnmatchcase(path.rpartition("/")[2], pattern)


def _kind(path: str) -> int:
    if PurePosixPath(path).suffix in _PROSE:
        return 2
    return 1 if _TEST.search(path) else 0


def _short(line: str) -> str:
    text = line.strip()
    return text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]} […]"
