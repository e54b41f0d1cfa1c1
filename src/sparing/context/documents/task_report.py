"""An implementer's report: fields under tolerant headers, and its entry in the log.

A report is a claim. It is kept for the retrospective and shown to people; whether files changed and
tests pass is observed by the program and not read from here.

Reading an implementation log: decisions, deviations from the plan, concerns.

Tolerant of manual edits: lines about anything else are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LOG_TITLE = "# Implementation Log"
NONE = "none"
_ALREADY = re.compile(r"\balready[ -]complete\b", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEAD = re.compile(r" {0,3}#{1,6}[ \t]+(.{1,80}?)[ \t]*:?[ \t]*#*\Z")
_LABEL = re.compile(
    r" {0,3}(?:[-*+] )?(?:\*\*|__)?([A-Za-z][A-Za-z -]{2,40}?)(?:\*\*|__)? ?:(?:\*\*|__)?(.*)"
)
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_BETWEEN = re.compile(r"[\s,;()]+")
_WORDS = {
    "implemented": ("implemented", "what was done", "summary"),
    "tested": ("tested", "test results", "tests run"),
    "files_changed": ("files changed", "changed files", "files modified"),
    "self_review": ("self-review", "self review"),
    "decisions": ("decisions",),
    "deviations": ("deviations",),
    "concerns": ("concerns",),
}


@dataclass(frozen=True, slots=True)
class TaskReport:
    implemented: str = ""
    tested: str = ""
    files_changed: str = ""
    self_review: str = ""
    decisions: str = ""
    deviations: str = ""
    concerns: str = ""
    already_complete: bool = False
    """The implementer's claim, still to be checked."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that it names, each once."""
        words = _BETWEEN.split(self.files_changed[:20_000])
        paths = (word.strip("`*'\"").rstrip(".:`*'\"") for word in words)
        named = (path for path in paths if "/" in path or "." in path)
        return tuple(dict.fromkeys(path for path in named if "://" not in path))

    @property
    def is_empty(self) -> bool:
        said = (self.implemented, self.tested, self.files_changed, self.self_review)
        noted = (self.decisions, self.deviations, self.concerns)
        return not (any(said) or any(noted) or self.already_complete)


def read_report(text: str) -> TaskReport:
    """Read a report; of several sections with the same header the last counts, as the final one."""
    parts: dict[str, list[str]] = {}
    current, fence = "", ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
        elif opened:
            fence = opened[1]
        else:
            name, rest = _header(line)
            if name is not None:
                current = name
                parts[current] = [rest] if rest else []
                continue
        if current:
            parts[current].append(line)
    said = {name: "\n".join(lines).strip() for name, lines in parts.items() if name}
    return TaskReport(**said, already_complete=_ALREADY.search(text) is not None)


def with_entry(log: str, number: str, title: str, report: TaskReport, files: Sequence[str]) -> str:
    """The log with this task's entry; an entry of the same task is replaced, not repeated."""
    heading = f"## Task {number}: {' '.join(title.split())}"
    entry = "\n".join(
        (
            heading,
            f"- **Files changed:** {', '.join(files) or NONE}",
            f"- **Decisions:** {_line(report.decisions) or NONE}",
            f"- **Deviations:** {_line(report.deviations) or NONE}",
            f"- **Concerns:** {_line(report.concerns) or NONE}",
        )
    )
    before = log.strip() or LOG_TITLE
    kept = [part for part in re.split(r"(?m)^(?=## Task )", before) if not _is(part, heading)]
    return "\n\n".join((*(part.strip() for part in kept), entry)) + "\n"


def log_totals(done: Iterable[str], skipped: Iterable[str], blocked: Iterable[str]) -> str:
    """Done, skipped and blocked tasks, as text for people."""
    named = (("done", done), ("skipped", skipped), ("blocked", blocked))
    return "; ".join(f"{word}: {', '.join(tasks) or NONE}" for word, tasks in named)


def _is(part: str, heading: str) -> bool:
    return part.split("\n", 1)[0].rstrip() == heading


def _header(line: str) -> tuple[str | None, str]:
    """The field that a line opens, "" for a heading of something else, None for plain text."""
    head = _HEAD.match(line)
    if head:
        return _named(head[1]) or "", ""
    label = _LABEL.match(line)
    name = _named(label[1]) if label else None
    return (name, label[2].strip()) if label and name else (None, "")


def _named(words: str) -> str | None:
    low = words.strip("*_ :").lower()
    return next(
        (name for name, forms in _WORDS.items() if any(form in low for form in forms)), None
    )


def _line(text: str) -> str:
    """One line that stays within its bullet."""
    parts = (_BULLET.sub("", line, count=1).strip() for line in text.splitlines())
    return re.sub(r"\s+", " ", "; ".join(part for part in parts if part)).lstrip("# ")


_TASK = re.compile(r"##[ \t]+(?:Task[ \t]+)?(\S[^:\n]{0,40})")
_LINE = re.compile(
    r"[-*+][ \t]+(?:\*\*|__)?(decisions?|deviations?|concerns?)(?:\*\*|__)?[ \t]*:"
    r"(?:\*\*|__)?[ \t]*(\S.*)",
    re.IGNORECASE,
)


class Logged(NamedTuple):
    decisions: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()


def read_log(text: str) -> Logged:
    """Decisions, deviations and concerns in the order of the log, each prefixed with its task."""
    found: dict[str, list[str]] = {name: [] for name in Logged._fields}
    task = ""
    for line in text.splitlines():
        if head := _TASK.match(line):
            task = head[1].strip()
        elif said := _LINE.match(line):
            words = said[2].strip()
            name = f"{said[1].lower().rstrip('s')}s"
            if words.rstrip(".").lower() != NONE:
                found[name].append(f"{task}: {words}" if task else words)
    return Logged(*(tuple(found[name]) for name in Logged._fields))
