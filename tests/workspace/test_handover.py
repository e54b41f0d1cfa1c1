"""A finished branch comes home; a checked-out base moves only on consent.

Covers: D6, H1, H3
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.merge_into_base import Handover, hand_over, name_commands
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.worktree import Worktree
from tests.conftest import UserRepository
from tests.guard import Guard
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import AT, BRANCH, commit, make_worktree, merge_of

SUBJECT = "Merge feature 001: it's a demo"
STAMP = CommitStamp(SUBJECT, "r1", "merge", AT)


def finished(checkout: Path, name: str = "feature.txt") -> Worktree:
    worktree = make_worktree(checkout)
    write_files(worktree.path, {name: "done\n"})
    commit(worktree)
    return worktree


def give(worktree: Worktree, consent: bool = False, base: str = "main") -> Handover:
    return hand_over(worktree.repository, merge_of(worktree, base), consent, STAMP)


def test_a_base_that_nobody_stands_on_gets_a_merge_commit(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout)
    git(checkout, "switch", "--quiet", "-c", "elsewhere")
    base = git(checkout, "rev-parse", "main")
    done = give(worktree)
    assert done == Handover(True, git(checkout, "rev-parse", "main"), "merged into main", ())
    parents = git(checkout, "rev-list", "--parents", "-1", "main").split()[1:]
    assert parents == [base, worktree.tip()]
    assert git(checkout, "log", "-1", "--format=%B", "main") == (
        f"{SUBJECT}\n\nRun-Id: r1\nStep-Id: merge"
    )


def test_played_again_it_finds_the_merge(tmp_path: Path) -> None:
    """H3: also when the base has gone on since."""
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout)
    git(checkout, "switch", "--quiet", "-c", "elsewhere")
    first = give(worktree)
    assert give(worktree)[:2] == first[:2]
    git(checkout, "switch", "--quiet", "main")
    commit_files(checkout, {"later": "x"}, "later")
    assert give(worktree, consent=True)[:2] == first[:2]


def test_the_same_merge_has_the_same_id_elsewhere(tmp_path: Path) -> None:
    """H3"""
    commits: set[str] = set()
    for name in ("one", "two"):
        checkout = make_repository(tmp_path / name / "r")
        worktree = finished(checkout)
        commits.add(give(worktree, consent=True).commit)
    assert len(commits) == 1


@pytest.mark.parametrize("dirty", [False, True])
def test_without_consent_a_checked_out_base_stays_and_the_commands_work(
    tmp_path: Path, guard: Guard, dirty: bool
) -> None:
    """D6: the commands are typed here as a user would."""
    checkout = make_repository(tmp_path / "r")
    if dirty:
        write_files(checkout, {"README.md": "dirty\n", "staged.txt": "staged\n"})
        git(checkout, "add", "staged.txt")
    guard.watch(checkout)
    worktree = finished(checkout)
    told = give(worktree)
    assert (told.merged, told.commit) == (False, git(checkout, "rev-parse", "main"))
    assert str(checkout) in told.note
    assert guard.changes() == []
    before = git(checkout, "status", "--porcelain")
    guard.expect(checkout, "checkout/feature.txt", ".git/refs/heads/main", ".git/index")
    subprocess.run(["sh", "-ec", "\n".join(told.commands)], check=True, capture_output=True)
    assert give(worktree).commit == git(checkout, "rev-parse", "main")
    assert git(checkout, "status", "--porcelain") == before


def test_with_consent_a_clean_checkout_is_fast_forwarded(tmp_path: Path, guard: Guard) -> None:
    """D6: exactly the branch, the index and the new file change."""
    checkout = guard.watch(make_repository(tmp_path / "r"))
    git(checkout, "config", "branch.main.mergeOptions", "--squash --autostash")
    worktree = finished(checkout)
    write_files(checkout, {"untracked.txt": "mine\n"})
    guard.watch(checkout)
    guard.expect(checkout, "checkout/feature.txt", ".git/refs/heads/main", ".git/index")
    done = give(worktree, consent=True)
    assert done.merged
    assert git(checkout, "rev-parse", "HEAD") == done.commit
    assert git(checkout, "status", "--porcelain") == "?? untracked.txt"


def test_with_consent_a_dirty_checkout_stays(user_repository: UserRepository) -> None:
    """D6"""
    told = give(finished(user_repository()), consent=True)
    assert not told.merged
    assert "uncommitted changes" in told.note
    assert told.commands[1] == "git stash"


@pytest.mark.parametrize("name", ["mine.txt", "mine.log"])
def test_a_file_of_the_user_in_the_way_is_not_written_over(
    tmp_path: Path, guard: Guard, name: str
) -> None:
    """H1: neither an untracked nor an ignored one, which plain git does write over."""
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout, name)
    write_files(checkout, {name: "precious\n", ".git/info/exclude": "*.log\n"})
    guard.watch(checkout)
    told = give(worktree, consent=True)
    assert not told.merged
    assert name in told.note


def test_a_conflict_stops_cleanly(user_repository: UserRepository, guard: Guard) -> None:
    """D6"""
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"README.md": "# Theirs\n"})
    commit(worktree)
    guard.expect(checkout, ".git/refs/heads/main", "checkout/README.md", ".git/index")
    write_files(checkout, {"README.md": "# Ours\n"})
    git(checkout, "commit", "--quiet", "-m", "ours", "README.md")
    before = git(checkout, "rev-parse", "main")
    told = give(worktree, consent=True)
    assert (told.merged, told.commit) == (False, before)
    assert told.note == f"{BRANCH} and main both changed: README.md"
    assert told.commands[2].startswith("git merge --no-ff -m ")


def test_both_sides_changed_different_files(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout)
    commit_files(checkout, {"other.txt": "x\n"}, "other")
    assert give(worktree, consent=True).merged
    assert (checkout / "other.txt").exists()
    assert (checkout / "feature.txt").exists()


def test_attributes_of_the_base_decide_how_files_merge(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r", {".gitattributes": "LOG merge=union\n", "LOG": ""})
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"LOG": "theirs\n"})
    commit(worktree)
    commit_files(checkout, {"LOG": "ours\n"}, "ours")
    assert give(worktree, consent=True).merged
    assert (checkout / "LOG").read_text() == "ours\ntheirs\n"


def test_a_base_that_is_being_rebased_counts_as_checked_out(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout)
    commit_files(checkout, {"README.md": "ours\n"}, "ours")
    git(checkout, "switch", "--quiet", "-c", "up", "HEAD~1")
    commit_files(checkout, {"README.md": "up\n"}, "up")
    git(checkout, "rebase", "--quiet", "up", "main", ok=False)
    assert (checkout / ".git" / "rebase-merge").is_dir()
    before = git(checkout, "rev-parse", "main")
    assert not give(worktree).merged
    assert not give(worktree, consent=True).merged
    assert git(checkout, "rev-parse", "main") == before


def test_a_base_in_a_linked_worktree_is_found(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    git(checkout, "worktree", "add", "--quiet", "-b", "release", str(tmp_path / "release"))
    worktree = finished(checkout)
    assert not give(worktree, base="release").merged
    assert give(worktree, consent=True, base="release").merged
    assert (tmp_path / "release" / "feature.txt").exists()
    assert git(tmp_path / "release", "status", "--porcelain") == ""


@pytest.mark.parametrize("elsewhere", [False, True])
def test_without_consent_to_anything_only_commands_are_named(
    tmp_path: Path, guard: Guard, elsewhere: bool
) -> None:
    """D6: even a base that nobody has checked out stays; typed by a person, they work."""
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout)
    if elsewhere:
        git(checkout, "switch", "--quiet", "-c", "elsewhere")
    guard.watch(checkout)
    told = name_commands(worktree.repository, merge_of(worktree), STAMP)
    assert (told.merged, told.note) == (False, f"{BRANCH} is ready to be merged into main")
    assert guard.changes() == []
    changes = ("checkout/feature.txt", ".git/refs/heads/main", ".git/index")
    guard.expect(checkout, *changes, *((".git/HEAD",) if elsewhere else ()))
    subprocess.run(["sh", "-ec", "\n".join(told.commands)], check=True, capture_output=True)
    assert name_commands(worktree.repository, merge_of(worktree), STAMP).merged


def test_commands_name_the_files_that_both_changed(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    worktree = finished(checkout, "README.md")
    commit_files(checkout, {"README.md": "# Ours\n"}, "ours")
    told = name_commands(worktree.repository, merge_of(worktree), STAMP)
    assert told.note.endswith("; both changed: README.md")


def test_no_such_branch(tmp_path: Path) -> None:
    worktree = finished(make_repository(tmp_path / "r"))
    with pytest.raises(RepositoryError, match="no branch gone"):
        give(worktree, base="gone")
