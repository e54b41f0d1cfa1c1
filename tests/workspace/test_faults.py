"""Faults around the user's repository, one test a row of the fault matrix (docs/repository.md).

Expected each time: no byte of the user's is lost, no second commit, two lines that say what is
wrong and what repairs it, and after the repair the work goes on to the same commit.

Covers: H1, H3
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths, read_file
from sparing.workspace.git.merge_into_base import hand_over
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from tests.conftest import UserRepository
from tests.disks import on_a_small_disk
from tests.guard import Guard
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import BRANCH, STAMP, commit, files_of, make_worktree, merge_of


def salvage(worktree: Worktree) -> dict[str, str]:
    listed = git(worktree.repository.checkout, "for-each-ref", "refs/sparing/salvage")
    return {line.split("\t")[1]: line.split()[0] for line in listed.splitlines()}


def refused(act: Callable[[], object], *words: str) -> RepositoryError:
    with pytest.raises(RepositoryError) as caught:
        act()
    assert len(str(caught.value).splitlines()) == 2
    for word in words:
        assert word in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"])
def test_stale_locks_of_the_user(user_repository: UserRepository, name: str) -> None:
    """Never removed; our own index and refs do not need them."""
    checkout = user_repository()
    lock = checkout / ".git" / name
    lock.touch()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    assert not commit(worktree).empty
    assert lock.exists()


def test_the_users_index_lock_at_hand_over(tmp_path: Path, guard: Guard) -> None:
    """A checked-out base needs the user's index: their lock is waited for, never removed."""
    checkout = make_repository(tmp_path / "r")
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    commit(worktree)
    guard.watch(checkout)
    guard.expect(checkout, "checkout/a.txt", ".git/refs/heads/main", ".git/index")
    lock, gone = checkout / ".git" / "index.lock", checkout / ".git" / "taken-back"
    lock.touch()
    # Fails if anybody else has removed it.
    timer = threading.Timer(0.4, lambda: lock.rename(gone))
    timer.start()
    assert hand_over(worktree.repository, merge_of(worktree), True, STAMP).merged
    timer.join()
    assert gone.exists()


def test_the_user_edits_and_commits_while_an_agent_works(
    user_repository: UserRepository, guard: Guard
) -> None:
    """In their checkout, which the guard holds to the byte, and on the base branch."""
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "ours\n"})
    guard.expect(checkout, "checkout/src/app.py", ".git/refs/heads/main", ".git/index")
    write_files(checkout, {"src/app.py": "theirs\n"})
    git(checkout, "commit", "--quiet", "-m", "theirs", "src/app.py")
    assert files_of(worktree, commit(worktree)) == ["a.txt"]
    assert (checkout / "src/app.py").read_text() == "theirs\n"


def test_the_user_edits_in_the_worktree_while_an_agent_works(tmp_path: Path) -> None:
    """Nobody can tell whose lines they are: they are kept, in the commit of that turn."""
    worktree = make_worktree(make_repository(tmp_path / "r"))
    write_files(worktree.path, {"agents.txt": "agent\n", "mine.txt": "a person\n"})
    change = commit(worktree)
    assert read_file(worktree.repository, change.commit, "mine.txt") == b"a person\n"


def test_branch_moved_behind_us(user_repository: UserRepository) -> None:
    """CAS: both ids are told, the branch stays theirs, ours is kept; put right, the same id."""
    worktree = make_worktree(user_repository())
    base = worktree.tip()
    write_files(worktree.path, {"a.txt": "a\n"})
    git(worktree.path, "update-ref", worktree.ref, "main~1")
    error = refused(lambda: commit(worktree, parent=base), base[:10], "refs/sparing/salvage")
    ((ref, kept),) = salvage(worktree).items()
    assert ref in error.what
    git(worktree.path, "update-ref", worktree.ref, base)
    assert commit(worktree, parent=base).commit == kept


def test_branch_rebased_behind_us(tmp_path: Path) -> None:
    """The next leg stops before any agent is asked; our commits can't be cleaned away."""
    checkout = make_repository(tmp_path / "r")
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    ours = commit(worktree).commit
    commit_files(checkout, {"later.txt": "later\n"}, "later")
    git(worktree.path, "rebase", "--quiet", "main")
    theirs = git(worktree.path, "rev-parse", BRANCH)
    assert theirs != ours
    error = refused(
        lambda: ensure_worktree(worktree.repository, worktree.path, BRANCH, ours),
        theirs[:10],
        ours[:10],
    )
    assert ours in salvage(worktree).values()
    assert "sparing resume" in error.repair


