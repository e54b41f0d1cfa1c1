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

LEAN, STOCK = "lean naive", "stock naive"
CLIENT_TOOLS = "client tools"
MOST_FILES = 4
"""That agents ask for in one call of a tool that takes a list: the tool's full effect."""
NOTHING: Mapping[str, object] = MappingProxyType({})


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
    draws: int = 3
    """Of the feature flow through the real client."""
    short: bool = False
    """CI runs it."""


def _adaptive(tools: str, files: int = MOST_FILES, **more: object) -> dict[str, object]:
    told = {f"economy.{name}": value for name, value in more.items()}
    asked = {} if files == MOST_FILES else {"agent.double_files": files}
    return {"review.policy": "adaptive", "economy.tools": tools, **told, **asked}


def _sheet(trust: int) -> dict[str, object]:
    """Agents leave so many per cent of the files unopened that the sheet quotes."""
    return {**_adaptive("own", levers=["all", "sheet"]), "agent.double_trust": trust}


ARMS = (
    Arm(LEAN, {"review.policy": "naive"}, "naive", short=True),
    Arm(STOCK, {"review.policy": "naive", "agent.client": "stock"}, "naive", Tools.STOCK),
    Arm(CLIENT_TOOLS, _adaptive("client"), "adaptive", short=True),
    Arm("readers on own tools", _adaptive("look"), "adaptive", Tools.LOOK),
    Arm("own tools, 4 files a call", _adaptive("own"), "adaptive", Tools.OWN, short=True),
    Arm("own tools, 2 files a call", _adaptive("own", 2), "adaptive", Tools.OWN, 2, draws=1),
    Arm("own tools, 1 file a call", _adaptive("own", 1), "adaptive", Tools.OWN, 1, draws=1),
    *(
        Arm(f"+ sheet at {share} % effect", _sheet(share), draws=1)  # its effect is not in the grid
        for share in (0, 50, 100)
    ),
    # A lever adds its row here, on own tools at 4 files a call.
    Arm("own tools, no primer", _adaptive("own", levers=["all", "no-primer"]), draws=1),
    Arm("+ merged documents", {**_adaptive("own"), "review.panel": "merged"}, draws=1),
    Arm("seed", {"review.policy": "seed"}, "seed", draws=1),
)
"""Every share is of the baselines, the first two."""
BY_NAME = {arm.name: arm for arm in ARMS}
