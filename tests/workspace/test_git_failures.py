"""What a git that failed is told as: two lines where a person can fix it.

Covers: I3, K1
"""

from __future__ import annotations

import subprocess

import pytest

from sparing.errors import RepositoryError, SparingError, StateError
from sparing.workspace.git.runner import GitFailed, failure

LOCK = "fatal: Unable to create '/r/.git/index.lock': File exists.\n"


def told(stderr: str, code: int = 128) -> GitFailed | SparingError:
    done = subprocess.CompletedProcess(("git",), code, b"", stderr.encode())
    return failure(("commit-tree",), done)


@pytest.mark.parametrize(
    ("stderr", "kind", "what", "repair"),
    [
        (LOCK, RepositoryError, "another git process holds /r/.git/index.lock", "rm /r/.git/in"),
        ("error: x: No space left on device\n", StateError, "the disk is full: ", "free some"),
        ("fatal: x: Read-only file system\n", RepositoryError, "git can't write: ", "ls -ld"),
        ("error: x: Permission denied\n", RepositoryError, "git can't write: ", "ls -ld"),
        ("sh: git-lfs: not found\n", RepositoryError, "files are stored with git-lfs", "install"),
        ("fatal: not a git repository: /r\n", RepositoryError, "not a git repos", "move the re"),
        ("fatal: lazy fetching disabled\n", RepositoryError, "the clone is partial", ""),
    ],
)
def test_what_a_person_can_fix(
    stderr: str, kind: type[SparingError], what: str, repair: str
) -> None:
    found = told(stderr)
    assert isinstance(found, kind)
    assert found.what.startswith(what)
    assert repair in found.repair
    assert found.repair


def test_anything_else_is_our_own_fault() -> None:
    found = told("fatal: bad object\n")
    assert isinstance(found, GitFailed)
    assert "bad object" in str(found)
    assert "ended with 3" in str(told("", 3))
