"""A folder and a branch for each feature, apart from the user's checkout.

The folder can vanish, its `.git` file can be changed, a process can die at any point: it is found
again or recreated from the branch. Uncommitted work on disk is never dropped; it is first kept
under a ref. Nothing here removes a worktree: see `retire`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.workspace.checks.worktree_swap import put_back
from sparing.workspace.git import private_index
from sparing.workspace.git.index_entries import add_anyway
from sparing.workspace.git.lock import held
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import (
    NO_COMMIT,
    CommitStamp,
    committed_at,
    keep,
    make_commit,
    move_ref,
    salvage_ref,
    settle_files,
)
from sparing.workspace.git.repository import Repository, branch_commit, contains, find_entry
from sparing.workspace.git.runner import Git, GitFailed, common_dir
from sparing.workspace.git.special_files import free_place, move_beside, note_moved, read_plain
from sparing.workspace.project.paths import Confined
from sparing.workspace.project.sparse_checkout import Cone, read_cone, write_cone


@dataclass(frozen=True, slots=True)
class Worktree:
    repository: Repository
    path: Path
    branch: str

    @property
    def git_dir(self) -> Path:
        entry = find_entry(self.repository, self.path)
        if entry is None and not self.repository.git_dir.is_dir():
            raise RepositoryError(
                f"the repository {self.repository.checkout} is gone",
                "put it back, then: sparing resume",
            )
        if entry is None:
            raise RepositoryError(
                f"the worktree {self.path} is no longer registered",
                "sparing resume recreates it",
            )
        return entry

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def git(self) -> Git:
        """git with its real folder: the `.git` file in the worktree is never trusted."""
        entry = self.git_dir
        repo, index = self.repository, entry / "sparing.index"
        cone = read_cone(entry)
        return Git(entry, self.path, index, repo.trusted, ignores=repo.ignores, cone=cone)

    @contextmanager
    def held(self) -> Generator[Git]:
        git = self.git()
        with held(git.git_dir / "sparing.lock"):
            yield git

    def tip(self) -> str:
        commit = branch_commit(self.repository, self.branch)
        if commit is None:
            raise RepositoryError(
                f"the branch {self.branch} is gone", "to recreate it: sparing resume"
            )
        return commit


def ensure_worktree(
    repo: Repository, path: Path, branch: str, commit: str, cone: Cone = ()
) -> Worktree:
    """Make the branch and its folder, or whichever is missing.

    With a `cone`, a newly made folder holds only that part of the repository.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    put_back(path)
    worktree = Worktree(repo, path, branch)
    with held(repo.lock):
        _ensure_branch(repo, branch, commit)
        entry = find_entry(repo, path)
        if entry is None or not _is_whole(repo, entry):
            _register(worktree, entry)
        _choose_part(worktree, cone)
    # A turn that was killed may have left them.
    put_special_aside(worktree, worktree.tip())
    with worktree.held() as git:
        mend(worktree, git)
        if not (git.git_dir / "index").exists() or is_empty(path):
            private_index.load(git, tip := worktree.tip())
            private_index.fill(git)
            private_index.note_equal(git, tip)
            private_index.publish(git)
    return worktree


def _choose_part(worktree: Worktree, cone: Cone) -> None:
    """Set the cone, unless the worktree's files were written before; then it stays as it is."""
    entry = worktree.git_dir
    if cone and not (entry / "index").exists():
        (entry / "sparing.index").unlink(missing_ok=True)
        write_cone(entry, cone)


def put_special_aside(worktree: Worktree, commit: str) -> None:
    """Move pipes, sockets and devices away, and restore files of the commit that they replaced."""
    moved = move_beside(worktree.path)
    if not moved:
        return
    with worktree.held() as git:
        note_moved(git.git_dir, moved)
        private_index.load(git, commit)
        tracked = {*os.fsdecode(git.run("ls-files", "-z")).split("\0")}
        private_index.write_over(git, [path for path in moved if path in tracked])


def restore(
    worktree: Worktree,
    commit: str,
    salvage: str,
    withhold: Callable[[tuple[str, ...]], object] | None = None,
) -> str | None:
    """Make the files equal to a commit; uncommitted work is kept under the ref returned.

    Ignored files stay. A nested repository is moved beside the folder. Without a name to `salvage`
    under nothing is kept: for files that another commit has. `withhold` is shown the changed files
    first: what it moves away is kept in no commit.
    """
    with worktree.held() as git:
        mend(worktree, git)
        private_index.load(git, commit)
        found = private_index.scan(git)
        if found.on_disk and withhold is not None and withhold(found.on_disk):
            found = private_index.scan(git)
        if not found.paths:
            return _kept_before(worktree.repository, salvage) if salvage else None
        add_anyway(git, found)
        kept = keep_index(git, commit, salvage) if salvage else None
        private_index.load(git, commit)
        for path in found.nested:
            _move_aside(worktree.path / path, worktree.path)
        files = Confined(worktree.path)
        for path in found.untracked:
            files.remove(path)
        private_index.write_over(git, (*found.modified, *found.deleted, *found.special))
        private_index.unpack(git)
        private_index.publish(git)
        return kept


