"""Git's diff as values, without losing a byte of it.

Hunks are read by their line counts, so that a diff inside a diff is content. Only line feeds end a
line; carriage returns, form feeds and the marker for a missing last newline are kept. The text must
have git's `a/` and `b/` before the names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_START = "diff --git "
_BINARY = ("Binary files ", "GIT binary patch")


class FileStatus(StrEnum):
    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"


_STATUSES = {
    "new file mode ": FileStatus.ADDED,
    "deleted file mode ": FileStatus.DELETED,
    "rename from ": FileStatus.RENAMED,
    "copy from ": FileStatus.COPIED,
}
_HEADERS = (
    *("+++ ", "--- ", "old mode ", "new mode ", "rename to ", "copy to "),
    *_STATUSES,
    *_BINARY,
)


@dataclass(frozen=True, slots=True)
class Hunk:
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    context: str
    """The text that git writes after the second @@."""
    body: str
    """Exact, with the signs and the mark for a missing newline."""


@dataclass(frozen=True, slots=True)
class FileDelta:
    path: str
    old_path: str
    status: FileStatus = FileStatus.MODIFIED
    binary: bool = False
    old_mode: str = ""
    new_mode: str = ""
    hunks: tuple[Hunk, ...] = ()

    @property
    def added(self) -> int:
        return sum(hunk.new_count - _shared(hunk) for hunk in self.hunks)

    @property
    def removed(self) -> int:
        return sum(hunk.old_count - _shared(hunk) for hunk in self.hunks)


def _shared(hunk: Hunk) -> int:
    return sum(line[:1] in (" ", "") for line in hunk.body.split("\n")[:-1])


@dataclass(slots=True)
class _Draft:
    names: str
    headers: dict[str, str] = field(default_factory=dict[str, str])
    hunks: list[Hunk] = field(default_factory=list[Hunk])


def parse_diff(raw: str) -> tuple[FileDelta, ...]:
    """All files of a diff, in its order; text before the first one is ignored."""
    lines = raw.split("\n")
    drafts: list[_Draft] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        match = _HUNK.match(line) if drafts else None
        position += 1
        if match is not None:
            position, hunk = _hunk(match, lines, position)
            drafts[-1].hunks.append(hunk)
        elif line.startswith(_START):
            drafts.append(_Draft(line.removeprefix(_START)))
        elif drafts:
            for prefix in _HEADERS:
                if line.startswith(prefix):
                    drafts[-1].headers[prefix] = line.removeprefix(prefix).removesuffix("\t")
    return tuple(_finished(draft) for draft in drafts)


def _hunk(match: re.Match[str], lines: list[str], start: int) -> tuple[int, Hunk]:
    old_count, new_count = (1 if text is None else int(text) for text in (match[2], match[4]))
    old, new, position = old_count, new_count, start
    while position < len(lines) and (old > 0 or new > 0 or lines[position][:1] == "\\"):
        sign = lines[position][:1]
        old -= sign in ("-", " ", "")
        new -= sign in ("+", " ", "")
        position += 1
    body = "".join(f"{line}\n" for line in lines[start:position])
    return position, Hunk(int(match[1]), old_count, int(match[3]), new_count, match[5], body)


def _finished(draft: _Draft) -> FileDelta:
    old, new = _names(draft.names)
    headers = draft.headers
    return FileDelta(
        path=_first(headers, ("rename to ", "copy to ", "+++ ")) or new,
        old_path=_first(headers, ("rename from ", "copy from ", "--- ")) or old,
        status=_status(headers),
        binary=not headers.keys().isdisjoint(_BINARY),
        old_mode=headers.get("old mode ") or headers.get("deleted file mode ", ""),
        new_mode=headers.get("new mode ") or headers.get("new file mode ", ""),
        hunks=tuple(draft.hunks),
    )


def _status(headers: dict[str, str]) -> FileStatus:
    for prefix, status in _STATUSES.items():
        if prefix in headers:
            return status
    return FileStatus.MODIFIED


def _first(headers: dict[str, str], prefixes: tuple[str, str, str]) -> str:
    for prefix in prefixes:
        text = headers.get(prefix, "/dev/null")
        if text != "/dev/null":
            return _name(text) if prefix in ("+++ ", "--- ") else _plain(text)
    return ""


def _names(names: str) -> tuple[str, str]:
    """Old and new name from `a/name b/name`; a rename repeats them on lines of their own."""
    if names.startswith('"'):
        end = names.find('" ', 1) + 1
        return _name(names[:end]), _name(names[end + 1 :])
    half = len(names) // 2
    if names[half : half + 1] == " " and names[2:half] == names[half + 3 :]:
        return names[2:half], names[half + 3 :]
    old, _, new = names.partition(" b/")
    return old.removeprefix("a/"), new


def _name(text: str) -> str:
    plain = _plain(text)
    return plain[2:] if plain[:2] in ("a/", "b/") else plain


def _plain(text: str) -> str:
    """A name without git's quotes and octal escapes."""
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    encoded = bytearray()
    position = 1
    for match in _ESCAPE.finditer(text, 1, len(text) - 1):
        encoded += text[position : match.start()].encode("utf-8", "surrogateescape")
        code = match[1]
        encoded.append(
            int(code, 8) & 255 if len(code) == 3 else _ESCAPES.get(code, ord(code) & 255)
        )
        position = match.end()
    encoded += text[position:-1].encode("utf-8", "surrogateescape")
    return encoded.decode("utf-8", "surrogateescape")
