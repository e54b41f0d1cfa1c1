"""Clients that `make clients` has set up, in a folder of the project that git ignores."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from sparing.agents.acp.detection import InstalledAgent, agent_here
from sparing.agents.codex.client import InstalledCodex, find_codex

FOLDER = Path(__file__).parent.parent.parent / ".clients"
PROGRAMS = FOLDER / "node_modules" / ".bin"


@cache
def codex() -> InstalledCodex:
    found = find_codex(str(PROGRAMS))
    assert found is not None, "these tests need the client: make clients"
    return found


@cache
def acp(name: str) -> InstalledAgent:
    """Raises what is missing: these tests need `make clients`."""
    return agent_here(name, {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"})
