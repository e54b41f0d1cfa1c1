"""Changes of a page: an entry confirmed, challenged, marked, kept, rewritten, retired, added.

Each can be repeated: a feature that has said so already says it once. Where an entry was first
seen is never rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparing.knowledge.page import (
    LAST_OBSERVED,
    STALE,
    BankEntry,
    EntryKind,
    Field,
    Page,
    read_page,
)

CHALLENGED = "challenged"
KEPT = "kept"
PROVENANCE = {
    EntryKind.PATTERN: "Used in",
    EntryKind.ANTI_PATTERN: "Observed in",
    EntryKind.HEURISTIC: "Source",
    EntryKind.PRINCIPLE: "Source",
}
_TITLES = {
    EntryKind.PATTERN: ("Patterns", "Development Patterns", "Pattern: "),
    EntryKind.ANTI_PATTERN: ("Anti-Patterns", "Known Anti-Patterns", "Anti-Pattern: "),
    EntryKind.HEURISTIC: ("Heuristics", "Decision Heuristics", ""),
    EntryKind.PRINCIPLE: ("Engineering Constitution", "Learned Heuristics", ""),
}
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something learned, as a retrospective words it."""

    title: str
    text: str
    provenance: str
    confidence: str = ""
    keywords: tuple[str, ...] = ()


def confirmed(page: Page, entry: BankEntry, feature: str) -> Page:
    """The entry was observed once more."""
    if _names(entry.value(LAST_OBSERVED), feature):
        return page
    count = str(entry.count + 1)
    done = _set(page, entry, "Last observed", _feature(feature))
    done = _set(done, _again(done, entry), "Observation count", count)
    return _without(done, _again(done, entry), STALE.lower())


def challenged(page: Page, entry: BankEntry, feature: str, why: str) -> Page:
    already = (f for f in entry.fields if f.name == CHALLENGED and _names(f.value, feature))
    if any(already):
        return page
    return _insert(page, entry, f"- Challenged: {_feature(feature)} — {_one_line(why)}")


def marked_stale(page: Page, entry: BankEntry, since: int) -> Page:
    """Mark it stale: there were `since` features without it."""
    if entry.is_stale:
        return page
    seen = entry.value(LAST_OBSERVED)
    words = f"last observed {seen}" if seen else "never observed again"
    return _insert(page, entry, f"- {STALE}: {words}, {since} features since")


def kept(page: Page, entry: BankEntry, feature: str) -> Page:
    """The entry was judged still valid although it was not observed lately."""
    done = _without(page, entry, STALE.lower())
    return _set(done, _again(done, entry), "Kept", _feature(feature))


def rewritten(page: Page, entry: BankEntry, feature: str, text: str) -> Page:
    """Replace its text and restart its count at one; its other fields stay, including its
    origin."""
    lines = [n for n in range(entry.first + 1, entry.end) if n < _first_field(entry)]
    words = f"{_sentence(text)}{page.newline}"
    before, after = page.lines[: entry.first + 1], page.lines[entry.first + 1 + len(lines) :]
    done = read_page(page.kind, "".join((*before, words, *after)))
    done = _set(done, _again(done, entry), "Last observed", _feature(feature))
    done = _set(done, _again(done, entry), "Observation count", "1")
    return _without(done, _again(done, entry), STALE.lower())


def retired(page: Page, entry: BankEntry) -> Page:
    """Remove the entry and the empty lines after it; the retrospective's page mentions it."""
    end = entry.end
    while end < len(page.lines) and not page.lines[end].strip():
        end += 1
    return read_page(page.kind, "".join((*page.lines[: entry.first], *page.lines[end:])))


def added(page: Page, lesson: Lesson, feature: str) -> Page:
    """Add it at the end; an entry with that title is confirmed instead."""
    _, _, prefix = _TITLES[page.kind]
    title = _one_line(lesson.title).strip("# ")
    known = find(page, title)
    if known is not None:
        return confirmed(page, known, feature)
    newline = page.newline
    said = [
        f"### {prefix}{title}",
        _sentence(lesson.text),
        f"- {PROVENANCE[page.kind]}: {_feature(feature)}, {_one_line(lesson.provenance)}",
    ]
    if lesson.confidence:
        said.append(f"- Confidence: {_one_line(lesson.confidence)}")
    if lesson.keywords:
        listed = ", ".join(f'"{_one_line(word)}"' for word in lesson.keywords)
        said.append(f"- Keywords: [{listed}]")
    said += [f"- Last observed: {_feature(feature)}", "- Observation count: 1"]
    text = page.text or _empty(page.kind)
    text += "" if text.endswith("\n") else newline
    text += "" if text.endswith(newline * 2) else newline
    return read_page(page.kind, text + newline.join(said) + newline)


def find(page: Page, title: str) -> BankEntry | None:
    from_title = read_page(page.kind, f"### {title}\n").entries
    key = from_title[0].key if from_title else ""
    return next((entry for entry in page.entries if key and entry.key == key), None)


def _empty(kind: EntryKind) -> str:
    title, section, _ = _TITLES[kind]
    return f"# {title}\n\nUpdated by retrospectives.\n\n---\n\n## {section}\n\n"


def _again(page: Page, entry: BankEntry) -> BankEntry:
    """The same entry after a change that left everything before it alone."""
    return next(found for found in page.entries if found.first == entry.first)


def _set(page: Page, entry: BankEntry, name: str, value: str) -> Page:
    field = entry.field(name.lower())
    if field is None:
        return _insert(page, entry, f"- {name}: {value}")

    def change(lines: list[str]) -> None:
        line = lines[field.line]
        words = line.rstrip("\r\n")
        head = words[: len(words) - len(field.value)].rstrip() if field.value else words.rstrip()
        lines[field.line] = f"{head} {value}{line[len(words) :] or page.newline}"

    return _changed(page, change)


def _insert(page: Page, entry: BankEntry, words: str) -> Page:
    """Insert a line after the entry's last field, or at its end."""
    at = entry.fields[-1].line + 1 if entry.fields else entry.end
    while at < entry.end and page.lines[at].startswith((" ", "\t")):
        at += 1

    def change(lines: list[str]) -> None:
        if not lines[at - 1].endswith("\n"):
            lines[at - 1] += page.newline
        lines.insert(at, words + page.newline)

    return _changed(page, change)


def _without(page: Page, entry: BankEntry, name: str) -> Page:
    drop = {field.line for field in entry.fields if field.name == name}
    if not drop:
        return page
    kept_lines = (line for n, line in enumerate(page.lines) if n not in drop)
    return read_page(page.kind, "".join(kept_lines))


def _changed(page: Page, change: Callable[[list[str]], None]) -> Page:
    lines = list(page.lines)
    change(lines)
    return read_page(page.kind, "".join(lines))


def _first_field(entry: BankEntry) -> int:
    fields: Sequence[Field] = entry.fields
    return fields[0].line if fields else entry.end


def _feature(feature: str) -> str:
    return f"Feature #{feature}"


def _names(value: str, feature: str) -> bool:
    return re.match(rf"Feature #?{re.escape(feature)}(?!\w)", value) is not None


def _sentence(text: str) -> str:
    """A line of a model's words, which can't be a heading, a fence, a comment or a field."""
    return _one_line(text).lstrip("#<`~-*+_> ") or "(no words)"


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
