"""A role's text, taken apart: what it is, what it stands for, what it checks.

The seed order sends these parts at different places; the nested order sends them as they are
written. Both send only the expectations of the stage that comes next.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CHECKS = ("Check list", "Levels", "Next stage")
CODA = "Stance"
VERIFIES = "External claim"
REPORT = "Report"
"""How a task's turn ends; every other turn of the same role says how it ends itself."""
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_AFTER = re.compile(r"^- after (?P<stage>[\w-]+), .*\n?", re.MULTILINE)


class Rubric(NamedTuple):
    role: str
    """Role and rubric, the coda last."""
    checks: str
    """Check list, levels, expectations of the next stage."""


def split_rubric(text: str) -> Rubric:
    sections = _SECTION.split(text)
    checks = [section for section in sections if _heading(section) in CHECKS]
    coda = [section for section in sections if _heading(section) == CODA]
    role = [section for section in sections if section not in checks and section not in coda]
    return Rubric(_closed([*role, *coda]), _closed(checks))


def for_stage(text: str, stage: str) -> str:
    """The text with the expectations of this stage alone, where it has one line a stage."""
    stages = [match["stage"] for match in _AFTER.finditer(text)]
    if stage not in stages:
        return text
    return _AFTER.sub(lambda line: line[0] if line["stage"] == stage else "", text)


def without_section(text: str, heading: str) -> str:
    """The text without that section and what stands below it."""
    sections = _SECTION.split(text)
    start = next((n for n, one in enumerate(sections) if _heading(one) == heading), len(sections))
    return _closed(sections[:start]) if start < len(sections) else text


def has_section(text: str, heading: str) -> bool:
    return any(_heading(section) == heading for section in _SECTION.split(text))


def _heading(section: str) -> str:
    first, _, _ = section.partition("\n")
    return first[3:].strip() if first.startswith("## ") else ""


def _closed(sections: list[str]) -> str:
    return "\n".join(section.strip() + "\n" for section in sections if section.strip())
