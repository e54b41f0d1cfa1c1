"""A worktree with our own tools, for tests without a client."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparing.redact import Redactor
from sparing.tool import ToolResult
from sparing.workspace.tools.command import Commands
from sparing.workspace.tools.pages import Span
from sparing.workspace.tools.seen_files import SeenStore
from sparing.workspace.tools.toolset import ToolPlace, Toolset


class Bare:
    """A command line without a sandbox."""

    pass_fds = ()

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv = tuple(argv)
        self.env = {"PATH": os.defpath, "LANG": "C.UTF-8"}

    def end(self) -> None:
        pass

    def cleanup(self) -> None:
        pass


@dataclass
class Tools:
    """The tools of a turn on real files; a new one is a new turn."""

    root: Path
    store: SeenStore
    secrets: tuple[str, ...] = ()

    def turn(
        self,
        *,
        writes: bool = True,
        session: str = "",
        touched: Mapping[str, tuple[Span, ...]] | None = None,
    ) -> Toolset:
        place = ToolPlace(
            root=self.root,
            listing=lambda: list(self._listed()),
            redactor=Redactor(self.secrets),
            store=self.store,
            touched=touched or {},
        )
        made = Toolset(place, Commands(self.root, Bare) if writes else None)
        made.begin(session)
        return made

    def put(self, path: str, text: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def _listed(self) -> Iterator[str]:
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and ".git" not in path.parts:
                yield str(path.relative_to(self.root))


def tools_at(base: Path, *secrets: str) -> Tools:
    (base / "inside").mkdir(parents=True)
    return Tools(base / "inside", SeenStore(base / "seen"), secrets)


def look(made: Toolset, **given: Any) -> ToolResult:
    return made.answer("look", given)


def change(made: Toolset, *edits: Any) -> ToolResult:
    return made.answer("change", {"edits": list(edits)})
