"""`implementation-log.md`: one entry per task, and the totals at its end.

The program writes it, from the reports and what it has verified itself. Entries of tasks come
first; other content of the file stays after them; the totals are always last and always new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.change import FileChange
from sparing.context.documents.task_report import TaskReport, log_totals, with_entry
from sparing.task_progress import TaskProgress

NAME = "implementation-log.md"
TOTALS = "## Totals"
DIVERGENCES = "## Divergences accepted"
_OTHER = re.compile(r"(?m)^(?=## (?!Task ))")


class LogEntry(NamedTuple):
    number: str
    title: str
    report: TaskReport
    files: tuple[str, ...] = ()


def with_log_entries(
    text: str, entries: Iterable[LogEntry], building: TaskProgress, files: Sequence[FileChange]
) -> str:
    """The log with these entries; an existing one is replaced."""
    head, *others = _OTHER.split(text)
    for entry in entries:
        head = with_entry(head, *entry)
    kept = [part.strip() for part in others if not part.startswith(TOTALS)]
    return "\n\n".join((head.strip(), *kept, _totals(building, files))) + "\n"


def with_divergences(text: str, names: Sequence[str]) -> str:
    """The log with the tests that a person has left out, listed in their own section."""
    head, *others = _OTHER.split(text)
    new = [f"- {' '.join(name.split())}" for name in names]
    old = [part.strip().splitlines()[1:] for part in others if part.startswith(DIVERGENCES)]
    before = [line for lines in old for line in lines if line.strip()]
    said = tuple(dict.fromkeys((*before, *new)))
    kept = [part.strip() for part in others if not part.startswith(DIVERGENCES)]
    section = "\n".join((DIVERGENCES, *said))
    return "\n\n".join((head.strip(), section, *kept)) + "\n"


def _totals(building: TaskProgress, files: Sequence[FileChange]) -> str:
    added, removed = sum(one.added for one in files), sum(one.removed for one in files)
    skipped = [number for number, _ in building.skipped]
    return "\n".join(
        (
            TOTALS,
            f"- files changed by the tasks: {len(files)} (+{added} -{removed})",
            f"- {log_totals(building.done, skipped, building.blocked)}",
        )
    )
