"""Claims in a PRD: statements about the world, each marked with what it is based on.

A claim ends in `— Evidence: …` or `— Assumption: …`. Goals, criteria and questions are not claims
and need no mark. The result is shown and never blocks: a reviewer judges whether it matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sparing.context.documents.markdown import outline

CLAIMING = ("problem", "constraint", "research", "analysis", "prior art", "background")
"""Words that mark a heading whose section makes claims."""
_MARK = re.compile(r"(?:—|–|--|-)\s*\**(?:evidence|assumption)\**\s*:", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_EMPTY = re.compile(r"^[\W_]*(?:none|n/a)?[\W_]*$", re.IGNORECASE)


def unmarked_claims(prd: str) -> tuple[str, ...]:
    """Paragraphs and list items that make a claim without a mark for evidence or assumption."""
    document = outline(prd)
    found: list[str] = []
    for heading in document.headings:
        if heading.level > 1 and any(word in heading.text.casefold() for word in CLAIMING):
            lines = document.section(heading).splitlines()[1:]
            found += [one for one in _blocks(lines) if not _MARK.search(one)]
    return tuple(dict.fromkeys(found))


def _blocks(lines: list[str]) -> Iterator[str]:
    """A list item with what is indented below it, or a paragraph; no code, tables or headings."""
    block: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        other = fence or fenced or line.lstrip().startswith(("#", "|", "<!--", ">"))
        if not line.strip() or other or _BULLET.match(line):
            yield from _told(block)
            block = [] if other else [line]
        else:
            block.append(line)
    yield from _told(block)


def _told(block: list[str]) -> Iterator[str]:
    text = " ".join(_BULLET.sub("", " ".join(block)).split())
    if not _EMPTY.match(text) and not text.endswith(":"):
        yield text
