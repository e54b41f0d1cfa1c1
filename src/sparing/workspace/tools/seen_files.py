"""What a session was shown, by file content, so that it need not be shown a second time.

Only what the session's transcript really holds counts. It is stored when a turn succeeds, and
discarded when one fails, when the context shrinks, and for every file whose bytes differ.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sparing.workspace.git.special_files import read_plain
from sparing.workspace.tools.pages import Span

_SESSION = re.compile(r"[A-Za-z0-9-]{1,80}")


@dataclass(frozen=True, slots=True)
class Seen:
    """Which lines of which file contents were shown."""

    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict[str, tuple[Span, ...]])
    """Spans by path and digest."""
    written: set[str] = field(default_factory=set[str])
    """Keys of contents that the session itself made of files it knew: known, though not shown."""

    def covers(self, path: str, digest: str, wanted: Span) -> bool:
        return any(
            one.first <= wanted.first and wanted.last <= one.last
            for one in self.spans.get(_key(path, digest), ())
        )

    def knows_all(self, path: str, digest: str, lines: int) -> bool:
        """Whether the session knows the whole file, so that it may overwrite it."""
        whole = self.covers(path, digest, Span(1, lines))
        return not lines or whole or _key(path, digest) in self.written

    def wrote(self, path: str, digest: str) -> None:
        self.written.add(_key(path, digest))

    def add(self, path: str, digest: str, shown: Iterable[Span]) -> None:
        key = _key(path, digest)
        self.spans[key] = merged((*self.spans.get(key, ()), *shown))


@dataclass(frozen=True, slots=True)
class SeenStore:
    """One small file per session, in a folder of ours."""

    folder: Path

    def load(self, session: str) -> Seen:
        data = read_plain(self._path(session)) if _SESSION.fullmatch(session) else None
        try:
            found = json.loads(data or b'{"spans": {}, "written": []}')
            spans = {str(key): _spans(value) for key, value in found["spans"].items()}
            return Seen(spans, {str(key) for key in found["written"]})
        except (ValueError, TypeError, AttributeError, KeyError):
            return Seen()

    def save(self, session: str, seen: Seen) -> None:
        if not _SESSION.fullmatch(session):
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(session)
        fresh = path.with_suffix(f".{os.getpid()}.partial")
        kept = {"spans": seen.spans, "written": sorted(seen.written)}
        fresh.write_text(json.dumps(kept))
        fresh.replace(path)

    def drop(self, session: str) -> None:
        if _SESSION.fullmatch(session):
            self._path(session).unlink(missing_ok=True)

    def _path(self, session: str) -> Path:
        return self.folder / f"{session}.json"


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.first <= found[-1].last + 1:
            found[-1] = Span(found[-1].first, max(found[-1].last, span.last))
        else:
            found.append(span)
    return tuple(found)


def _key(path: str, digest: str) -> str:
    return f"{digest[:32]} {path}"


def _spans(value: Iterable[Iterable[int]]) -> tuple[Span, ...]:
    return tuple(Span(int(first), int(last)) for first, last in value)
