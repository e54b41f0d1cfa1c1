"""The guard around every test can fail: each thing that belongs to the user, changed once.

Covers: H1
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.guard import Guard, differences, snapshot_repository
from tests.repositories import git, make_repository, make_user_repository, write_files

INNER = """
from pathlib import Path
from tests.repositories import git, write_files

def test_harmless(user_repository):
    git(user_repository(), "branch", "feature/001-x")

def test_that_writes(user_repository):
    write_files(user_repository(), {"README.md": "changed"})

def test_that_writes_at_home():
    (Path.home() / ".bashrc").write_text("x")

def test_that_may(user_repository, guard):
    repository = user_repository()
    guard.expect(repository, "checkout/README.md")
    write_files(repository, {"README.md": "changed"})

def test_that_may_but_does_not(user_repository, guard):
    guard.expect(user_repository(), "checkout/README.md")
"""


def test_a_test_that_touches_the_users_bytes_fails(pytester: pytest.Pytester) -> None:
    """H1: seen from outside, in a run of its own."""
    pytester.makeconftest("from tests.conftest import guard, user_repository")
    pytester.makepyfile(INNER)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    # The test itself passes; the error is that of the fixture behind it.
    result.assert_outcomes(passed=5, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "*changed checkout/README.md",
            "*added HOME/.bashrc",
            "*expected a change of checkout/README.md, none came",
        ]
    )


CHANGES: dict[str, Callable[[Path], object]] = {
    "changed checkout/notes.txt": lambda r: write_files(r, {"notes.txt": "x"}),
    "added checkout/new": lambda r: write_files(r, {"new": "x"}),
    "removed checkout/debug.log": lambda r: (r / "debug.log").unlink(),
    "changed checkout/run.sh": lambda r: (r / "run.sh").chmod(0o700),
    "changed .git/index": lambda r: git(r, "add", "notes.txt"),
    "removed .git/refs/stash": lambda r: git(r, "stash", "drop"),
    "changed .git/refs/heads/main": lambda r: git(r, "update-ref", "refs/heads/main", "HEAD~1"),
    "removed .git/refs/heads/idea": lambda r: git(r, "branch", "-D", "idea"),
    "removed .git/refs/tags/v1": lambda r: git(r, "tag", "-d", "v1"),
    "added .git/refs/heads/stray": lambda r: git(r, "branch", "stray"),
    "changed .git/HEAD": lambda r: git(r, "symbolic-ref", "HEAD", "refs/heads/idea"),
    "changed .git/config": lambda r: git(r, "config", "a.b", "c"),
    "changed .git/info/exclude": lambda r: write_files(r, {".git/info/exclude": ""}),
    "added .git/hooks/pre-commit": lambda r: write_files(r, {".git/hooks/pre-commit": ""}),
    "added .git/packed-refs": lambda r: git(r, "pack-refs", "--all"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_seen(tmp_path: Path, change: str) -> None:
    repository = make_user_repository(tmp_path / "r")
    before = snapshot_repository(repository)
    CHANGES[change](repository)
    assert change in differences(before, snapshot_repository(repository))


def test_what_is_ours_may_change(tmp_path: Path) -> None:
    repository = make_user_repository(tmp_path / "r")
    before = snapshot_repository(repository)
    git(repository, "branch", "feature/001-x")
    git(repository, "update-ref", "refs/sparing/salvage/a", "HEAD")
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "w"), "feature/001-x")
    assert differences(before, snapshot_repository(repository)) == []


def test_home_and_environment_are_private(guard: Guard, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    assert list(guard.homes) == [home]
    assert Path(os.environ["XDG_STATE_HOME"]).is_relative_to(home)
    assert not [name for name in os.environ if name.startswith(("GIT_", "ANTHROPIC", "OPENAI"))]
    (home / ".local/state/sparing").mkdir(parents=True)
    (home / ".local/state/sparing/db").touch()
    assert guard.changes() == []


def test_the_same_repository_each_time(tmp_path: Path) -> None:
    heads = {
        git(make_repository(tmp_path / name, {"a": "a"}), "rev-parse", "HEAD") for name in "xyz"
    }
    assert len(heads) == 1


def _spent() -> float:
    """By this process and those it has begun; a clock would tell how busy the machine is."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def test_the_guard_is_quick(user_repository: UserRepository) -> None:
    """20 ms of a processor a test; the best of five, because other tests run beside."""
    repository = user_repository()
    times: list[float] = []
    for _ in range(5):
        start = _spent()
        snapshot_repository(repository)
        times.append(_spent() - start)
    assert min(times) < 0.02
