"""Project context: what a feature must know about the project it belongs to, in 500 tokens.

If it is too long, it loses detail in a fixed order: dependencies become counts, then goals are
dropped one by one, then the rest is cut. It never exceeds its limit, whatever the project holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparing.context.documents.markdown import outline
from sparing.context.documents.scope import index_document
from sparing.segment import CHARS_PER_TOKEN, estimate_tokens

LIMIT_TOKENS = 500
GOALS = 3
NOT_ON_ROADMAP = "not on roadmap"
_GOAL_CHARS = 240
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?P<text>.+)$")


@dataclass(frozen=True, slots=True)
class ProjectContext:
    project: str
    feature: str
    goals: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    in_progress: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    milestone: str = ""


def project_block(context: ProjectContext, limit_tokens: int = LIMIT_TOKENS) -> str:
    goals = context.goals[:GOALS]
    tries = [
        (goals, False),
        *((goals[:count], True) for count in range(len(goals), -1, -1)),
    ]
    text = ""
    for kept, counted in tries:
        text = _block(replace(context, goals=kept), counted=counted)
        if estimate_tokens(text) <= limit_tokens:
            return text
    return text[: limit_tokens * CHARS_PER_TOKEN - 2] + "…\n"


def project_goals(prd: str) -> tuple[str, ...]:
    """The first few goals of the project's PRD; its problem where it lists none."""
    index = index_document(prd)
    for name in ("goals", "objectives", "problem statement", "problem"):
        found = index.find(name) if index else None
        if index and found:
            lines = index.document.section(found.heading).splitlines()[1:]
            goals = [match["text"] for match in map(_BULLET.match, lines) if match]
            prose = " ".join(" ".join(lines).split())
            if goals or prose:
                return tuple(_short(goal) for goal in goals[:GOALS] or [prose])
    return ()


def milestone_of(roadmap: str, feature: str) -> str:
    """The heading of the roadmap under which the feature, `012-slug` or `012`, is named."""
    number = feature.partition("-")[0]
    wanted = re.compile(rf"(?<![\w-]){re.escape(feature)}(?![\w-])|(?<![\w.-]){number}-[a-z]")
    document = outline(roadmap)
    for heading in reversed([one for one in document.headings if one.level > 1]):
        if wanted.search(document.section(heading)):
            return heading.text
    return ""


def sorted_by_status(statuses: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Completed, in progress, blocked; features that have not begun count as blocked."""
    completed = tuple(name for name, status in statuses.items() if status == "completed")
    working = tuple(name for name, status in statuses.items() if status == "active")
    known = {*completed, *working}
    return completed, working, tuple(name for name in statuses if name not in known)


def _block(context: ProjectContext, *, counted: bool) -> str:
    lines = [
        "## Project Context",
        f"**Project:** {_line(context.project)} | **This feature:** {_line(context.feature)}",
        "**Project goals:**" if context.goals else "",
        *(f"- {_line(goal)}" for goal in context.goals),
        f"**Feature dependencies:** {_dependencies(context, counted=counted)}",
        f"**Priority signal:** {_line(context.milestone) or NOT_ON_ROADMAP}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _dependencies(context: ProjectContext, *, counted: bool) -> str:
    groups = (
        ("completed", context.completed),
        ("in-progress", context.in_progress),
        ("blocked", context.blocked),
    )
    if counted:
        return ", ".join(f"{len(names)} {word}" for word, names in groups if names) or "none"
    said = [f"{word}: {', '.join(map(_line, names))}" for word, names in groups if names]
    return " | ".join(said) or "none"


def _short(text: str) -> str:
    line = _line(text)
    return line if len(line) <= _GOAL_CHARS else line[: _GOAL_CHARS - 1] + "…"


def _line(text: str) -> str:
    return " ".join(text.split())
