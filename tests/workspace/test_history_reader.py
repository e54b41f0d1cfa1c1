"""Commits and folders that are read from the git that stays open are what git says they are.

Covers: H1, H2, H3
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparing.workspace.git import runner
from sparing.workspace.git.commit import (
    KeptFiles,
    changed_files,
    changed_outside,
    changed_paths,
    commit_paths,
    list_folder,
)
from sparing.workspace.git.direct import loose_object
from sparing.workspace.git.direct.attributes_files import may_have_attributes
from sparing.workspace.git.direct.history_reader import (
    difference,
    leads_to,
    list_files,
    read_commit,
)
from sparing.workspace.git.direct.tree import read_files
from sparing.workspace.git.kept_turn import as_left, keep_turn
from sparing.workspace.git.object_reader import NoAnswer, kept_open
from sparing.workspace.git.objects import (
    CommitStamp,
    committed_at,
    identity,
    make_commit,
)
from sparing.workspace.git.repository import Repository, contains, find_repository
from sparing.workspace.git.user import GitIdentity
from sparing.workspace.git.worktree import Worktree
from tests.conftest import UserRepository
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import AT, make_worktree

FILES = {"a.txt": "a\n", "b/c/d.txt": "d\n", "b/e.txt": "e\n", "b.txt": "b\n", "é/ü": "u\n"}
STAMP = CommitStamp("Write it", "r1", "s1", AT)
TURN = ("k.g0.1.2.0-write", 1)


@pytest.fixture(params=["sha1", "sha256"])
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    checkout = tmp_path / "repository"
    if request.param == "sha1":
        return find_repository(make_repository(checkout, FILES))
    checkout.mkdir()
    git(checkout, "init", "-q", "-b", "main", "--object-format=sha256")
    write_files(checkout, FILES)
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "first")
    return find_repository(checkout)


def tip(repo: Repository) -> str:
    return git(repo.checkout, "rev-parse", "HEAD")


def next_commit(repo: Repository) -> tuple[str, str]:
    """One file changed, one gone, one more, one that became a folder, one that became a link."""
    old = tip(repo)
    write_files(repo.checkout, {"b/e.txt": "changed\n", "new/x.sh": "x\n"})
    for name in ("b.txt", "a.txt", "b/c/d.txt"):
        (repo.checkout / name).unlink()
    write_files(repo.checkout, {"b.txt/inner": "i\n"})
    (repo.checkout / "a.txt").symlink_to("b/e.txt")
    (repo.checkout / "new" / "x.sh").chmod(0o755)
    git(repo.checkout, "add", "-A")
    git(repo.checkout, "commit", "-q", "-m", "next")
    return old, tip(repo)


def test_files_and_differences_are_those_of_git(repo: Repository) -> None:
    """H1: also with ids of the other length."""
    old, new = next_commit(repo)
    with kept_open():
        found = [f"{e.mode} {e.digest} {path}" for path, e in list_files(repo.git(), new).items()]
        seen = difference(repo.git(), old, new)
        names = list_folder(repo, new, "b"), list_folder(repo, new, "a.txt")
        texts = read_files(repo, new, ["b/e.txt", "a.txt", "b", "none", "b.txt/inner"])
    listing = git(repo.checkout, "-c", "core.quotePath=false", "ls-tree", "-r", new).splitlines()
    assert found == [line.replace("\t", " ").replace(" blob", "") for line in listing]
    assert seen == (("a.txt", "b/e.txt"), ("b.txt", "b/c/d.txt"), ("b.txt/inner", "new/x.sh"))
    assert names == (("e.txt",), ()) == (list_folder(repo, new, "b"), list_folder(repo, new, "a"))
    assert texts == read_files(repo, new, ["b/e.txt", "a.txt", "b", "none", "b.txt/inner"])


@pytest.mark.parametrize("folder", ["b", "b/c", "b.txt", "a.txt", "new", "none", "none/below"])
@pytest.mark.parametrize(
    "changed", [{"b/e.txt": "other\n"}, {"b/c/d.txt": "other\n", "b/c/f.txt": "f\n"}, None]
)
def test_changes_outside_of_a_folder_are_those_of_git(
    repo: Repository, folder: str, changed: dict[str, str] | None
) -> None:
    """H1: with and without a git that is kept open, from and to a commit without the folder."""
    if changed is None:
        old, new = next_commit(repo)
    else:
        old = tip(repo)
        write_files(repo.checkout, changed)
        git(repo.checkout, "add", "-A")
        git(repo.checkout, "commit", "-q", "-m", "changed")
        new = tip(repo)
    for one, other in ((old, new), (new, old), (new, new)):
        alone = changed_outside(repo, one, other, folder)
        with kept_open():
            assert changed_outside(repo, one, other, folder) == alone
        everything = changed_files(repo, one, other)
        assert alone == tuple(e for e in everything if not e.path.startswith(f"{folder}/"))


def test_no_git_counts_lines_if_only_the_folder_changed(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H1: as after a stage that writes documents."""
    old = tip(repo)
    write_files(repo.checkout, {"b/c/d.txt": "other\n"})
    git(repo.checkout, "commit", "-q", "-a", "-m", "changed")
    new = tip(repo)
    with kept_open():
        assert contains(repo, new, old)
        monkeypatch.setattr(runner, "start_git", None)
        assert changed_outside(repo, old, new, "b/c") == ()
        with pytest.raises(TypeError):
            changed_outside(repo, old, new, "new")


