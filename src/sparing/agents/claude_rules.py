"""Which tools an agent has on Claude Code, and what it may do with them.

Three fences besides the sandbox: tools that are not offered, permission rules, and a look at
every call before it runs, which follows links. Each of them alone would hold a reviewer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, assert_never, cast

from sparing.agents.backend import Access
from sparing.constant_path import inside

READERS = ("Glob", "Grep", "Read")
EDITORS = ("Edit", "Write")
WRITERS = ("Bash", *EDITORS)
CHANGING = frozenset({*WRITERS, "MultiEdit", "NotebookEdit"})
SEARCH = "WebSearch"
"""Done by the provider: the client needs no way out for it, and has none."""
STRUCTURED = "StructuredOutput"
PATHS = ("file_path", "path", "notebook_path")
"""Arguments of tools that name a file or a folder."""
LISTS = ("read", "outline")
"""Arguments of our own tools that name several."""
LISTED = (*LISTS, "search", "edits")
SERVER = "s"
"""What our own tools are known by; it stands in every request, so it is short."""
OWN = f"mcp__{SERVER}__"
"""How the client begins their names."""
OWN_CHANGING = frozenset({f"{OWN}change", f"{OWN}run"})

_LINES = re.compile(r":\d+(?:-\d*)?$")
_GRAMMAR = frozenset("(),*?[]{}!\\")


def things(given: Mapping[str, Any]) -> int:
    """Files, searches and edits that one call of our own tools asks for: with the client's tools
    each would be a call."""
    lists = (given.get(name) for name in LISTED)
    return max(1, sum(len(cast("list[object]", one)) for one in lists if isinstance(one, list)))


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


def tools_of(access: Access, own: Sequence[str] = (), *, web: bool = False) -> tuple[str, ...]:
    """The client's tools. Beside our own, which are all that files need, only the search."""
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
        case Access.WORKTREE:
            return tuple(sorted((*READERS, *WRITERS)))
        case _:
            assert_never(access)


def rules_of(
    access: Access, root: Path, own: Sequence[str] = (), *, web: bool = False
) -> tuple[str, ...]:
    """One a tool; two slashes begin a path that is absolute.

    A path that the rules' own grammar would misread is left to the look at every call.
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
    """Whether a call may run, before it does. `seen` is how the client names the root."""
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
    """A path as people say it: from the worktree on, where it lies in there."""
    try:
        return str((root / inside(path, root)).relative_to(root))
    except ValueError:
        return path


def _inside(path: str, root: Path) -> bool:
    try:
        return (root / inside(path, root)).resolve().is_relative_to(root)
    except (OSError, ValueError):  # a loop of links, a NUL
        return False
