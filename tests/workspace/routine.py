"""All that the product does with a repository, from start to hand-over, in one call."""

from __future__ import annotations

import os

from sparing.workspace.git.base_branch import resolve_base, taken_numbers
from sparing.workspace.git.commit import changed_files, changed_paths, diff, read_file
from sparing.workspace.git.merge_into_base import Handover, hand_over
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import (
    Repository,
    find_repository,
    head,
    is_dirty,
)
from sparing.workspace.git.worktree import Worktree, restore
from tests.repositories import write_files
from tests.workspace.features import STAMP, commit, make_worktree, merge_of
from tests.workspace.tree_id import tree_of
from tests.workspace.vectors import Site, make_evil_repository


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
    if (worktree.path / "inner").is_dir() and not (worktree.path / "inner" / ".git").exists():
        make_evil_repository(worktree.path / "inner", site.payload)
        site.mark.unlink(missing_ok=True)
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
    without = hand_over(repo, merge_of(worktree), False, STAMP)
    assert not without.merged
    done = hand_over(repo, merge_of(worktree), True, STAMP)
    retire(worktree, done.commit)
    return done
