"""Every test of the conformance suite runs once for each backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.backends import BACKENDS, Backends


@pytest.fixture(params=sorted(BACKENDS))
def backends(request: pytest.FixtureRequest, tmp_path: Path) -> Backends:
    return BACKENDS[request.param](tmp_path / "sessions")


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A worktree."""
    folder = tmp_path / "worktree"
    folder.mkdir()
    return folder
