"""Each way to make git run a program is planted; our normal work never runs it.

Covers: H2
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.commit import changed_files, changed_paths, diff, read_file, tree_of
from sparing.workspace.git import Git, GitFailed
from sparing.workspace.gitconfig import Setting
from sparing.workspace.handover import Handover, hand_over
from sparing.workspace.repository import (
    Repository,
    find_repository,
    head,
    is_dirty,
    resolve_base,
    taken_numbers,
)
from sparing.workspace.worktree import Worktree, ensure_worktree, restore
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import AT, BRANCH, commit, make_worktree
from tests.workspace.vectors import VECTORS, Site, Vector, make_site

SOURCE = Path(__file__).resolve().parents[2] / "src" / "sparing"


def read(repo: Repository) -> None:
    """All that we only look at."""
    head(repo)
    is_dirty(repo)
    resolve_base(repo, "")
    taken_numbers(repo, "docs/features")


def tamper(site: Site, worktree: Worktree) -> None:
    """What an agent can do in its worktree while it works."""
    evil = site.checkout.parent / "evil"
    if evil.exists():
        write_files(worktree.path, {".git": f"gitdir: {evil / '.git'}\n"})
    os.utime(worktree.path / "README.md", (1, 1))


def work(site: Site) -> Handover:
    """Everything the product does with a repository, from start to hand-over."""
    repo = find_repository(site.checkout)
    read(repo)
    worktree = make_worktree(site.checkout)
    tamper(site, worktree)
    write_files(worktree.path, {"half.txt": "half\n"})
    restore(worktree, worktree.tip(), "s")
    tamper(site, worktree)
    base = worktree.tip()
    write_files(worktree.path, {"README.md": "# Feature\n", "new.md": "new\n"})
    assert changed_paths(worktree, base) == ("README.md", "new.md")
    tree_of(worktree)
    change = commit(worktree)
    assert diff(repo, base, change.commit).count("+# Feature\n") == 1
    assert len(changed_files(repo, base, change.commit)) == 2
    assert read_file(repo, change.commit, "new.md") == b"new\n"
    without = hand_over(repo, "main", BRANCH, False, "merge", "r", AT)
    assert not without.merged
    return hand_over(repo, "main", BRANCH, True, "merge", "r", AT)


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_plain_git_runs_it(tmp_path: Path, vector: Vector) -> None:
    """Else the test below would prove nothing."""
    site = make_site(tmp_path)
    vector.plant(site)
    vector.fire(site)
    assert site.mark.exists()


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_our_work_never_runs_it(tmp_path: Path, vector: Vector) -> None:
    """H2"""
    site = make_site(tmp_path)
    vector.plant(site)
    site.mark.unlink(missing_ok=True)
    try:
        done = work(site)
    except RepositoryError as error:
        assert vector.refused
        assert vector.refused in error.what
        assert len(str(error).splitlines()) == 2
    else:
        assert not vector.refused
        assert done.note
    assert not site.mark.exists()