def test_branch_deleted_behind_us(tmp_path: Path) -> None:
    """Said while a step runs; made again, at our last commit, when the feature goes on."""
    checkout = make_repository(tmp_path / "r")
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    ours = commit(worktree).commit
    write_files(worktree.path, {"b.txt": "b\n"})
    git(checkout, "update-ref", "-d", worktree.ref)
    refused(lambda: commit(worktree, parent=ours), f"the branch {BRANCH} is gone", "sparing resume")
    again = ensure_worktree(worktree.repository, worktree.path, BRANCH, ours)
    assert again.tip() == ours
    assert changed_paths(again, ours) == ("b.txt",)


@pytest.mark.parametrize("fault", ["deleted", "moved", ".git changed", "unregistered"])
def test_worktree_deleted_moved_or_turned(tmp_path: Path, fault: str) -> None:
    """Found again or made again from the last commit; other entries of the user stay."""
    checkout = make_repository(tmp_path / "r")
    git(checkout, "worktree", "add", "--quiet", "-b", "mine", str(tmp_path / "mine"))
    shutil.rmtree(tmp_path / "mine")
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    ours = commit(worktree).commit
    match fault:
        case "deleted":
            shutil.rmtree(worktree.path)
        case "moved":
            worktree.path.rename(tmp_path / "elsewhere")
        case ".git changed":
            write_files(worktree.path, {".git": "gitdir: /nowhere\n"})
        case _:
            shutil.rmtree(worktree.git_dir)
    again = ensure_worktree(worktree.repository, worktree.path, BRANCH, ours)
    assert (again.path / "a.txt").read_text() == "a\n"
    assert changed_paths(again, ours) == ()
    assert str(tmp_path / "mine") in git(checkout, "worktree", "list")
    assert fault != "moved" or (tmp_path / "elsewhere" / "a.txt").exists()


def test_repository_moved_or_deleted(tmp_path: Path) -> None:
    """A clear error; put back, everything goes on."""
    checkout = make_repository(tmp_path / "r")
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    base = worktree.tip()
    checkout.rename(tmp_path / "away")
    refused(lambda: commit(worktree, parent=base), "gone")
    (tmp_path / "away").rename(checkout)
    assert not commit(worktree, parent=base).empty


FULL = """
sys.path[:0] = json.loads(os.environ["PLACES"])
from sparing.errors import SparingError
from sparing.workspace.git.commit import changed_paths
from tests.repositories import make_repository, write_files
from tests.workspace.features import commit, make_worktree

worktree = make_worktree(make_repository(folder / "r"))
base = worktree.tip()
write_files(worktree.path, {"a.txt": "a" * 9000, "b/c.txt": "c"})
squeeze()
try:
    commit(worktree, parent=base)
except SparingError as error:
    print(type(error).__name__, error.what, error.repair, sep="|")
relieve()
assert worktree.tip() == base
print(changed_paths(worktree, base), commit(worktree, parent=base).commit)
if os.environ["DISK"] == "full":
    subprocess.run(("mount", "-o", "remount,ro", str(folder)), check=True)
    try:
        commit(worktree)
    except SparingError as error:
        print(error)
"""


def test_disk_full_or_read_only_at_a_commit(tmp_path: Path) -> None:
    """Two lines; with room again the same commit as if nothing had happened."""
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "disk").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLACES", json.dumps([str(root), str(root / "src")]))
        ended = on_a_small_disk(tmp_path / "disk", "import json, subprocess\n" + FULL)
    assert ended.code == 0, ended.err
    said, after, *closed = ended.out.splitlines()
    kind, what, repair = said.split("|")
    assert (kind, what.partition(":")[0]) == ("StateError", "the disk is full")
    assert repair == "free some space, then run the same command again"
    if ended.real:
        assert closed[0].endswith("can't be written: Read-only file system")
        assert len(closed) == 2
    worktree = make_worktree(make_repository(tmp_path / "other" / "r"))
    write_files(worktree.path, {"a.txt": "a" * 9000, "b/c.txt": "c"})
    assert after == f"('a.txt', 'b/c.txt') {commit(worktree).commit}"


def test_every_test_that_the_page_names_is_there() -> None:
    """K4: the table of faults says what is covered by what."""
    root = Path(__file__).resolve().parents[2]
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", (root / "docs" / "repository.md").read_text())
    assert len(named) >= 20
    assert [n for n in named if f"def {n[1]}(" not in (root / n[0]).read_text()] == []
