"""Every test of the conformance suite runs once for each backend that is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.acts import Backends
from tests.agents.backends import BACKENDS
from tests.agents.claude_double import ClaudeDouble

collect_ignore_glob = [] if "claude" in BACKENDS else ["test_claude_turn*.py"]


@pytest.fixture(params=sorted(BACKENDS))
def backends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backends]:
    made = BACKENDS[request.param](tmp_path / "sessions")
    yield made
    made.close()


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ClaudeDouble]:
    """The real client, with the double behind it."""
    made = ClaudeDouble(tmp_path / "sessions")
    yield made
    made.close()


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A worktree."""
    folder = tmp_path / "worktree"
    folder.mkdir()
    return folder
