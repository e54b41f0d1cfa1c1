"""What the user ignores in all repositories is in no commit of ours either.

Covers: H1, H5
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparing.desk.office import open_office
from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import Repository, confirmed, is_dirty, search_repository
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.setup.excluded_paths import exclude
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import BRANCH, commit, files_of

XDG = {"XDG_CONFIG_HOME": "xdg", "HOME": "home"}
PLACES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "in the usual place": ({"HOME": "home"}, {"home/.config/git/ignore": "*.private\n"}),
    "in the usual place, moved": (XDG, {"xdg/git/ignore": "*.private\n"}),
    "where the settings say": (
        {"HOME": "home"},
        {
            "home/.gitconfig": "[core]\n\texcludesFile = ~/mine\n[alias]\n\tx = !touch fired\n",
            "home/mine": "*.private",
        },
    ),
    "where settings elsewhere say": (
        {"GIT_CONFIG_GLOBAL": "settings", "HOME": "home"},
        {"settings": "[include]\n\tpath = more\n", "more": "[core]\n\texcludesFile = ~/mine\n",
         "home/mine": "*.private\n"},
    ),
}  # fmt: skip


def users(tmp_path: Path, environ: dict[str, str]) -> Repository:
    """The repository of a user whose own settings lie in `tmp_path`."""
    checkout = tmp_path / "r"
    if not checkout.exists():
        make_repository(checkout, {"kept.private": "tracked\n"})
    theirs = {name: str(tmp_path / place) for name, place in environ.items()}
    return confirmed(
        search_repository(checkout), frozenset(), {"GIT_CONFIG_NOSYSTEM": "1", **theirs}
    )


def worktree_of(repo: Repository) -> Worktree:
    path = repo.checkout.parent / "worktrees" / "one"
    return ensure_worktree(repo, path, BRANCH, git(repo.checkout, "rev-parse", "main"))


@pytest.mark.parametrize("place", PLACES)
def test_what_the_user_ignores_everywhere_is_not_committed(tmp_path: Path, place: str) -> None:
    """H1: what git knows already is; what our set-up brought is not, whatever their rules say."""
    environ, files = PLACES[place]
    write_files(tmp_path, files)
    worktree = worktree_of(users(tmp_path, environ))
    exclude(worktree, ["brought"])
    new = {"notes.private": "mine\n", "kept.private": "changed\n", "brought": "", "a.txt": "a\n"}
    write_files(worktree.path, new)
    assert changed_paths(worktree, worktree.tip()) == ("a.txt", "kept.private")
    assert files_of(worktree, commit(worktree)) == ["a.txt", "kept.private"]
    with pytest.raises(RepositoryError) as caught:
        commit(worktree, "notes.private")
    assert caught.value.what == "notes.private is ignored by git, so it can't be committed"
    assert (worktree.path / "notes.private").read_text() == "mine\n"


def test_rules_of_the_user_that_change_count_at_once(tmp_path: Path) -> None:
    """Also those that would bring back what ours hide."""
    rules = tmp_path / "home/.config/git/ignore"
    worktree = worktree_of(users(tmp_path, {"HOME": "home"}))
    exclude(worktree, ["brought"])
    write_files(worktree.path, {"notes.private": "", "brought": ""})
    seen = [changed_paths(worktree, worktree.tip())]
    for text in ("*.private\n", "!brought\n"):
        write_files(tmp_path, {"home/.config/git/ignore": text})
        seen.append(changed_paths(worktree, worktree.tip()))
    rules.unlink()
    os.mkfifo(rules)
    seen.append(changed_paths(worktree, worktree.tip()))
    assert seen == [("notes.private",), (), ("notes.private",), ("notes.private",)]


def test_settings_of_the_user_that_can_not_be_read(tmp_path: Path) -> None:
    """Nothing is guessed: a file that they ignore might get in."""
    write_files(tmp_path, {"home/.gitconfig": "[core\n"})
    with pytest.raises(RepositoryError) as caught:
        users(tmp_path, {"HOME": "home"})
    assert caught.value.what.startswith("git can't read your settings: ")


def test_every_door_knows_the_users_rules_and_leaves_no_lock_in_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H1: in `.git` there is our worktree and branch while we work, and no other file of ours."""
    checkout = make_repository(tmp_path / "r")
    write_files(tmp_path, {"home/.config/git/ignore": "*.private\n", "r/a.private": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    repo = open_office(checkout).repository
    assert not is_dirty(repo)
    before = {path.name for path in (checkout / ".git").iterdir()}
    worktree = worktree_of(repo)
    write_files(worktree.path, {"a.private": "a\n"})
    assert changed_paths(worktree, worktree.tip()) == ()
    assert retire(worktree, worktree.tip()) == ""
    after = {path.name for path in (checkout / ".git").iterdir()}
    assert after - before <= {"worktrees", "logs"}
    assert repo.lock.is_file()
    assert not repo.lock.is_relative_to(checkout)
