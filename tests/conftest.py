"""Every test runs in a HOME of its own, and what belongs to the user stays as it was.

Covers: H1
"""

from __future__ import annotations

import gc
import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.guard import Guard
from tests.repositories import make_user_repository

IN_LENGTH = bool(os.environ.get("PYTEST_LONG"))
"""`make test-long`, `make test-nightly`: whole runs, and properties with more examples."""
settings.register_profile("ours", deadline=None, max_examples=100 if IN_LENGTH else 20)
settings.load_profile("ours")

pytest_plugins = ["pytester"]

# What a test process needs from outside; everything else is taken away.
_KEPT = frozenset({"PATH", "PWD", "VIRTUAL_ENV", "PYTHONPATH", "COVERAGE_PROCESS_START"})
_KEPT_PREFIXES = ("PYTEST_", "PYTHON", "COV_")

IN_BROWSER = bool(os.environ.get("PYTEST_BROWSER"))
"""`make browser`: a real Chromium opens the page."""

DATABASE = os.environ.get("PYTEST_DATABASE", "")
"""`make postgres`: the address of a server, on which the records are then."""

collect_ignore_glob = [
    *([] if IN_LENGTH else ["*/test_long_*.py"]),
    *([] if IN_BROWSER else ["browser/test_*.py"]),
    *([] if DATABASE else ["fleet/test_*.py"]),
]
LONG = ("tests/engine/", "tests/cli/")
"""Whole runs in processes of their own: begun first, so that no worker is left with one alone."""

NIGHTLY = (
    "budget", "building", "chain", "final_validation", "gate_after_cap", "hints_beside",
    "hints_lost", "hints_machine", "hints_stops", "hints_tasks", "last_gate", "no_verdict",
    "projects", "review_runs", "seed_tiers", "waves",
)  # fmt: skip
"""Whole runs of one subject each, which shorter tests cover: CI plays those that are killed,
upgraded, damaged and shown to people."""

UserRepository = Callable[..., Path]

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
    for item in items:
        if "/test_long_" in item.nodeid:
            item.add_marker("long")
        if any(f"/test_long_{name}.py" in item.nodeid for name in NIGHTLY):
            item.add_marker("nightly")
    if DATABASE:
        items[:] = [item for item in items if not item.get_closest_marker("files")]
    if not IN_LENGTH:
        longer = ("long", "nightly")
        items[:] = [item for item in items if not any(map(item.get_closest_marker, longer))]


def pytest_collection_finish() -> None:
    """Thousands of tests that stay until the end need not be looked through by each collection,
    and one needs to happen less often than in a program of usual size."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the machine's: no key, no agent's or git's variables, not even its HOME."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name not in _KEPT and not name.startswith(_KEPT_PREFIXES):
                patch.delenv(name)
        patch.setenv("LC_ALL", "C.UTF-8")
        _settle_in(patch, tmp_path_factory.mktemp("session-home"))
        yield


def _folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A new folder. pytest's own way lists all earlier ones for each, the longer the more."""
    path = factory.getbasetemp() / f"{name}-{next(_numbers)}"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _folder(tmp_path_factory, re.sub(r"\W", "_", request.node.name)[:30])


@pytest.fixture(autouse=True)
def guard(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guard]:
    """H1: a HOME for this test alone; afterwards the user's bytes are compared."""
    home = _folder(tmp_path_factory, "home")
    _settle_in(monkeypatch, home)
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    watched = Guard()
    watched.watch_home(home)
    yield watched
    changes = watched.changes()
    if changes:
        listed = "\n  ".join(changes)
        pytest.fail(f"what belongs to the user has changed:\n  {listed}", pytrace=False)


def _settle_in(patch: pytest.MonkeyPatch, home: Path) -> None:
    if DATABASE:
        patch.setenv("SPARING_STATE__DATABASE", DATABASE)
    folders = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_RUNTIME_DIR": home / ".run",
    }
    for name, folder in folders.items():
        patch.setenv(name, str(folder))


@pytest.fixture
def user_repository(guard: Guard, tmp_path: Path) -> UserRepository:
    """Hands out repositories in the middle of someone's day, and watches them."""
    made: list[Path] = []

    def make(files: Mapping[str, str | bytes] | None = None) -> Path:
        path = make_user_repository(tmp_path / f"repository-{len(made) + 1}", files)
        made.append(path)
        return guard.watch(path)

    return make
