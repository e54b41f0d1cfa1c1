"""Reads the user's repository: where it is, what is checked out, which numbers are taken.

Nothing here writes a byte: not in the checkout, not in its index, not in `.git`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sparing.errors import RepositoryError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.user import NOBODY, GitUser, read_user

if TYPE_CHECKING:  # whoever only looks for our records runs no git
    from sparing.workspace.git.runner import Git

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@lazy_dataclass
class Repository:
    checkout: Path
    git_dir: Path
    """The folder that all worktrees of the repository share."""
    trusted: frozenset[str] = frozenset()
    ignores: Path | None = None
    """The user's own global gitignore file; it need not exist."""
    user: GitUser = NOBODY
    """Who commits, according to the user's own git configuration."""
    locks: Path | None = None
    """A folder of ours for the lock file; without it the lock is in `.git`."""

    @property
    def lock(self) -> Path:
        """Held while branches and worktrees are made, merged or removed."""
        return (self.locks or self.git_dir) / "sparing.lock"

    @property
    def key(self) -> str:
        """Tells repositories apart; equal for all worktrees of one."""
        return hashlib.sha256(os.fsencode(os.path.realpath(self.git_dir))).hexdigest()[:12]

    def git(self) -> Git:
        """git for commits and refs, without a work tree."""
        from sparing.workspace.git.runner import Git

        return Git(self.git_dir, trusted=self.trusted)

    def checkout_git(self) -> Git:
        """git for reading the user's own folder and index."""
        from sparing.workspace.git.runner import Git

        return Git(self._checkout_git_dir(), self.checkout, trusted=self.trusted)

    def _checkout_git_dir(self) -> Path:
        link = self.checkout / ".git"
        data = read_plain(link, follow=True)
        if data is None:
            return self.git_dir if link.resolve() == self.git_dir.resolve() else link
        target = Path(os.fsdecode(data).removeprefix("gitdir:").strip())
        return Path(os.path.normpath(self.checkout / target))


class BranchHead(NamedTuple):
    branch: str | None
    commit: str


def find_repository(start: Path, trusted: frozenset[str] = frozenset()) -> Repository:
    """The repository of a folder, which may be a subfolder or a linked worktree."""
    return confirmed(search_repository(start), trusted)


def confirmed(
    repo: Repository, trusted: frozenset[str], environ: Mapping[str, str] | None = None
) -> Repository:
    """A repository that is safe to work in: its settings are harmless, and it has a commit.

    `environ` says where the user's own git settings are; without it they have none.
    """
    from sparing.workspace.git.config import judge

    repository = replace(repo, trusted=trusted)
    git = repository.checkout_git()
    judge(git.settings(), git.trusted, git.work_tree)
    head(repository)
    if environ is None:
        return repository
    user = read_user(repo.git_dir, environ)
    ignores = user.ignores and repo.checkout / user.ignores
    return replace(repository, ignores=ignores, user=user)


def locate_repository(start: Path) -> Repository:
    """Where the repository is, for callers that only read our own records of it.

    Usually the parent folders are searched; git is asked only if a link or nothing is found.
    """
    for folder in (start, *start.parents):
        entry = folder / ".git"
        if entry.is_dir() and (entry / "HEAD").is_file():
            return Repository(folder, entry)
        if entry.exists():
            break
    return search_repository(start)


def search_repository(start: Path) -> Repository:
    """Find the repository as git does; its settings are neither obeyed nor judged yet."""
    from sparing.workspace.git.runner import search_from

    if not start.is_dir():
        raise RepositoryError(f"{start} is not a folder", "cd to a git repository")
    folders = search_from(
        start, "--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"
    )
    lines = os.fsdecode(folders.stdout).removesuffix("\n").split("\n")
    if folders.returncode != 0 or len(lines) != 3:
        raise _no_repository(start, os.fsdecode(folders.stderr))
    return Repository(Path(lines[0]), Path(lines[2]))


