"""A foreign spec folder as it was read, and what becomes of every file in it.

The caller leaves out files that are not text; here a file is its path and its text. Nothing is lost
silently: each file becomes one of our documents, part of one, goes to the appendix, or is listed as
left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.documents.markdown import outline

APPENDIX = "appendix.md"
_DEEPEST = 6


class SpecFormat(StrEnum):
    SPEC_KIT = "spec-kit"
    OPENSPEC = "OpenSpec"
    KIRO = "Kiro"
    IFLOW = "iflow"


class ForeignFolder(NamedTuple):
    name: str
    """Name of the folder itself: `001-rate-limits`."""
    files: Mapping[str, str]
    """Text by path within the folder, in order of their paths."""


class FileUse(NamedTuple):
    """Where the lines of one file went."""

    path: str
    lines: int
    where: str
    """Our file, or why it was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFeature:
    format: SpecFormat
    title: str
    documents: Mapping[ArtifactName, str]
    expected: tuple[ArtifactName, ...]
    """The documents that this format has; it does without our other ones."""
    appendix: str
    uses: tuple[FileUse, ...]


class Section(NamedTuple):
    """One file as a part of a larger document."""

    heading: str
    text: str


def joined(title: str, sections: list[Section]) -> str:
    """Join several files into one document, each with its headings below one that names it."""
    parts = [f"# {title}\n"]
    parts += [f"\n## {one.heading}\n\n{demoted(one.text).strip()}\n" for one in sections]
    return "".join(parts)


def demoted(text: str) -> str:
    """The same text with headings that fit below a `## ` heading; code is left as it is."""
    document = outline(text)
    top = min((one.level for one in document.headings), default=0)
    lines = list(document.lines)
    for heading in document.headings:
        line = lines[heading.line - 1]
        if line.lstrip().startswith("#"):
            level = min(heading.level - top + 3, _DEEPEST)
            lines[heading.line - 1] = f"{'#' * level} {line.lstrip().lstrip('#').lstrip()}"
    return "".join(lines)


def appendix_of(files: Mapping[str, str]) -> str:
    """Files that are part of no document: whole, each under its name."""
    if not files:
        return ""
    sections = [Section(path, _as_markdown(path, text)) for path, text in files.items()]
    return joined("Imported files", sections)


def _as_markdown(path: str, text: str) -> str:
    if path.endswith(".md"):
        return text
    ticks = "`" * max(3, 1 + _longest_ticks(text))
    return f"{ticks}\n{text.rstrip()}\n{ticks}\n"


def _longest_ticks(text: str) -> int:
    longest = run = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    return longest


def heading_title(text: str, kinds: tuple[str, ...], fallback: str) -> str:
    """The document's own title without the words for what it is; else the folder's name."""
    first = next((one.text for one in outline(text).headings if one.level == 1), "")
    kind, colon, rest = first.partition(":")
    if colon and kind.strip().casefold() in kinds:
        first = rest
    elif first.strip().casefold() in kinds:
        first = ""
    words = " ".join((first or _spoken(fallback)).replace("`", "").split())
    return words or _spoken(fallback)


def _spoken(name: str) -> str:
    """`001-rate-limits` as a title: Rate limits."""
    words = name.lstrip("0123456789").replace("-", " ").replace("_", " ").split()
    text = " ".join(words) or name
    return text[:1].upper() + text[1:]