def keep_index(git: Git, commit: str, name: str) -> str:
    date = committed_at(git, commit)
    stamp = CommitStamp("Keep the work of an interrupted turn", name, "salvage", date)
    return keep(git, name, make_commit(git, git.text("write-tree"), (commit,), stamp))


def _kept_before(repo: Repository, name: str) -> str | None:
    ref = salvage_ref(name)
    return ref if object_id(repo.git(), ref) else None


def _ensure_branch(repo: Repository, branch: str, commit: str) -> None:
    tip = branch_commit(repo, branch)
    if tip is None:
        tip = move_ref(repo.checkout_git(), f"refs/heads/{branch}", commit, NO_COMMIT)
    if not tip:
        raise RepositoryError(
            f"the branch {branch} can't be created, because another branch is in the way",
            "git branch --list 'feature*' shows it; rename it with: git branch -m",
        )
    if not contains(repo, tip, commit):
        kept = _held_by_nobody(repo.git(), commit) and keep(repo.git(), branch, commit)
        ours = f", which is kept as {kept}" if kept else ""
        raise RepositoryError(
            f"the branch {branch} is at {tip[:10]} and does not contain {commit[:10]}{ours}",
            f"git branch -m {branch} {branch}-moved, then: sparing resume",
        )


def _held_by_nobody(git: Git, commit: str) -> bool:
    """Whether a commit of ours exists but no ref holds it, so that git would prune it."""
    if git.ask("cat-file", "-e", f"{commit}^{{commit}}").returncode != 0:
        return False
    return not git.text("for-each-ref", "--count=1", f"--contains={commit}")


def _register(worktree: Worktree, broken: Path | None) -> None:
    """Register the folder with git; files that are already in it stay."""
    aside = worktree.path.with_name(f"{worktree.path.name}.found")
    if broken is not None:
        forget(broken)
    if not aside.exists() and not is_empty(worktree.path):
        worktree.path.rename(aside)
    try:
        args = ("--no-checkout", "--no-guess-remote", "--quiet", "--")
        path = str(worktree.path)
        worktree.repository.checkout_git().run("worktree", "add", *args, path, worktree.branch)
    except GitFailed as error:
        raise RepositoryError(
            f"git can't create a worktree for {worktree.branch}: {error.stderr.strip()}",
            "git worktree list shows where the branch is checked out",
        ) from error
    _settle_entry(worktree)
    if aside.exists():
        for entry in sorted(aside.iterdir()):
            if entry.name != ".git":
                entry.rename(worktree.path / entry.name)
        (aside / ".git").unlink(missing_ok=True)
        aside.rmdir()


def _settle_entry(worktree: Worktree) -> None:
    """Sync a worktree's registration to disk, which git does not; a partial one would block us."""
    entry = worktree.git_dir
    settle_files(entry, [file.name for file in entry.iterdir() if file.is_file()])
    settle_files(worktree.path, [".git"])
    settle_files(entry.parent.parent, ["worktrees"])


def forget(entry: Path) -> None:
    """Remove a registration of ours that a dying process left incomplete."""
    for folder, _, names in os.walk(entry, topdown=False):
        for name in names:
            (Path(folder) / name).unlink()
        Path(folder).rmdir()


def _is_whole(repo: Repository, entry: Path) -> bool:
    """False for what is left when a process died while git made the worktree."""
    unfinished = (read_plain(entry / "locked") or b"").strip() == b"initializing"
    # After a power cut a file may be there without its content.
    head = entry / "HEAD"
    whole = head.exists() and head.stat().st_size > 0 and not unfinished
    return whole and common_dir(entry).resolve() == repo.git_dir.resolve()


def is_empty(path: Path) -> bool:
    try:
        return not any(entry.name != ".git" for entry in path.iterdir())
    except FileNotFoundError:
        return True


def mend(worktree: Worktree, git: Git) -> None:
    """Repair what an agent or a person may have changed: the `.git` file and HEAD."""
    worktree.path.mkdir(parents=True, exist_ok=True)
    link = worktree.path / ".git"
    wanted = os.fsencode(f"gitdir: {git.git_dir}\n")
    if link.is_dir() and not link.is_symlink():
        _move_aside(link, worktree.path)
    if read_plain(link) != wanted:
        link.unlink(missing_ok=True)
        with link.open("xb") as file:
            file.write(wanted)
    if read_plain(git.git_dir / "HEAD") == os.fsencode(f"ref: {worktree.ref}\n"):
        return
    if git.text("symbolic-ref", "--quiet", "HEAD", ok_codes=(0, 1)) != worktree.ref:
        git.run("symbolic-ref", "HEAD", worktree.ref)


def _move_aside(folder: Path, worktree: Path) -> None:
    """Move a folder beside the worktree, where nothing is lost."""
    folder.rename(free_place(worktree))
