"""Asks the agent's client whether a model can work with our own tools, and keeps the answer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sparing.agents.backend import Launch
from sparing.agents.checks.tool_check import ToolCheckPlace, check_tools
from sparing.agents.claude.backend import ClaudeBackend
from sparing.config.settings import Settings
from sparing.dispatch_policy import Policy
from sparing.payment.paid_call import run_on
from sparing.records import tool_checks
from sparing.records.tool_checks import ToolCheckRow
from sparing.runtime.own_tools import ToolSources, offer_tools
from sparing.runtime.sandbox import launch_in
from sparing.runtime.surroundings import Surroundings
from sparing.tool import ToolMode
from sparing.workspace.git.worktree import Worktree

CLASSES = ("strong", "standard", "cheap")


def models_of(settings: Settings) -> tuple[str, ...]:
    """Every model that a writer may have, once each."""
    backend = settings.agent.backend
    return tuple(dict.fromkeys(settings.models.of(one, backend) for one in CLASSES))


def prepare(backend: ClaudeBackend, around: Surroundings, settings: Settings) -> None:
    """Offer our tools to every role, whatever the settings say: they are what is being tested."""
    own = replace(
        settings,
        economy=replace(settings.economy, tools=ToolMode.OWN),
        review=replace(settings.review, policy=Policy.ADAPTIVE),
    )
    offer_tools(backend, own, ToolSources(around.folder, around.database, around.repository))


async def check_model(
    backend: ClaudeBackend, around: Surroundings, model: str, at: float, limit_seconds: float
) -> ToolCheckRow:
    """Runs outside of any feature; a check spoilt by the network is not stored."""
    parent = around.folder.scratch
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def launch(worktree: Path) -> Launch:
        return launch_in(around, Worktree(around.repository, worktree, ""), writes=True)

    with tempfile.TemporaryDirectory(prefix="check-", dir=parent) as name:
        place = ToolCheckPlace(
            folder=Path(name).resolve(),
            model=model,
            at=at,
            launch=launch,
            limit_seconds=limit_seconds,
        )
        found = await check_tools(run_on(backend), place)
    row = ToolCheckRow(
        backend=backend.name,
        version=backend.version,
        model=model,
        at=at,
        reason=found.reason,
        items=tuple((item.name, item.good, item.words) for item in found.items),
        usage=found.usage,
        origin=found.origin,
        seconds=found.seconds,
    )
    if found.certain:
        with around.database.write() as tx:
            tool_checks.put(tx, row)
    return row


def lines(row: ToolCheckRow) -> Iterator[tuple[str, bool, str]]:
    """The result of each task, then the conclusion."""
    yield from ((name, good, f"{words} ({row.model})") for name, good, words in row.items)
    state = f"the client's tools, {row.reason}" if row.reason else "Sparing's tools"
    yield "tools", not row.reason, f"writers with {row.model} have {state}"