def test_what_a_commit_contains(repo: Repository) -> None:
    """H1: a yes is certain; whatever is not is left to git."""
    old, new = next_commit(repo)
    git(repo.checkout, "switch", "-q", "-c", "side", old)
    git(repo.checkout, "commit", "-q", "--allow-empty", "-m", "side")
    side = tip(repo)
    pairs = [(new, old), (old, new), (new, side), (new, new), (side, old), (old, "0" * len(old))]
    told = [contains(repo, *pair) for pair in pairs]
    with kept_open():
        assert [leads_to(repo.git(), *pair) for pair in pairs] == told
        assert [contains(repo, *pair) for pair in pairs] == told
        assert read_commit(repo.git(), new).parents == (old,)
        assert committed_at(repo.git(), new) == float(
            git(repo.checkout, "show", "-s", "--format=%ct", new)
        )
    assert told == [True, False, False, True, True, False]
    with pytest.raises(NoAnswer):
        list_files(repo.git(), old)


def test_a_shallow_clone_is_left_to_git(repo: Repository, tmp_path: Path) -> None:
    """H1: there a parent that is named need not be there."""
    old, new = next_commit(repo)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo.checkout}", "shallow")
    with kept_open():
        found = find_repository(tmp_path / "shallow").git()
        assert not leads_to(found, new, old)
        assert not leads_to(found, new, new)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@given(name=WORDS, email=WORDS, text=WORDS, seconds=st.integers(0, 4_000_000_000))
@example(name="Ada L. Byron", email="ada@host.example", text="Subject\n\nBody\n", seconds=0)
@example(name=".x.", email="<a@b>", text="contain a line break", seconds=1)
@example(name="A", email="a,", text="\n\n", seconds=100_000_000)
def test_a_commit_is_the_one_that_git_writes(
    tmp_path_factory: pytest.TempPathFactory, name: str, email: str, text: str, seconds: int
) -> None:
    """H3: to the byte; where that is not certain git itself is asked."""
    place = tmp_path_factory.getbasetemp() / "identities"
    if not place.is_dir():
        make_repository(place)
    repo = find_repository(place)
    tree, parent = (git(place, "rev-parse", one) for one in ("HEAD^{tree}", "HEAD"))
    env = identity(float(seconds), GitIdentity(name.replace("\0", ""), email))
    args = (repo.git(), tree, (parent,), text.encode(), env)
    made = loose_object.write_loose_commit(*args)
    if made is None:
        return
    asked = repo.git().text(
        "commit-tree", tree, "-p", parent, "-F", "-", stdin=text.encode(), env=env
    )
    assert made == asked
    assert git(place, "cat-file", "-t", made) == "commit"


