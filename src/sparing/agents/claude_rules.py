"""Which tools an agent has on Claude Code, and what it may do with them.

Three fences besides the sandbox: tools that are not offered, permission rules, and a look at
every call before it runs, which follows links. Each of them alone would hold a reviewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, assert_never

from sparing.agents.backend import Access

READERS = ("Glob", "Grep", "Read")
WRITERS = ("Bash", "Edit", "Write")
CHANGING = frozenset({*WRITERS, "MultiEdit", "NotebookEdit"})
STRUCTURED = "StructuredOutput"
PATHS = ("file_path", "path", "notebook_path")
"""Arguments of tools that name a file or a folder."""

_GRAMMAR = frozenset("(),*?[]{}!\\")


class ToolAnswer(NamedTuple):
    """What is said to a call that wants to run; without a reason it may."""

    reason: str = ""

    @property
    def output(self) -> dict[str, object]:
        """For the client's hook: silence lets its permission rules decide."""
        if not self.reason:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": self.reason,
            }
        }


def tools_of(access: Access) -> tuple[str, ...]:
    match access:
        case Access.READ_ONLY:
            return READERS
        case Access.WORKTREE:
            return tuple(sorted((*READERS, *WRITERS)))
        case _:
            assert_never(access)


def rules_of(access: Access, root: Path) -> tuple[str, ...]:
    """One a tool; two slashes begin a path that is absolute.

    A path that the rules' own grammar would misread is left to the look at every call.
    """
    plain = not any(letter in _GRAMMAR for letter in str(root))
    return tuple(
        f"{tool}(/{root}/**)" if plain and tool != "Bash" else tool for tool in tools_of(access)
    )


def judge(tool: str, given: Mapping[str, Any], access: Access, root: Path) -> ToolAnswer:
    """Whether a call may run, before it does."""
    if tool == STRUCTURED:
        return ToolAnswer()
    if tool not in tools_of(access):
        return ToolAnswer(f"{tool} is not for you in this turn.")
    for name in PATHS:
        path = given.get(name)
        if isinstance(path, str) and path and not _inside(path, root):
            return ToolAnswer(f"{path} is outside of the working directory {root}.")
    return ToolAnswer()


def relative(path: str, root: Path) -> str:
    """A path as people say it: from the worktree on, where it lies in there."""
    try:
        return str((root / path).relative_to(root))
    except ValueError:
        return path


def _inside(path: str, root: Path) -> bool:
    try:
        return (root / path).resolve().is_relative_to(root)
    except (OSError, ValueError):  # a loop of links, a NUL
        return False
