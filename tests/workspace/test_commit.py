"""Commits by plumbing: same input, same id; nothing of the user's is touched.

Covers: H1, H3, C5
"""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from sparing.change import Change, FileChange
from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_files, changed_paths, commit_paths
from sparing.workspace.git.objects import CommitStamp, move_ref
from sparing.workspace.git.runner import Git
from tests.conftest import UserRepository
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import AT, BRANCH, commit, files_of, make_worktree


def test_a_commit_has_fixed_identity_dates_and_trailers(user_repository: UserRepository) -> None:
    """H3"""
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"new.py": "x = 1\n"})
    change = commit_paths(
        worktree, worktree.tip(), ["new.py"], CommitStamp("Write it", "r1", "s1", AT)
    )
    assert changed_files(worktree.repository, change.parent, change.commit) == (
        FileChange("new.py", 1, 0),
    )
    text = git(worktree.path, "cat-file", "commit", change.commit)
    assert text.split("\n", 2)[2] == (
        "author Sparing <sparing@localhost> 1700000500 +0000\n"
        "committer Sparing <sparing@localhost> 1700000500 +0000\n"
        "\nWrite it\n\nRun-Id: r1\nStep-Id: s1"
    )
    assert git(worktree.path, "rev-parse", BRANCH) == change.commit
    assert git(worktree.path, "status", "--porcelain") == ""


def test_equal_input_gives_the_same_id_in_another_place(tmp_path: Path) -> None:
    """H3"""
    ids: set[str] = set()
    for name in ("one", "two"):
        worktree = make_worktree(make_repository(tmp_path / name / "repository"))
        write_files(worktree.path, {"a.txt": "a\n", "b/c.txt": "c\n"})
        ids.add(commit(worktree).commit)
    assert len(ids) == 1


def test_a_step_played_again_finds_its_commit(user_repository: UserRepository) -> None:
    """H3: also after later commits, which stay where they are."""
    worktree = make_worktree(user_repository())
    base = worktree.tip()
    write_files(worktree.path, {"a.txt": "a\n"})
    first = commit(worktree, parent=base)
    assert commit(worktree, parent=base) == first
    write_files(worktree.path, {"a.txt": "later\n"})
    second = commit(worktree, step="s2")
    assert commit(worktree, parent=base) == first
    assert worktree.tip() == second.commit


def test_nothing_changed_is_no_commit(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    tip = worktree.tip()
    assert commit(worktree) == Change(tip, tip)
    # Written again with the same bytes: new times, no change.
    write_files(worktree.path, {"README.md": "# Sample\n"})
    assert commit(worktree) == Change(tip, tip)


def test_only_the_files_named_are_committed(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"docs/spec.md": "1\n", "docs/more/a.md": "2\n", "src/x.py": "3\n"})
    change = commit(worktree, "docs")
    assert files_of(worktree, change) == ["docs/more/a.md", "docs/spec.md"]
    assert changed_paths(worktree, change.commit) == ("src/x.py",)
    assert git(worktree.path, "status", "--porcelain") == "?? src/x.py"


def test_changed_paths_sees_new_changed_and_deleted_but_not_ignored_files(
    user_repository: UserRepository,
) -> None:
    """C5"""
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"src/app.py": "", "new file.py": "", "x.log": "", "scratch/a": ""})
    (worktree.path / "README.md").unlink()
    found = changed_paths(worktree, worktree.tip())
    assert found == ("README.md", "new file.py", "src/app.py")


def test_all_kinds_of_change_get_into_the_commit(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    root = worktree.path
    (root / "README.md").unlink()
    (root / "run.sh").chmod(0o644)
    (root / "src" / "app.py").chmod(0o755)
    shutil.rmtree(root / ".gitignore", ignore_errors=True)
    (root / "src" / "second.py").unlink()
    write_files(root, {"src/second.py/inner.py": "a folder now\n", "bytes.bin": b"\0\xff"})
    (root / "link").symlink_to("src/app.py")
    change = commit(worktree)
    listed = git(root, "ls-tree", "-r", change.commit).splitlines()
    modes = {line.split("\t")[1]: line.split()[0] for line in listed}
    assert modes == {
        ".gitignore": "100644",
        "bytes.bin": "100644",
        "link": "120000",
        "run.sh": "100644",
        "src/app.py": "100755",
        "src/second.py/inner.py": "100644",
    }
    assert git(root, "status", "--porcelain") == ""


def test_a_folder_that_became_a_link_is_committed_as_a_link(tmp_path: Path) -> None:
    worktree = make_worktree(make_repository(tmp_path / "r", {"a/x": "1\n", "b/x": "1\n"}))
    shutil.rmtree(worktree.path / "a")
    (worktree.path / "a").symlink_to("b")
    commit(worktree)
    assert git(worktree.path, "ls-tree", "--name-only", "-r", "HEAD") == "a\nb/x"


def test_an_ignored_file_that_is_named_is_refused(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"build/spec.md": "artifact\n"})
    with pytest.raises(RepositoryError, match=r"build/spec\.md is ignored"):
        commit(worktree, "build/spec.md")
    assert commit(worktree, "build").empty


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../outside", "src/../../..", ".git/config", ".git"]
)
def test_a_link_that_leaves_the_project_is_refused(
    user_repository: UserRepository, target: str
) -> None:
    """H4"""
    worktree = make_worktree(user_repository())
    (worktree.path / "link").symlink_to(target)
    with pytest.raises(RepositoryError, match="link out of the project"):
        commit(worktree)
    assert worktree.tip() == git(worktree.path, "rev-parse", "main")


