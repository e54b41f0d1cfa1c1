"""Which lessons go into a feature's prompts: a few entries, the same from its first
dispatch to its last.

Chosen by the feature's topic: what is about it first, then what has proved itself in several
features. Bookkeeping stays behind; a challenge goes with its entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sparing.knowledge.changes import CHALLENGED, KEPT, PROVENANCE
from sparing.knowledge.page import COUNT, LAST_OBSERVED, STALE, BankEntry, EntryKind
from sparing.knowledge.relevance import Chosen, touching, within
from sparing.knowledge.retro import Bank

PROVEN = 3
"""An entry observed by this many features is taken to hold for others too."""
_BOOKKEEPING = frozenset(
    {
        *(LAST_OBSERVED, COUNT, KEPT, STALE.lower(), "keywords", "confidence", "reasoning"),
        *(name.lower() for name in PROVENANCE.values()),
    }
)


class Audience(StrEnum):
    """Groups of roles that get the same entries and share the beginning of a prompt."""

    AUTHORS = "authors"
    IMPLEMENTERS = "implementers"
    REVIEWERS = "reviewers"


KINDS = {
    Audience.AUTHORS: (EntryKind.PRINCIPLE, EntryKind.HEURISTIC, EntryKind.ANTI_PATTERN),
    Audience.IMPLEMENTERS: (EntryKind.PRINCIPLE, EntryKind.PATTERN, EntryKind.ANTI_PATTERN),
    Audience.REVIEWERS: (EntryKind.PRINCIPLE, EntryKind.ANTI_PATTERN, EntryKind.HEURISTIC),
}


@dataclass(frozen=True, slots=True)
class GivenLessons:
    text: str = ""
    entries: tuple[BankEntry, ...] = ()


def give(bank: Bank, topic: str, audience: Audience, limit_tokens: int) -> GivenLessons:
    """As many entries as fit, in the bank's order; none that are stale."""
    entries = [
        entry for kind in KINDS[audience] for entry in bank[kind].entries if not entry.is_stale
    ]
    bare = [_bare(entry) for entry in entries]
    chosen = set(within((*touching(bare, topic), *_proven(bare)), limit_tokens))
    text = "\n".join(f"### {one.title}\n{one.text}" for one in bare if one in chosen)
    pairs = zip(entries, bare, strict=True)
    return GivenLessons(text, tuple(entry for entry, one in pairs if one in chosen))


def _heading(entry: BankEntry) -> str:
    named = entry.title.lower().startswith(entry.kind)
    return entry.title if named else f"{entry.kind.capitalize()}: {entry.title}"


def _proven(entries: Sequence[BankEntry]) -> Iterator[Chosen]:
    """Entries that were never contradicted, the most often observed first."""
    known = [one for one in entries if one.count >= PROVEN and one.field(CHALLENGED) is None]
    for entry in sorted(known, key=lambda one: -one.count):
        yield Chosen(entry, (), 0.0)


def _bare(entry: BankEntry) -> BankEntry:
    """The entry as given to agents: its kind in its title, without bookkeeping lines."""
    drop = {field.line - entry.first - 1 for field in entry.fields if field.name in _BOOKKEEPING}
    lines: list[str] = []
    dropping = False
    for number, line in enumerate(entry.text.splitlines()):
        dropping = number in drop or (dropping and line.startswith((" ", "\t")))
        if not dropping and line.strip():
            lines.append(line.rstrip())
    return replace(entry, title=_heading(entry), text="".join(f"{line}\n" for line in lines))
