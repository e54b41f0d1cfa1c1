"""Every test runs in a HOME of its own, and what belongs to the user stays as it was.

Covers: H1
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.guard import Guard
from tests.repositories import make_user_repository

pytest_plugins = ["pytester"]

# What a test process needs from outside; everything else is taken away.
_KEPT = frozenset({"PATH", "PWD", "VIRTUAL_ENV", "PYTHONPATH", "COVERAGE_PROCESS_START"})
_KEPT_PREFIXES = ("PYTEST_", "PYTHON", "COV_")

UserRepository = Callable[..., Path]


@pytest.fixture(autouse=True)
def guard(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guard]:
    """H1: a private HOME and a clean environment; afterwards the user's bytes are compared."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name not in _KEPT and not name.startswith(_KEPT_PREFIXES):
            monkeypatch.delenv(name)
    folders = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_RUNTIME_DIR": home / ".run",
    }
    for name, folder in folders.items():
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    watched = Guard()
    watched.watch_home(home)
    yield watched
    changes = watched.changes()
    if changes:
        listed = "\n  ".join(changes)
        pytest.fail(f"what belongs to the user has changed:\n  {listed}", pytrace=False)


@pytest.fixture
def user_repository(guard: Guard, tmp_path: Path) -> UserRepository:
    """Hands out repositories in the middle of someone's day, and watches them."""
    made: list[Path] = []

    def make(files: Mapping[str, str | bytes] | None = None) -> Path:
        path = make_user_repository(tmp_path / f"repository-{len(made) + 1}", files)
        made.append(path)
        return guard.watch(path)

    return make
