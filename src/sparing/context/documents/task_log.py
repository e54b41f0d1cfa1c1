"""An implementation log, read: what was decided, where the work left its plan, what worries.

Tolerant of hands: a line that says nothing of these is passed over.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sparing.context.documents.task_report import NONE

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
    """Each led by its task, in the order of the log."""
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