def head(repo: Repository) -> BranchHead:
    """The branch and commit that the user has checked out."""
    from sparing.workspace.git.direct.ref_files import known_ref

    git = repo.checkout_git()
    known = known_ref(git.git_dir, "HEAD")
    if known and known.commit and known.name.startswith(("HEAD", "refs/heads/")):
        branch = known.name.removeprefix("refs/heads/")
        return BranchHead(None if branch == known.name else branch, known.commit)
    commit = _commit(git, "HEAD", "git commit --allow-empty -m 'first commit'")
    branch = git.text("symbolic-ref", "--quiet", "--short", "HEAD", ok_codes=(0, 1))
    return BranchHead(branch or None, commit)


def is_dirty(repo: Repository) -> bool:
    """Whether there are changed, staged or untracked files; ignored ones don't count."""
    args = ("--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all")
    rules = repo.ignores
    theirs = ("-c", f"core.excludesFile={rules}") if rules and rules.is_file() else ()
    return bool(repo.checkout_git().run(*theirs, "status", *args))


def branch_commit(repo: Repository, branch: str) -> str | None:
    """The tip of a local branch."""
    from sparing.workspace.git.object_reader import object_id

    return object_id(repo.git(), f"refs/heads/{branch}^{{commit}}") or None


def contains(repo: Repository, tip: str, commit: str) -> bool:
    """Whether `commit` is `tip` itself or one of its ancestors."""
    from sparing.workspace.git.direct.history_reader import leads_to

    if _ID.fullmatch(tip) and leads_to(repo.git(), tip, commit):
        return True
    if tip != commit and _ID.fullmatch(commit) and leads_to(repo.git(), commit, tip):
        return False  # it is the other way round
    return repo.git().ask("merge-base", "--is-ancestor", commit, tip).returncode == 0


def common_ancestor(repo: Repository, one: str, other: str) -> str:
    """The last commit that both have in common; `one` itself if there is none."""
    return repo.git().text("merge-base", one, other, ok_codes=(0, 1)) or one


def not_merged(repo: Repository, base: str, branches: Sequence[str]) -> frozenset[str]:
    """Those of these local branches that exist and are not merged into `base`."""
    args = ("--format=%(refname:lstrip=2)", f"--no-merged=refs/heads/{base}")
    refs = (f"refs/heads/{branch}" for branch in branches)
    return frozenset(repo.git().text("for-each-ref", *args, *refs).splitlines())


def find_entry(repo: Repository, path: Path) -> Path | None:
    """The folder in `.git/worktrees` that belongs to a linked worktree."""
    entries = repo.git_dir / "worktrees"
    if _stands_for(entries / path.name, path):
        return entries / path.name
    if not entries.is_dir():
        return None
    return next((entry for entry in sorted(entries.iterdir()) if _stands_for(entry, path)), None)


def _stands_for(entry: Path, path: Path) -> bool:
    data = read_plain(f"{entry}/gitdir", follow=True)
    if data is None:
        return False
    link = os.fsdecode(data).strip()
    if link == f"{path}/.git":
        return True  # as in nearly all cases, and asked for often
    return os.path.realpath((entry / link).parent) == os.path.realpath(path)


def _commit(git: Git, revision: str, repair: str) -> str:
    args = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    commit = git.text(*args, ok_codes=(0, 1, 128))
    if not commit:
        raise RepositoryError("the repository has no commit yet", repair)
    return commit


def _no_repository(start: Path, stderr: str) -> RepositoryError:
    where = str(start) if str(start).isprintable() else repr(str(start))
    if "dubious ownership" in stderr:
        return RepositoryError(
            f"{where} belongs to another user", f"sudo chown -R $(id -u) {where}"
        )
    if "bare repository" in stderr or "must be run in a work tree" in stderr:
        return RepositoryError(
            f"{where} is a bare repository or a .git folder: there are no files to work on",
            "cd to a checkout; to make one: git worktree add ../checkout",
        )
    if "not a git repository" in stderr:
        return RepositoryError(
            f"{where} is not in a git repository",
            "cd to your repository; or see the workflow without one: sparing demo",
        )
    return RepositoryError(
        f"git can't use {where}: {stderr.strip().rpartition(chr(10))[2] or 'an odd name'}",
        "see: git status; a folder's name can't contain a line break",
    )
