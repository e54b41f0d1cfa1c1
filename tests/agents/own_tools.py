"""Tools of our own for a client in tests: on a real worktree, in a real sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from sparing.agents.backend import EVERY_MODEL, Access, AgentCall, Launched, Needs
from sparing.agents.own_tools import ToolOffer
from sparing.redact import Redactor
from sparing.tool import OwnTools
from sparing.workspace.tools.command import Commands
from sparing.workspace.tools.seen_files import SeenStore
from sparing.workspace.tools.toolset import ToolPlace, Toolset
from tests.agents.backends import call
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json
from tests.agents.sandboxed import sandboxed

OK: Json = {"text": "ok"}
SECRET = "correct-horse-battery-staple"
LOOK, CHANGE, RUN = "mcp__s__look", "mcp__s__change", "mcp__s__run"
VERDICT: Json = {"approved": True, "findings": [], "summary": "fine"}


def uses(*calls: tuple[str, Json]) -> Json:
    return {"tool_use": [{"name": name, "input": given} for name, given in calls]}


def offer_in(folder: Path) -> ToolOffer:
    """For everybody; what sessions were shown and what commands need lies in that folder."""
    store = SeenStore(folder / "seen")

    def make(asked: AgentCall) -> OwnTools:
        place = ToolPlace(
            root=asked.cwd.resolve(),
            listing=lambda: [one.name for one in asked.cwd.iterdir()],
            redactor=Redactor([SECRET]),
            store=store,
            touched={},
        )

        def prepare(argv: Sequence[str]) -> Launched:
            return sandboxed(asked.cwd, folder / "scratch")(argv, Needs())

        writes = asked.access is Access.WORKTREE
        shown = asked.shown is not None and asked.shown.writes
        return Toolset(place, Commands(asked.cwd, prepare) if writes else None, lists_all=shown)

    return ToolOffer(make, readers=True, writers=frozenset({EVERY_MODEL}))


def reader(cwd: Path, **changes: Any) -> AgentCall:
    return call(cwd, **{"access": Access.READ_ONLY, **changes})


def results(claude: ClaudeDouble) -> list[str]:
    """Every tool result that the last request carries, in its order."""
    found: list[str] = []
    for message in claude.requests()[-1]["request"]["messages"]:
        content = message["content"]
        blocks = cast("list[Json]", content) if isinstance(content, list) else []
        for block in blocks:
            if block["type"] == "tool_result":
                said = block["content"]
                found.append(said if isinstance(said, str) else str(said[0]["text"]))
    return found
