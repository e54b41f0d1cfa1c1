"""A worktree goes when its work has arrived, and only then.

Covers: H1, H5
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sparing.workspace.git.commit import commit_paths
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.remove_worktree import retire
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import AT, BRANCH, make_worktree


def test_a_worktree_with_work_in_it_is_never_removed(tmp_path: Path) -> None:
    """Unmerged, uncommitted, locked, or with a repository inside: it stays, and says why."""
    checkout = make_repository(
        tmp_path / "r", {"README.md": "#\n", ".gitignore": "*.log\nbuild/\n"}
    )
    worktree = make_worktree(checkout)
    path, base = worktree.path, worktree.tip()
    write_files(path, {"a.txt": "a\n"})
    done = commit_paths(worktree, base, ["a.txt"], CommitStamp("s", "r1", "s1", AT)).commit
    assert "unmerged commits" in retire(worktree, base)
    write_files(path, {"b.txt": "b\n", "README.md": "# Half\n"})
    note = retire(worktree, done)
    assert note.startswith("2 files are uncommitted")
    kept = note.rpartition(" as ")[2].partition(" ")[0]
    assert git(checkout, "show", f"{kept}:b.txt") == "b"
    assert (path / "b.txt").read_text() == "b\n"
    git(path, "checkout", "--quiet", "README.md")
    (path / "b.txt").unlink()
    make_repository(path / "build" / "inner")
    assert "is a repository itself" in retire(worktree, done)
    shutil.rmtree(path / "build")
    git(checkout, "worktree", "lock", str(path))
    assert "locked" in retire(worktree, done)
    git(checkout, "worktree", "unlock", str(path))
    write_files(path, {"x.log": "ignored\n"})
    assert retire(worktree, done) == ""
    assert not path.exists()
    assert retire(worktree, done) == ""
    assert git(checkout, "rev-parse", BRANCH) == done
    assert git(checkout, "worktree", "list").count("\n") == 0


def test_a_secret_that_was_left_is_not_kept_in_a_ref(tmp_path: Path) -> None:
    """H5: the folder stays, so nothing is lost."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    write_files(worktree.path, {"left.txt": "the-known-value-1234567890\n"})
    note = retire(worktree, worktree.tip(), ["the-known-value-1234567890"])
    assert note == f"1 file is uncommitted; the worktree is kept: {worktree.path}"
    assert git(worktree.path, "for-each-ref", "refs/sparing/salvage") == ""
