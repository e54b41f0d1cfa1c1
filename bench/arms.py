"""What is compared: one row an arm, for the real client and for the grid in process.

A new lever gets a row here, and both benches print it. `settings` are what the program is told on
the real client; `grid` names a file of `bench/economy/strategies`, which runs on `tools`. An arm
without `grid` is run through the client only, one without `settings` in process only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sparing.dispatch_policy import Lever

LEAN, STOCK = "lean naive", "stock naive"
CLIENT_TOOLS = "client tools"
MOST_FILES = 4
"""That agents ask for in one call of a tool that takes a list: the tool's full effect."""
NOTHING: Mapping[str, object] = MappingProxyType({})
UNUSED = MappingProxyType(
    {Lever.CHAIN: "no two tasks drawn share a file, so none continues another's session"}
)
"""Levers for which the drawn work gives no occasion: neither bench can tell what they are worth."""


class Tools(StrEnum):
    """What stands before a prompt."""

    LEAN = "lean"
    """The client's tools, as the program starts it."""
    STOCK = "stock"
    """The client as installed."""
    LOOK = "look"
    """Readers have tools of ours, writers the client's."""
    OWN = "own"
    """All have tools of ours."""


class Arm(NamedTuple):
    name: str
    settings: Mapping[str, object] = NOTHING
    grid: str = ""
    tools: Tools = Tools.LEAN
    files: int = MOST_FILES
    """That agents ask for at once where a tool takes a list. At 1 it has no effect on calls."""
    trust: int = 50
    """Percent of the files that the fact sheet quotes which agents leave unopened."""
    merged: bool = False
    """Two reviewers of a document look in one turn."""
    of_lean: float = 0.0
    """The aim for the feature flow, typical agents; 0: it is reported, without one."""
    of_stock: float = 0.0
    tiers: float = 0.0
    """The aim for L1 to L3, of lean naive."""
    grid_kinds: bool = True
    """In process with all kinds of agents, not only typical ones."""
    draws: int = 3
    """Of the feature flow through the real client."""
    small: bool = True
    """Run on L1 to L3 through the real client, too. No: what it changes is not there, and it would
    be the same run as own tools at 4 files a call."""
    short: bool = False
    """CI runs it."""
    readme: str = ""
    """What the README calls it; empty if only the long tables have it."""


def _adaptive(tools: str, files: int = MOST_FILES, **more: object) -> dict[str, object]:
    told = {f"economy.{name}": value for name, value in more.items()}
    asked = {} if files == MOST_FILES else {"agent.double_files": files}
    return {"review.policy": "adaptive", "economy.tools": tools, **told, **asked}


def _sheet(trust: int) -> Arm:
    """Agents leave so many per cent of the files unopened that the sheet quotes."""
    told = {**_adaptive("own", levers=["all", "sheet"]), "agent.double_trust": trust}
    lean, stock = (0.54, 0.385) if trust == HALF else (0.0, 0.0)
    return Arm(
        f"+ sheet at {trust} % effect", told, "adaptive", Tools.OWN, trust=trust, draws=1,
        small=False, grid_kinds=trust == HALF, of_lean=lean, of_stock=stock,
    )  # fmt: skip


HALF = 50
OWN = "own tools, 4 files a call"
NO_PRIMER = _adaptive("own", levers=["all", "no-primer"])
MERGED = {**_adaptive("own"), "review.panel": "merged"}
ARMS = (
    Arm(
        LEAN, {"review.policy": "naive"}, "naive", short=True,
        readme="naive prompting, Sparing's lean client settings",
    ),
    Arm(
        STOCK, {"review.policy": "naive", "agent.client": "stock"}, "naive", Tools.STOCK,
        readme="naive prompting, Claude Code as installed",
    ),
    Arm(
        CLIENT_TOOLS, _adaptive("client"), "adaptive", short=True, of_lean=0.75, tiers=0.9,
        readme="Sparing with Claude Code's tools alone",
    ),
    Arm(
        "readers on own tools", _adaptive("look"), "adaptive", Tools.LOOK, of_lean=0.7,
        of_stock=0.5, readme="**Sparing by default**: reviewers have its file tool",
    ),
    Arm(
        "own tools, no primer", NO_PRIMER, "adaptive", Tools.OWN, draws=1, small=False,
        of_lean=0.6, of_stock=0.43, grid_kinds=False,
    ),
    Arm(
        OWN, _adaptive("own"), "adaptive", Tools.OWN, short=True, of_lean=0.58, of_stock=0.41,
        tiers=0.7, readme="Sparing with its own tools for all agents",
    ),
    Arm(
        "own tools, 2 files a call", _adaptive("own", 2), "adaptive", Tools.OWN, 2, draws=1,
        grid_kinds=False,
    ),
    Arm(
        "own tools, 1 file a call", _adaptive("own", 1), "adaptive", Tools.OWN, 1, draws=1,
        grid_kinds=False,
    ),
    # A lever adds its row here, on own tools at 4 files a call.
    *(_sheet(share) for share in (0, HALF, 100)),
    Arm("+ merged documents", MERGED, "adaptive", Tools.OWN, draws=1, small=False, merged=True),
    Arm("seed", {"review.policy": "seed"}, "seed", draws=1, grid_kinds=False),
)  # fmt: skip
"""Every share is of the baselines, the first two. Own tools at 4 files a call have the primer."""
BY_NAME = {arm.name: arm for arm in ARMS}
