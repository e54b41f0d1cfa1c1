"""Tools of our own, put together for a turn from what surrounds a run.

Whose tools a turn has depends on the setting, the policy, the backend and, for writers, on whether
their model has passed the tool check; never on the role: all who share a trunk have the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, assert_never

from sparing.agents.backend import EVERY_MODEL, AgentCall, Backend, Launched, Needs
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.own_tools import TakesTools, ToolOffer
from sparing.clients.tool_mode import mode_of
from sparing.config.settings import Settings
from sparing.database import Database
from sparing.errors import SandboxRefused
from sparing.records import tool_checks
from sparing.records.folder import StateFolder
from sparing.runtime.lever_record import lost_by_look
from sparing.tool import OwnTools, ToolMode
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.missing_files import bring_files, known_files
from sparing.workspace.tools.command import Commands
from sparing.workspace.tools.diff_lines import touched
from sparing.workspace.tools.seen_files import SeenStore
from sparing.workspace.tools.toolset import ToolPlace, Toolset
from sparing.workspace.tools.worktree_files import MOST_BROUGHT

COMPARED_EVERY = 16
"""In one of this many features, readers keep the client's tools, for comparison."""
FOLDER = "tools"
"""Folder in the state folder that records what sessions were shown."""


class ToolSources(NamedTuple):
    """What tools are made of."""

    folder: StateFolder
    database: Database
    repository: Repository


def tool_names(settings: Settings, feature: int = 0) -> str:
    compared = compares(settings, feature)
    return f"{mode_of(settings).value}{', compared' if compared else ''}"


def compares(settings: Settings, feature: int) -> bool:
    """Whether readers in the feature with this number keep the client's tools, so that reviews
    with ours can be compared."""
    automatic = mode_of(settings) is ToolMode.AUTO
    return automatic and feature % COMPARED_EVERY == COMPARED_EVERY // 2


def offer_tools(
    backend: Backend, settings: Settings, sources: ToolSources, feature: int = 0
) -> None:
    """Give a backend that can answer calls itself the tools that are wanted."""
    root = settings.workspace.root
    if not isinstance(backend, ClaudeBackend):
        if isinstance(backend, TakesTools):
            backend.offer(ToolOffer(lambda call: toolset(call, sources, root)))
        return
    lost = frozenset[str]()

    def make(call: AgentCall) -> OwnTools:
        return toolset(call, sources, root)

    mode = mode_of(settings)
    match mode:
        case ToolMode.CLIENT:
            return
        case ToolMode.LOOK:
            writers = frozenset[str]()
        case ToolMode.OWN:
            writers = frozenset({EVERY_MODEL})
        case ToolMode.AUTO:
            writers = checked(backend, sources.database)
            with sources.database.read() as connection:
                lost = frozenset(lost_by_look(connection, backend.name))
        case _:
            assert_never(mode)
    readers = not compares(settings, feature)
    backend.offer(ToolOffer(make, readers=readers, writers=writers, lost=lost))


def checked(backend: ClaudeBackend, database: Database) -> frozenset[str]:
    """The models that have passed the tool check with this client."""
    with database.read() as connection:
        return tool_checks.passed(connection, backend.name, backend.version)


def toolset(call: AgentCall, sources: ToolSources, scope: str = "") -> Toolset:
    root = call.cwd.resolve()
    worktree = Worktree(sources.repository, call.cwd, "")
    place = ToolPlace(
        root=root,
        listing=partial(known_files, worktree),
        redactor=sources.folder.redactor,
        store=SeenStore(sources.folder.path / FOLDER),
        touched=touched("\n".join(segment.text for segment in call.prompt)),
        scope=scope,
        bring=partial(bring_files, worktree, most=MOST_BROUGHT, folders=False),
    )

    def prepare(argv: Sequence[str]) -> Launched:
        if call.launch is None:
            raise SandboxRefused("there is no sandbox for a command", "sparing doctor")
        return call.launch(argv, Needs({"PWD": str(call.seen)}))

    writes = call.access.writes
    shown = call.shown is not None and call.shown.writes
    return Toolset(place, Commands(root, prepare) if writes else None, lists_all=shown)
