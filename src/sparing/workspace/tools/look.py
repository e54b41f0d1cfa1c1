"""One call of `look`: files, outlines and searches, each with its share of the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from sparing.errors import SparingError
from sparing.tool import OpenedLines, ToolResult
from sparing.workspace.tools import outline, search, search_child
from sparing.workspace.tools.arguments import Looking, ToolMistake, Wanted
from sparing.workspace.tools.pages import CALL_CHARS, FilePage, Span, page_of, rooms
from sparing.workspace.tools.search import Found, Hit
from sparing.workspace.tools.seen_files import Seen
from sparing.workspace.tools.worktree_files import (
    NotForYou,
    ShownFile,
    WorktreeFiles,
)

SEARCH_SECONDS = 15
MOST_FILES = 400
"""Files of a folder that an outline lists."""
ANSWER_CHARS = CALL_CHARS + CALL_CHARS // 4
"""The longest possible answer, with all notes about what was left out."""


class Part(NamedTuple):
    """A part of the answer: a page of a file, or a text."""

    text: str = ""
    page: FilePage | None = None
    digest: str = ""
    failed: bool = False
    refused: str = ""
    known: str = ""

    @property
    def wish(self) -> int:
        return self.page.wish if self.page else len(self.text)


@dataclass(frozen=True, slots=True)
class Look:
    files: WorktreeFiles
    seen: Seen
    touched: Mapping[str, tuple[Span, ...]]
    """Lines that are under review."""
    search_seconds: float = SEARCH_SECONDS
    scope: str = ""

    def answer(self, wanted: Looking) -> ToolResult:
        parts = [*self._reads(wanted), *self._outlines(wanted), *self._searches(wanted)]
        texts: list[str] = []
        opened: list[OpenedLines] = []
        for part, room in zip(parts, rooms([part.wish for part in parts]), strict=True):
            if part.page is None:
                texts.append(_cut(part.text, room))
                continue
            text, spans = part.page.shown(room)
            texts.append(text)
            self.seen.add(part.page.path, part.digest, spans)
            opened += [OpenedLines(part.page.path, *span, part.digest) for span in spans]
        return ToolResult(
            _cut("\n\n".join(texts), ANSWER_CHARS),
            failed=all(part.failed for part in parts),
            opened=tuple(opened),
            known=tuple(part.known for part in parts if part.known),
            refused=tuple(part.refused for part in parts if part.refused),
        )

    def _reads(self, wanted: Looking) -> Iterator[Part]:
        for one in wanted.read:
            try:
                yield self._page(one, again=wanted.again)
            except ToolMistake as mistake:
                yield _mistaken(mistake, one.path)

    def _page(self, one: Wanted, *, again: bool) -> Part:
        file = self.files.shown(one.path)
        total = len(file.lines)
        if not total:
            return Part(f"== {file.path} is empty")
        if one.first > total:
            raise ToolMistake(f"{file.path} has {total} lines.")
        span = Span(one.first, min(one.last or total, total))
        if not again and self.seen.covers(file.path, file.digest, span):
            return Part(
                f"== {file.path}, lines {span.first}-{span.last}: unchanged, and already in your "
                "context. again=true shows them again.",
                known=file.path,
            )
        kept = self.touched.get(file.path, ())
        page = page_of(file.path, file.lines, span, kept, ranged=one.ranged)
        return Part(page=page, digest=file.digest)

    def _outlines(self, wanted: Looking) -> Iterator[Part]:
        for path in wanted.outline:
            try:
                yield Part(self._outline(path))
            except ToolMistake as mistake:
                yield _mistaken(mistake, path)

    def _outline(self, path: str) -> str:
        name = path.strip().removeprefix("./").rstrip("/")
        listed = self.files.listed()
        below = [] if name in listed else search.under(listed, [name if name != "." else ""])
        if below:
            return _folder(name, below)
        file = self.files.shown(path)
        entries = outline.outline(file.path, file.text, file.lines)
        return outline.rendered(file.path, entries, len(file.lines))

    def _searches(self, wanted: Looking) -> Iterator[Part]:
        if not wanted.search:
            return
        scope = "" if wanted.under else self.scope
        paths = search.under(self.files.listed(), (scope,) if scope else wanted.under)
        left_out = self.files.bring(paths)
        first = frozenset(self.touched)
        for pattern, places in zip(wanted.search, self._places(wanted.search, paths), strict=True):
            if isinstance(places, str):
                yield Part(f"== search {pattern!r}: {places}", failed=True)
            else:
                yield Part(search.rendered(pattern, self._found(places), first, scope))
        if left_out:
            yield Part(f"[{left_out} files were not searched: name smaller folders in under]")

    def _places(
        self, patterns: Sequence[str], paths: Sequence[str]
    ) -> Iterator[Mapping[str, list[int]] | str]:
        special = [one for one in patterns if not search.is_plain(one)]
        answers = self._asked(paths, special)
        asked = dict(zip(special, answers, strict=True))
        for pattern in patterns:
            places = asked.get(pattern)
            yield self._plain(pattern, paths) if places is None else places

    def _asked(
        self, files: Sequence[str], patterns: Sequence[str]
    ) -> Sequence[dict[str, list[int]] | str | None]:
        """Where the expressions match; None for an invalid expression."""
        if not patterns:
            return ()
        program, root = Path(search_child.__file__).resolve(), str(self.files.beneath.root)
        asked = json.dumps({"root": root, "files": files, "patterns": patterns})
        try:
            done = subprocess.run(
                (sys.executable, "-I", "-S", str(program)), input=asked.encode(), env={},
                capture_output=True, timeout=self.search_seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return ["it took too long; use a simpler pattern"] * len(patterns)
        if done.returncode:
            return ["it can't be looked for; use a simpler pattern"] * len(patterns)
        return cast("list[dict[str, list[int]] | None]", json.loads(done.stdout))

    def _plain(self, pattern: str, paths: Sequence[str]) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        needle = pattern.encode("utf-8", "replace")

        def matches(line: str) -> bool:
            return pattern in line

        for path in paths:
            try:
                data = self.files.beneath.read(path)
            except (OSError, SparingError):
                continue
            if needle in data:
                found[path] = search.lines_with(matches, search.text_of(data))
            if sum(map(len, found.values())) > search.MOST_HITS:
                break
        return found

    def _found(self, places: Mapping[str, list[int]]) -> Found:
        """The hits, without redacted lines: results must reveal nothing of what is hidden."""
        hits: list[Hit] = []
        for path, numbers in places.items():
            try:
                file = self.files.shown(path)
            except ToolMistake:
                continue
            hits += _hits(file, numbers)
        return Found(tuple(hits), whole=sum(map(len, places.values())) <= search.MOST_HITS)


def _hits(file: ShownFile, numbers: Sequence[int]) -> Iterator[Hit]:
    for number in numbers:
        if number <= len(file.lines) and number not in file.hidden:
            yield Hit(file.path, number, file.lines[number - 1])


def _folder(name: str, paths: Sequence[str]) -> str:
    """A folder's files; if there are too many, its subfolders with their counts."""
    head = f"== {name or '.'}, {len(paths)} files"
    if len(paths) <= MOST_FILES:
        return "\n".join((head, *paths))
    counts: dict[str, int] = {}
    for path in paths:
        folder = str(PurePosixPath(path).parent)
        counts[folder] = counts.get(folder, 0) + 1
    folders = [f"{folder}/\t{count} files" for folder, count in sorted(counts.items())]
    return "\n".join((f"{head}; by folder", *folders[:MOST_FILES]))


def _mistaken(mistake: ToolMistake, path: str) -> Part:
    refused = path if isinstance(mistake, NotForYou) else ""
    return Part(f"== {mistake}", failed=True, refused=refused)


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    kept = text[:room].rpartition("\n")[0] or text[:room]
    return f"{kept}\n[{len(text) - len(kept)} more characters are not shown: ask for less at once]"
