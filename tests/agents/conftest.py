"""Every test of the conformance suite runs once for each backend that is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.acts import Backends
from tests.agents.backends import BACKENDS, ONE_LIFE
from tests.agents.claude_double import ClaudeDouble
from tests.agents.codex_double import CodexDouble

collect_ignore_glob = (
    []
    if "claude" in BACKENDS
    else ["test_claude_turn*.py", "test_codex_turn*.py", "test_api_turn*.py"]
)


@pytest.fixture(params=sorted(BACKENDS))
def backends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backends]:
    made = BACKENDS[request.param](tmp_path / "sessions")
    yield made
    made.close()


@pytest.fixture(params=sorted(BACKENDS.keys() - ONE_LIFE))
def hour_backends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backends]:
    """Those whose provider keeps entries for an hour, if it is asked to."""
    made = BACKENDS[request.param](tmp_path / "sessions")
    yield made
    made.close()


@pytest.fixture
def codex(tmp_path: Path) -> Iterator[CodexDouble]:
    """The real client, with the double behind it."""
    made = CodexDouble(tmp_path / "sessions")
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
