"""What an agent sees of the repository: its own branch, and nothing that anybody else left there.

Covers: H11
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.workspace.git.own_git import folder_of, own_git, remove_unused
from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy
from tests.repositories import git, make_repository, write_files
from tests.workspace.launched import PATH, Ended, Place, sh

SECRET = "what-nobody-else-may-read"


class Scene(NamedTuple):
    place: Place
    worktree: Worktree

    @property
    def stores(self) -> Path:
        return self.place.root / "histories"

    def run(self, script: str, access: SandboxAccess = SandboxAccess.AUTHOR) -> Ended:
        view = own_git(self.worktree, self.stores)
        policy = SandboxPolicy(access, self.worktree.path, {"PATH": PATH}, git=view)
        return sh(self.place, policy, script)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


def make_scene(tmp_path: Path) -> Scene:
    """A repository with a stash, another branch, a lost object, a tag and a login."""
    main = make_repository(tmp_path / "main", {"app.py": "APP = 1\n"})
    git(main, "remote", "add", "origin", f"https://ada:{SECRET}@example.org/a.git")
    git(main, "tag", "-a", "-m", SECRET, "v1")
    (main / "app.py").write_text(f"APP = '{SECRET} stashed'\n")
    git(main, "stash")
    git(main, "checkout", "-q", "-b", "other")
    (main / "other.py").write_text(f"'{SECRET} elsewhere'\n")
    git(main, "add", "-A")
    git(main, "commit", "-qm", f"{SECRET} on another branch")
    git(main, "checkout", "-q", "main")
    git(main, "notes", "add", "-m", SECRET)
    files = ("rr-cache/a/preimage", "FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "modules/x/config")
    write_files(main, {f".git/{name}": SECRET for name in files})
    (main / "lost").write_text(SECRET)
    git(main, "hash-object", "-w", "lost")
    (main / "lost").unlink()
    path = tmp_path / "worktrees" / "001-a"
    commit = git(main, "rev-parse", "HEAD").strip()
    worktree = ensure_worktree(find_repository(main), path, "feature/001-a", commit)
    write_files(main, {"staged.py": f"'{SECRET} staged'\n"})
    git(main, "add", "staged.py")
    return Scene(Place(tmp_path, main, path, tmp_path / "scratch"), worktree)


ATTEMPTS = (
    "git cat-file --batch-all-objects --batch | cat -v",
    "git stash list; git stash show -p",
    "git log --all -p; git reflog --all",
    "git for-each-ref; git tag -n; git branch -a",
    "git config --list; git remote -v; cat $(git rev-parse --git-dir)/config",
    "git fsck --lost-found; git fsck --unreachable",
    "cat $(git rev-parse --git-common-dir)/../*/config",
    "for one in $(cat .git | cut -c9-)/objects/info/alternates; do cat $one; done",
    "cat {main}/.git/config; ls {main}/.git; git --git-dir={main}/.git log --all -p",
    "git --git-dir={main}/.git cat-file --batch-all-objects --batch | cat -v",
    "grep -ra what-nobody {main}/.git",
    "git clone -q {main} $TMPDIR/copy; git -C $TMPDIR/copy log --all -p",
    "git fetch {main} 'refs/*:refs/x/*'; git log --all -p",
    "cat $(git rev-parse --git-dir)/../../*/rr-cache/*/* {main}/.git/rr-cache/*/*; git rerere diff",
    "git notes show HEAD; git log --notes -1; git show refs/notes/commits",
    "for one in FETCH_HEAD ORIG_HEAD COMMIT_EDITMSG MERGE_MSG description; do"
    " cat $(git rev-parse --git-path $one); done",
    "git cat-file -p :staged.py; GIT_INDEX_FILE={main}/.git/index git ls-files -s",
    "for one in $(find / -name '*.pack' -not -path '/proc/*' 2>/dev/null); do"
    " git show-index < ${{one%pack}}idx | cut -d' ' -f2 | git cat-file --batch | cat -v; done",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES={main}/.git/objects git cat-file --batch-all-objects --batch"
    " | cat -v",
    "for one in /proc/[0-9]*; do ls -l $one/fd; tr '\\0' '\\n' < $one/environ;"
    " cat $one/root{main}/.git/config $one/cwd/.git/config; done",
    "cat /proc/keys; find / -xdev -type s -exec ls {{}} + 2>/dev/null; ls -R /run /var {main}/..",
    "git credential fill < /dev/null; git submodule foreach true; cat {main}/.git/modules/*/config",
    "env; cat $HOME/.* $XDG_CONFIG_HOME/*/* $SSH_AUTH_SOCK $(dirname {main})/*/* 2>&1",
)


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_of_others_is_seen(scene: Scene, attempt: str) -> None:
    """H11: no stash, no other ref, no object that the branch does not reach, no setting."""
    ended = scene.run(attempt.format(main=scene.place.main))
    assert SECRET not in ended.out + ended.err


@pytest.mark.parametrize("access", list(SandboxAccess))
def test_git_works_for_looking(scene: Scene, access: SandboxAccess) -> None:
    """H11: log, status, diff, show and blame; the program commits."""
    (scene.worktree.path / "app.py").write_text("APP = 2\n")
    (scene.worktree.path / "new.py").write_text("")
    script = (
        "git status --short; git log --format=%s; git diff --stat; git show HEAD:app.py;"
        " git blame -s app.py; git branch; git rev-parse --show-toplevel; git fsck"
    )
    ended = scene.run(script, access)
    assert ended.code == 0, ended
    for words in (" M app.py", "?? new.py", "1 insertion", "APP = 1", "* feature/001-a"):
        assert words in ended.out
    assert "dangling" not in ended.out


def test_the_agent_commits_nothing(scene: Scene) -> None:
    """H11: also not in what it sees."""
    ended = scene.run("git commit -qam x; git update-ref HEAD HEAD~0; git gc; git branch x")
    assert ended.code != 0
    assert git(scene.place.main, "log", "--format=%s", "feature/001-a").strip() == "first commit"


def test_it_follows_the_branch(scene: Scene) -> None:
    """H11: what was committed meanwhile is there the next time, on the history that was packed."""
    assert scene.run("git log --oneline | wc -l").out.strip() == "1"
    git(scene.place.main, "branch", "-f", "kept", "feature/001-a")
    tree = git(scene.place.main, "rev-parse", "feature/001-a^{tree}").strip()
    made = git(scene.place.main, "commit-tree", tree, "-p", "feature/001-a", "-m", "second").strip()
    git(scene.place.main, "update-ref", "refs/heads/feature/001-a", made)
    assert scene.run("git log --format=%s").out == "second\nfirst commit\n"
    histories = [one for one in scene.stores.iterdir() if one.is_dir()]
    assert len(histories) == 1
    remove_unused(scene.stores, scene.worktree.path.parent)
    assert histories[0].is_dir()


def test_history_is_packed_once_and_goes_with_the_last_worktree(scene: Scene) -> None:
    main = scene.place.main
    scene.run("true")
    (main / "app.py").write_text("APP = 3\n")
    git(main, "commit", "-qam", "third")
    commit = git(main, "rev-parse", "HEAD").strip()
    path = scene.worktree.path.with_name("002-b")
    other = Scene(
        scene.place, ensure_worktree(find_repository(main), path, "feature/002-b", commit)
    )
    first, second = (own_git(one, scene.stores) for one in (scene.worktree, other.worktree))
    assert set(first.stores) < set(second.stores)
    assert (
        git(path, "--git-dir", str(second.folder), "log", "--format=%s").split("\n")[0] == "third"
    )
    for one in (scene.worktree.path, path):
        for file in sorted(folder_of(one).rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        folder_of(one).rmdir()
    remove_unused(scene.stores, path.parent)
    assert not [one for one in scene.stores.iterdir() if one.is_dir()]


def test_a_shallow_clone(tmp_path: Path) -> None:
    """H11: what was cut off is missing there, too."""
    whole = tmp_path / "whole"
    whole.mkdir()
    git(whole, "init", "-q", "-b", "main")
    for number in range(3):
        (whole / "app.py").write_text(f"APP = {number}\n")
        git(whole, "add", "-A")
        git(whole, "commit", "-qm", f"commit {number}")
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{whole}", "main")
    main, path = tmp_path / "main", tmp_path / "worktrees" / "001-a"
    commit = git(main, "rev-parse", "HEAD").strip()
    worktree = ensure_worktree(find_repository(main), path, "feature/001-a", commit)
    scene = Scene(Place(tmp_path, main, path, tmp_path / "scratch"), worktree)
    assert scene.run("git log --format=%s; git status --short").out == "commit 2\ncommit 1\n"


def test_the_same_history_is_packed_once(scene: Scene) -> None:
    """Every turn and every check asks for it: only a new commit makes it anew."""
    own_git(scene.worktree, scene.stores)
    before = (folder_of(scene.worktree.path) / "packed-refs").stat().st_ino
    own_git(scene.worktree, scene.stores)
    refs = folder_of(scene.worktree.path) / "packed-refs"
    assert refs.stat().st_ino == before
    git(scene.worktree.path, "commit", "-q", "--allow-empty", "-m", "next")
    own_git(scene.worktree, scene.stores)
    assert refs.read_text().startswith(git(scene.worktree.path, "rev-parse", "HEAD"))