def test_usual_commits_start_no_git(repo: Repository) -> None:
    """H3: the program's own and those of a person with a plain name; one that is there stays."""
    tree = git(repo.checkout, "rev-parse", "HEAD^{tree}")
    for author in (GitIdentity("Sparing", "sparing@localhost"), GitIdentity("Ada L", "a.b@c.de")):
        env = identity(AT, author)
        args = (repo.git(), tree, (tip(repo),), b"Subject\n", env)
        made = loose_object.write_loose_commit(*args)
        assert made is not None
        assert made == loose_object.write_loose_commit(*args)
        place = repo.git_dir / "objects" / made[:2] / made[2:]
        assert place.stat().st_mode & 0o777 == 0o444
        assert git(repo.checkout, "fsck", "--no-dangling") == ""
    git(repo.checkout, "config", "core.sharedRepository", "group")
    args = (repo.git(), tree, (tip(repo),), b"Subject\n", identity(AT))
    assert loose_object.write_loose_commit(*args) is None
    assert make_commit(repo.git(), tree, (tip(repo),), STAMP)


def turn(worktree: Worktree, files: dict[str, str]) -> tuple[str, str]:
    write_files(worktree.path, files)
    head = worktree.tip()
    keep_turn(worktree, head, *TURN, lambda _paths: False)
    return head, as_left(worktree, head, *TURN)


def test_what_was_kept_is_committed_as_a_look_would(user_repository: UserRepository) -> None:
    """H3, I1: the same commit, with what the program wrote since."""
    worktree = make_worktree(user_repository({"old.txt": "old\n", "record": "1\n", "x": "x\n"}))
    (worktree.path / "x").unlink()
    files = {"old.txt": "new\n", "deep/new.txt": "new\n", "record": "by the agent\n"}
    with kept_open():
        head, left = turn(worktree, files)
        kept = KeptFiles(left)
        assert left
        assert changed_paths(worktree, head, kept) == changed_paths(worktree, head)
        write_files(worktree.path, {"record": "2\n"})
        paths, but = changed_paths(worktree, head, kept), KeptFiles(left, ("record",))
        change = commit_paths(worktree, head, paths, STAMP, but)
        git(worktree.path, "update-ref", worktree.ref, head)
        assert commit_paths(worktree, head, paths, STAMP) == change
    assert git(worktree.path, "show", f"{change.commit}:record") == "2"
    assert git(worktree.path, "status", "--porcelain") == ""


@pytest.mark.parametrize("case", ["part", "untracked", "changed since", "filtered"])
def test_where_commits_do_not_tell_files_are_looked_at(
    user_repository: UserRepository, case: str
) -> None:
    """H3: a part of a turn, a record that is not tracked yet, a turn that is not there as kept."""
    worktree = make_worktree(user_repository({"old.txt": "old\n"}))
    with kept_open():
        head, left = turn(worktree, {"old.txt": "new\n", "more.txt": "more\n"})
        if case == "changed since":
            write_files(worktree.path, {"old.txt": "newer\n"})
            assert as_left(worktree, head, *TURN) == ""
            return
        if case == "filtered":
            objects, git_here = worktree.repository.git(), worktree.git()
            assert not may_have_attributes(git_here, objects, head, ["deep/more.txt"])
            write_files(worktree.path, {"deep/.gitattributes": "* filter=x\n"})
            assert may_have_attributes(git_here, objects, head, ["deep/more.txt"])
            assert not may_have_attributes(git_here, objects, head, ["more.txt"])
            return
        write_files(worktree.path, {"record": "1\n"})
        paths = ["old.txt", "record"] if case == "part" else ["old.txt", "more.txt", "record"]
        change = commit_paths(worktree, head, paths, STAMP, KeptFiles(left, ("record",)))
        names = git(worktree.path, "diff", "--name-only", head, change.commit).split()
        assert names == sorted(paths)


def test_attributes_that_only_the_index_knows_count(tmp_path: Path) -> None:
    """H3: a file that was deleted on disk still says how others are converted."""
    files = {"deep/.gitattributes": "* text\n", "a": "a\n"}
    worktree = make_worktree(make_repository(tmp_path / "repository", files))
    os.unlink(worktree.path / "deep" / ".gitattributes")  # noqa: PTH108
    objects, here = worktree.repository.git(), worktree.git()
    with kept_open():
        assert may_have_attributes(here, objects, worktree.tip(), ["deep/x"])
        assert not may_have_attributes(here, objects, worktree.tip(), ["x"])
        git(worktree.path, "config", "core.attributesFile", "/dev/null")
        assert may_have_attributes(here, objects, worktree.tip(), ["x"])
