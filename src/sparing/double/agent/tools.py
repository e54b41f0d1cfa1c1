"""How an agent does what it wants with the tools that it is offered, whatever they are called.

A tool is known by its arguments: one that takes a list of files gets several at once, one that
takes a command can also list and search. Where nothing fits, the wish is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, cast

from sparing.double.agent.memory import PATHS, SEARCHED
from sparing.double.answer import ToolCall
from sparing.double.request import JsonObject, ModelRequest

MOST_FILES = 4
"""Files usually requested in one call of a tool that takes a list."""


class WishKind(StrEnum):
    LIST = "list"
    READ = "read"
    SEARCH = "search"
    WRITE = "write"
    EDIT = "edit"
    RUN = "run"


EDITING = frozenset({WishKind.WRITE, WishKind.EDIT})
LOOKING = frozenset({WishKind.LIST, WishKind.READ, WishKind.SEARCH})


class Wish(NamedTuple):
    """Something that an agent wants to do with a tool."""

    kind: WishKind
    about: str
    """A path, a pattern or a command."""
    old: str = ""
    new: str = ""
    """A file's text; for an edit, the passage that replaces `old`."""
    lines: int = 0
    """For a search: how many lines of its result are wanted."""


class AgentTools:
    def __init__(self, asked: ModelRequest, folder: str, files: int = MOST_FILES) -> None:
        self._tools = {str(tool["name"]): _properties(tool) for tool in asked.tools}
        self._folder = folder
        self._files = files

    def calls(self, wishes: Sequence[Wish]) -> tuple[ToolCall, ...]:
        """The wishes as tool calls; reads and edits are combined if a tool takes a list."""
        found: list[ToolCall] = []
        listed = self._lister(PATHS)
        reads = [one.about for one in wishes if one.kind is WishKind.READ] if listed else []
        for start in range(0, len(reads), self._files):
            tool, name = cast("tuple[str, str]", listed)
            found.append(ToolCall(tool, {name: reads[start : start + self._files]}))
        edits = [self._edit(one) for one in wishes if one.kind in EDITING] if self._edits else []
        if edits:
            found.append(ToolCall(self._edits, {"edits": edits}))
        for wish in wishes:
            done = (listed and wish.kind is WishKind.READ) or (edits and wish.kind in EDITING)
            call = None if done else self._call(wish)
            if call is not None:
                found.append(call)
        return tuple(found)

    @property
    def _edits(self) -> str:
        """A tool that takes a list of edits; empty if there is none."""
        return next((tool for tool, known in self._tools.items() if "edits" in known), "")

    def _edit(self, wish: Wish) -> JsonObject:
        if wish.kind is WishKind.WRITE:
            return {"path": wish.about, "create": wish.new}
        return {"path": wish.about, "find": wish.old, "replace": wish.new}

    def can(self, kind: WishKind) -> bool:
        return bool(self.calls([Wish(kind, "x")]))

    @property
    def looks_at_once(self) -> int:
        """How many files one call can read, by which the size of a reading step is multiplied."""
        return self._files if self._lister(PATHS) is not None else 1

    def _call(self, wish: Wish) -> ToolCall | None:
        match wish.kind:
            case WishKind.READ:
                return self._with(("Read", "file_path"), file_path=self._absolute(wish.about))
            case WishKind.LIST:
                listed = self._lister(("outline",))
                own = ToolCall(listed[0], {listed[1]: ["**/*.py"]}) if listed else None
                return (
                    own
                    or self._with(("Glob", "pattern"), pattern="**/*.py")
                    or self._run("git ls-files '*.py'")
                )
            case WishKind.SEARCH:
                return self._search(wish)
            case WishKind.WRITE:
                path = self._absolute(wish.about)
                return self._with(("Write", "content"), file_path=path, content=wish.new)
            case WishKind.EDIT:
                return self._with(
                    ("Edit", "old_string"),
                    file_path=self._absolute(wish.about),
                    old_string=wish.old,
                    new_string=wish.new,
                )
            case WishKind.RUN:
                return self._run(wish.about)

    def _search(self, wish: Wish) -> ToolCall | None:
        listed = self._lister(SEARCHED)
        if listed:
            return ToolCall(listed[0], {listed[1]: [wish.about]})
        given: JsonObject = {"pattern": wish.about, "output_mode": "content", "-n": True}
        limit = max(1, wish.lines)
        return self._with(("Grep", "output_mode"), **given, head_limit=limit) or self._run(
            f"grep -rn '{wish.about}' . --include='*.py' | head -{limit}"
        )

    def _run(self, command: str) -> ToolCall | None:
        return self._with(("Bash", "command"), command=command)

    def _with(self, wanted: tuple[str, str], **given: object) -> ToolCall | None:
        """The tool with that name, or another one that accepts all these arguments."""
        name, argument = wanted
        for tool, properties in self._tools.items():
            if tool == name and argument in properties:
                return ToolCall(tool, given)
        others = [tool for tool, known in self._tools.items() if given.keys() <= known.keys()]
        return ToolCall(others[0], given) if others and name not in ("Read", "Glob") else None

    def _lister(self, names: tuple[str, ...]) -> tuple[str, str] | None:
        for tool, properties in self._tools.items():
            for name in names:
                if properties.get(name, {}).get("type") == "array":
                    return tool, name
        return None

    def _absolute(self, path: str) -> str:
        return path if path.startswith("/") or not self._folder else f"{self._folder}/{path}"


def _properties(tool: JsonObject) -> dict[str, JsonObject]:
    schema = cast("JsonObject", tool.get("input_schema") or {})
    return cast("dict[str, JsonObject]", schema.get("properties") or {})
