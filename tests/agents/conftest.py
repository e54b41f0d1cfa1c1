"""Every test of the conformance suite runs once for each backend that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.acts import Backends
from tests.agents.backends import BACKENDS, CLIENT_NAMES, ONE_LIFE, WITH_CLIENTS
from tests.agents.claude_double import ClaudeDouble
from tests.agents.codex_double import CodexDouble
from tests.agents.every_client import CASES, EveryClient

HERE = Path(__file__).parent
collect_ignore_glob = [] if "claude" in BACKENDS else [*WITH_CLIENTS]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs no client is part of `make test`: where clients are, it is not run again."""
    if "claude" in BACKENDS:
        items[:] = [item for item in items if item.path.parent != HERE or _has_client(item)]


def _has_client(item: pytest.Item) -> bool:
    names = re.split(r"[\[\],-]", item.name)[1:]
    return any(map(item.path.match, WITH_CLIENTS)) or any(name in names for name in CLIENT_NAMES)


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


@pytest.fixture(params=CLIENT_NAMES)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EveryClient]:
    """Every real client by day too; the small one where there is none."""
    case = CASES[request.param]
    made = case.make(tmp_path / "sessions")
    yield EveryClient(request.param, case, made)
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