def test_a_repository_inside_is_refused(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    make_repository(worktree.path / "inner")
    with pytest.raises(RepositoryError, match="inner is a repository itself"):
        commit(worktree)


@pytest.mark.parametrize("name", [b"caf\xe9.txt", b"new\nline", "a\u202eb".encode()])
def test_a_name_that_hides_something_is_refused(
    user_repository: UserRepository, name: bytes
) -> None:
    worktree = make_worktree(user_repository())
    (worktree.path / os.fsdecode(name)).write_text("x")
    with pytest.raises(RepositoryError, match="invisible characters"):
        commit(worktree)


def test_a_pipe_in_place_of_a_file_is_refused(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    (worktree.path / "README.md").unlink()
    os.mkfifo(worktree.path / "README.md")
    with pytest.raises(RepositoryError, match=r"README\.md is not a regular file"):
        commit(worktree)


def test_a_file_that_needs_a_filter_we_do_not_know_is_refused(tmp_path: Path) -> None:
    """Its bytes would be wrong: think of a filter that encrypts."""
    files = {".gitattributes": "*.key filter=crypt\n*.lock -filter\n"}
    worktree = make_worktree(make_repository(tmp_path / "r", files))
    write_files(worktree.path, {"x.lock": "fine\n"})
    commit(worktree)
    write_files(worktree.path, {"a.key": "plain\n"})
    with pytest.raises(RepositoryError, match=r"a\.key needs the git filter 'crypt'"):
        commit(worktree)


@pytest.mark.parametrize(
    ("setting", "attributes"),
    [("core.autocrlf=true", ""), ("core.autocrlf=input", ""), ("core.eol=lf", "* text=auto\n")],
)
def test_line_ends_are_stored_as_the_repository_wants(
    tmp_path: Path, setting: str, attributes: str
) -> None:
    checkout = make_repository(tmp_path / "r", {"a.txt": "a\n", ".gitattributes": attributes})
    git(checkout, "config", *setting.split("="))
    worktree = make_worktree(checkout)
    with_cr = setting == "core.autocrlf=true"
    assert (worktree.path / "a.txt").read_bytes() == (b"a\r\n" if with_cr else b"a\n")
    assert changed_paths(worktree, worktree.tip()) == ()
    write_files(worktree.path, {"b.txt": "b\r\nb\r\n"})
    commit(worktree)
    assert git(worktree.path, "cat-file", "-s", "HEAD:b.txt") == "4"


def test_a_branch_that_moved_is_left_alone_and_our_work_is_kept(
    user_repository: UserRepository,
) -> None:
    worktree = make_worktree(user_repository())
    base = worktree.tip()
    write_files(worktree.path, {"a.txt": "a\n"})
    git(worktree.path, "update-ref", f"refs/heads/{BRANCH}", "main~1")
    with pytest.raises(RepositoryError) as caught:
        commit(worktree, parent=base)
    assert base[:10] in caught.value.what
    assert git(worktree.path, "rev-parse", BRANCH) == git(worktree.path, "rev-parse", "main~1")
    kept = caught.value.what.rpartition(" ")[2]
    assert git(worktree.path, "show", f"{kept}:a.txt") == "a"


def test_a_branch_that_is_gone_is_said_so(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    git(worktree.path, "update-ref", "-d", f"refs/heads/{BRANCH}")
    with pytest.raises(RepositoryError, match=f"the branch {BRANCH} is gone"):
        commit(worktree, parent="main")


def test_locks_of_a_dead_process_and_a_broken_index_do_no_harm(
    user_repository: UserRepository,
) -> None:
    """Only our own index: the user's locks are never removed."""
    worktree = make_worktree(user_repository())
    index = worktree.git().index
    assert index is not None
    write_files(worktree.path, {"a.txt": "a\n"})
    index.with_name(f"{index.name}.lock").touch()
    index.write_bytes(b"broken")
    assert files_of(worktree, commit(worktree)) == ["a.txt"]


def test_the_users_lock_is_waited_for_and_named(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    lock = worktree.repository.git_dir / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()
    impatient = Git(worktree.git_dir, worktree.path, lock_seconds=0.2)
    with pytest.raises(RepositoryError, match=f"another git process holds {lock}"):
        move_ref(impatient, worktree.ref, git(worktree.path, "rev-parse", "main~1"), worktree.tip())
    assert lock.exists()
    threading.Timer(0.4, lock.unlink).start()
    write_files(worktree.path, {"a.txt": "a\n"})
    assert not commit(worktree).empty


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "src/../../x"])
def test_a_path_that_leaves_the_worktree_is_refused(
    user_repository: UserRepository, path: str
) -> None:
    """H4"""
    worktree = make_worktree(user_repository())
    with pytest.raises(RepositoryError, match="it leaves the folder"):
        commit(worktree, path)
