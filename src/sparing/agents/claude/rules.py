"""Which tools an agent has on Claude Code, and what it may do with them.

Three barriers besides the sandbox: tools that are not offered, permission rules, and a check of
every call before it runs, which follows links. Each of them alone would stop a reviewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, assert_never, cast

from sparing.agents.backend import Access
from sparing.sandbox_path import inside

READERS = ("Glob", "Grep", "Read")
EDITORS = ("Edit", "Write")
WRITERS = ("Bash", *EDITORS)
CHANGING = frozenset({*WRITERS, "MultiEdit", "NotebookEdit"})
SEARCH = "WebSearch"
"""Done by the provider: the client needs no network access for it, and has none."""
STRUCTURED = "StructuredOutput"
PATHS = ("file_path", "path", "notebook_path")
"""Arguments of tools that name a file or a folder."""
LISTS = ("read", "outline")
"""Arguments of our own tools that name several files or folders."""
LISTED = (*LISTS, "search", "edits")
SERVER = "s"
"""The name of our tool server; it is in every request, so it is short."""
OWN = f"mcp__{SERVER}__"
"""The prefix that the client puts before their names."""
OWN_CHANGING = frozenset({f"{OWN}change", f"{OWN}run"})

_LINES = re.compile(r":\d+(?:-\d*)?$")
_GRAMMAR = frozenset("(),*?[]{}!\\")


def things(given: Mapping[str, Any]) -> int:
    """How many files, searches and edits one call of our tools asks for: each would be a call of
    its own with the client's tools."""
    lists = (given.get(name) for name in LISTED)
    return max(1, sum(len(cast("list[object]", one)) for one in lists if isinstance(one, list)))


class ToolAnswer(NamedTuple):
    """Our answer to a tool call before it runs; it may run if there is no reason against it."""

    reason: str = ""

    @property
    def output(self) -> dict[str, object]:
        """The hook's output: an empty one lets the client's permission rules decide."""
        if not self.reason:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": self.reason,
            }
        }


def tools_of(access: Access, own: Sequence[str] = (), *, web: bool = False) -> tuple[str, ...]:
    """The client's tools; with our own, which cover all file access, only the web search."""
    files = () if own else _for_files(access)
    return (*files, SEARCH) if web else files


def _for_files(access: Access) -> tuple[str, ...]:
    match access:
        case Access.NOTHING:
            return ()
        case Access.READ_ONLY:
            return READERS
        case Access.NO_SHELL:
            return tuple(sorted((*READERS, *EDITORS)))
        case Access.LEAN_SHELL | Access.WORKTREE:
            return tuple(sorted((*READERS, *WRITERS)))
        case _:
            assert_never(access)


def rules_of(
    access: Access, root: Path, own: Sequence[str] = (), *, web: bool = False
) -> tuple[str, ...]:
    """One rule per tool; two slashes begin an absolute path.

    A path that the rules' own grammar would misread is left to the check of every call.
    """
    plain = not any(letter in _GRAMMAR for letter in str(root))
    client = (
        f"{tool}(/{root}/**)" if plain and tool not in ("Bash", SEARCH) else tool
        for tool in tools_of(access, own, web=web)
    )
    return (*client, *own)


def judge(
    tool: str,
    given: Mapping[str, Any],
    access: Access,
    root: Path,
    own: Sequence[str] = (),
    *,
    web: bool = False,
    seen: Path | None = None,
) -> ToolAnswer:
    """Whether a call may run, before it does. `seen` is the root's path as the client knows it."""
    if tool == STRUCTURED:
        return ToolAnswer()
    reads = access is Access.READ_ONLY and tool in OWN_CHANGING
    if reads or (tool not in tools_of(access, own, web=web) and tool not in own):
        return ToolAnswer(f"{tool} is not for you in this turn.")
    for path in _named(given):
        if not _inside(path, root):
            return ToolAnswer(f"{path} is outside of the working directory {seen or root}.")
    return ToolAnswer()


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Every path that a call names, alone or in a list."""
    yield from (str(given[name]) for name in PATHS if isinstance(given.get(name), str))
    for name in LISTS:
        listed = given.get(name)
        items = cast("list[object]", listed) if isinstance(listed, list) else [listed]
        yield from (_LINES.sub("", item) for item in items if isinstance(item, str))
    edits = given.get("edits")
    for edit in cast("list[object]", edits) if isinstance(edits, list) else []:
        path = cast("dict[str, object]", edit).get("path") if isinstance(edit, dict) else None
        if isinstance(path, str):
            yield path


def relative(path: str, root: Path) -> str:
    """The path relative to the worktree, if it is inside."""
    try:
        return str((root / inside(path, root)).relative_to(root))
    except ValueError:
        return path


def _inside(path: str, root: Path) -> bool:
    try:
        return (root / inside(path, root)).resolve().is_relative_to(root)
    except (OSError, ValueError):  # a loop of links, a NUL
        return False
