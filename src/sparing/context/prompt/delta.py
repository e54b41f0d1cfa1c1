"""What changed since a role's last turn, as the text it is given.

Every hunk is passed on byte for byte, under its heading; paraphrasing changes has cost whole review
rounds. A diff too big to send is listed by file and lines instead, so that no change goes
unmentioned. The diff itself is made elsewhere and passed in as text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparing.context.documents.diff import FileDelta, FileStatus, Hunk, parse_diff
from sparing.context.documents.markdown import Heading, outline

LARGEST_FILE_CHARS = 60_000
_MOST_RANGES = 50


@dataclass(frozen=True, slots=True)
class Delta:
    files: tuple[FileDelta, ...]
    text: str
    """Stat, hunks and fix summary; empty if nothing changed and nothing was said."""
    left_out: tuple[str, ...] = ()
    """Paths whose hunks were too big and are only named."""

    @property
    def empty(self) -> bool:
        return not self.files


def document_delta(raw: str, path: str, text: str, summary: str = "") -> Delta:
    """The change to one document; its new `text` tells which heading each hunk is under."""
    return _delta(raw, {path: text}, summary, stat=False, limit_chars=None)


def change_delta(
    raw: str,
    texts: Mapping[str, str],
    summary: str = "",
    limit_chars: int = LARGEST_FILE_CHARS,
) -> Delta:
    """The change of many files; `texts` holds the new text of those that are markdown."""
    return _delta(raw, texts, summary, stat=True, limit_chars=limit_chars)


def _delta(
    raw: str, texts: Mapping[str, str], summary: str, *, stat: bool, limit_chars: int | None
) -> Delta:
    files = parse_diff(raw)
    blocks: list[str] = [stat_text(files)] if stat and files else []
    left_out: list[str] = []
    for file in files:
        size = sum(len(hunk.body) for hunk in file.hunks)
        big = limit_chars is not None and size > limit_chars
        if big:
            left_out.append(file.path)
        blocks.append(_left_out(file, size) if big else _file(file, texts.get(file.path)))
    if summary.strip():
        blocks.append(f"Fix summary:\n{summary.strip()}\n")
    return Delta(files, "\n".join(blocks), tuple(left_out))


def stat_text(files: Sequence[FileDelta]) -> str:
    """One line per file and a line for the total."""
    rows = [f"{_names(file)} | {_amount(file)}" for file in files]
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    count = f"{len(files)} file{'' if len(files) == 1 else 's'} changed"
    return "\n".join((*rows, f"{count}, +{added} -{removed}\n"))


def _names(file: FileDelta) -> str:
    moved = file.status in (FileStatus.RENAMED, FileStatus.COPIED)
    return f"{file.old_path} => {file.path}" if moved else file.path


def _amount(file: FileDelta) -> str:
    parts = [] if file.status is FileStatus.MODIFIED else [file.status.value]
    if file.old_mode and file.new_mode:
        parts.append(f"mode {file.old_mode} => {file.new_mode}")
    parts.append("binary" if file.binary else f"+{file.added} -{file.removed}")
    return ", ".join(parts)


def _file(file: FileDelta, text: str | None) -> str:
    headings = outline(text).headings if text is not None and file.hunks else ()
    lines = [heading.line for heading in headings]
    blocks = [f"--- {_names(file)} ({_amount(file)})\n"]
    for hunk in file.hunks:
        place = bisect_right(lines, max(hunk.new_start, 1))
        under = _title(headings[place - 1]) if place else hunk.context
        blocks.append(f"{_position(hunk)} {under}".rstrip() + f"\n{hunk.body}")
    return "".join(blocks)


def _title(heading: Heading) -> str:
    return f"{'#' * heading.level} {heading.text}"


def _position(hunk: Hunk) -> str:
    old = f"-{hunk.old_start},{hunk.old_count}"
    return f"@@ {old} +{hunk.new_start},{hunk.new_count} @@"


def _left_out(file: FileDelta, size: int) -> str:
    spans = [
        f"{hunk.new_start}-{hunk.new_start + max(hunk.new_count - 1, 0)}" for hunk in file.hunks
    ]
    more = f" and {len(spans) - _MOST_RANGES} more" if len(spans) > _MOST_RANGES else ""
    where = ", ".join(spans[:_MOST_RANGES]) + more
    return f"--- {_names(file)} ({_amount(file)})\n{size} characters; read lines {where}\n"
