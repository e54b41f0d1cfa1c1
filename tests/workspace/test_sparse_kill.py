"""kill -9 while a sparse worktree is made, before its first commit: the next start ends the same.

Covers: H1, I1, K2
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.workspace.git.worktree import Worktree
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit
from tests.workspace.test_sparse import FILES, PART, is_clean, made, on_disk, tree

pytestmark = pytest.mark.nightly

FEWEST_CALLS = 5
MOST_CALLS = 40
GIT = """#!/bin/sh
echo x >> {count}
[ "$(wc -l < {count})" -ne {number} ] || [ {after} = yes ] || kill -9 $PPID
{program} "$@"
code=$?
[ "$(wc -l < {count})" -ne {number} ] || kill -9 $PPID
exit $code
"""
MAKE = """
import sys
from pathlib import Path
from tests.workspace.test_sparse import made
made(Path(sys.argv[1]))
"""


def killed(folder: Path, checkout: Path, number: int, *, after: bool) -> int:
    """Makes the worktree in a process that dies with its n-th call of git, before or after it."""
    programs = folder / f"programs-{number}-{after}"
    programs.mkdir()
    text = GIT.format(
        count=programs / "count", number=number, after="yes" if after else "no",
        program=shutil.which("git"),
    )  # fmt: skip
    (programs / "git").write_text(text)
    (programs / "git").chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    line = (sys.executable, "-c", MAKE, str(checkout))
    root = Path(__file__).parents[2]
    return subprocess.run(line, cwd=root, env=environ, check=False).returncode


def assert_whole(worktree: Worktree) -> None:
    assert on_disk(worktree.path) == set(PART)
    assert is_clean(worktree)
    write_files(worktree.path, {"packages/api/new.py": "n\n"})
    commit(worktree)
    assert tree(worktree) == {**FILES, "packages/api/new.py": "n\n"}


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_call_of_git(tmp_path: Path, after: bool) -> None:
    """H1, I1: nothing looks deleted, and the first commit has all files."""
    for number in range(1, MOST_CALLS):
        folder = tmp_path / str(number)
        checkout = make_repository(folder / "r", FILES)
        before = seen_by_user(checkout)
        ended = killed(folder, checkout, number, after=after)
        assert_whole(made(checkout))
        assert seen_by_user(checkout) == before
        if ended == 0:
            assert number > FEWEST_CALLS
            return
        assert ended == -signal.SIGKILL
    pytest.fail(f"git is called more than {MOST_CALLS} times")


def seen_by_user(checkout: Path) -> tuple[str, ...]:
    asked = (("status", "--porcelain"), ("rev-parse", "HEAD", "main"))
    return tuple(git(checkout, *words) for words in asked)
