"""What a session has explored, as far as the program saw it: a tree, key files, imports.

Made from paths and texts alone. Names and imports are found by simple patterns for the usual
languages: the result is short and may miss a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

MOST_FILES = 25
MOST_NAMES = 8
MOST_IMPORTS = 10
LARGEST_CHARS = 200_000
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import\b"
    r"|import[ \t]+(?:[\w*{}, \t]+[ \t]from[ \t]+)?[\"']?(?P<name>[@\w./-]+)[\"']?"
    r"|(?:const|let|var)[ \t]+[^=\n]{1,80}=[ \t]*require\([\"'](?P<required>[^\"'\n]+)[\"']\)"
    r"|use[ \t]+(?P<used>[\w:]+)|\#include[ \t]+[<\"](?P<header>[^>\"\n]+)[>\"])",
    re.MULTILINE,
)


def explored_tree(paths: Iterable[str]) -> str:
    """Folders and what was opened in them, as an indented list."""
    folders: dict[str, list[str]] = {}
    for path in sorted(dict.fromkeys(paths)):
        place = PurePosixPath(path)
        folders.setdefault(str(place.parent), []).append(place.name)
    lines: list[str] = []
    for folder, names in folders.items():
        lines += [] if folder == "." else [f"- {folder}/"]
        lines += [f"{'' if folder == '.' else '  '}- {name}" for name in names]
    return "\n".join(lines)


def key_files(texts: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> str:
    """One line per file: path, size and what it defines, in the order in which they were read."""
    rows: list[str] = []
    for path, text in list(texts.items())[:MOST_FILES]:
        defined = ", ".join(tuple(names.get(path, ()))[:MOST_NAMES])
        lines = len(text.splitlines())
        size = f"{lines} line{'' if lines == 1 else 's'}"
        rows.append(f"- {path} — {size}{f' — {defined}' if defined else ''}")
    return "\n".join(rows)


def imports_of(text: str) -> tuple[str, ...]:
    found = (next(filter(None, match.groups())) for match in _IMPORT.finditer(text[:LARGEST_CHARS]))
    return tuple(dict.fromkeys(found))


def imports(texts: Mapping[str, str]) -> str:
    """Per changed file: what it imports."""
    rows = [
        f"- {path}: {', '.join(named[:MOST_IMPORTS])}"
        for path, named in ((path, imports_of(text)) for path, text in texts.items())
        if named
    ]
    return "\n".join(rows[:MOST_FILES])
