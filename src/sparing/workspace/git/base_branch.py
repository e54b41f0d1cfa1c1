"""The branch that features start from and are merged back into, and the numbers they take there."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.workspace.git.direct.ref_files import known_ref
from sparing.workspace.git.repository import BranchHead, Repository, branch_commit, head

USUAL = ("main", "master", "trunk", "develop")
"""Branches that features usually start from."""
_NUMBER = re.compile(r"(\d{1,9})-")


def resolve_base(repo: Repository, configured: str) -> BranchHead:
    """The branch that a feature starts from and is merged back into."""
    if configured:
        return BranchHead(configured, _tip_of_configured(repo, configured))
    default = default_branch(repo)
    if default is not None:
        return default
    here = head(repo)
    if here.branch is None:
        raise _detached(repo)
    return here


def _detached(repo: Repository) -> RepositoryError:
    """An error that names an existing branch, so that the command can be typed as it is."""
    found = possible_bases(repo)
    what = "HEAD is detached, so there is no branch to start from"
    if not found:
        if there := _default_there(repo) or _usual_there(repo):
            own, theirs = shlex.quote(there), shlex.quote(f"origin/{there}")
            return RepositoryError(what, f"git branch {own} {theirs}")
        return RepositoryError(what, "git switch --create main")
    name = shlex.quote(found[0])
    repair = f"git switch {name}; or: sparing config set --project workspace.base_branch {name}"
    return RepositoryError(what, repair)


def possible_bases(repo: Repository) -> tuple[str, ...]:
    """All local branches, the likeliest base first."""
    names = repo.git().text("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
    default = default_branch(repo)
    usual = (default.branch if default else None, *USUAL)
    found = names.splitlines()
    return tuple(
        sorted(found, key=lambda name: (name not in usual[:1], name not in usual, "/" in name))
    )


def default_branch(repo: Repository) -> BranchHead | None:
    branch = _default_there(repo)
    commit = branch_commit(repo, branch) if branch else None
    return BranchHead(branch, commit) if commit else None


def _default_there(repo: Repository) -> str:
    """The default branch of `origin`, as far as this repository knows; it need not exist here."""
    named = "refs/remotes/origin/HEAD"
    known = known_ref(repo.git_dir, named)
    ref = known.name if known else repo.git().text("symbolic-ref", "-q", named, ok_codes=(0, 1))
    return "" if ref == named else ref.removeprefix("refs/remotes/origin/")


def _usual_there(repo: Repository) -> str:
    """A branch of `origin` with a usual name, for clones that don't know its default branch."""
    listed = "refs/remotes/origin"
    found = repo.git().text("for-each-ref", "--format=%(refname:lstrip=3)", listed).splitlines()
    return next((name for name in USUAL if name in found), "")


def _tip_of_configured(repo: Repository, branch: str) -> str:
    commit = branch_commit(repo, branch)
    if commit is None:
        raise RepositoryError(
            f"there is no branch {branch!r} to start from",
            f"git branch {branch}, or set workspace.base_branch to one that `git branch` lists",
        )
    return commit


def taken_numbers(repo: Repository, features_folder: str) -> frozenset[int]:
    """Feature numbers that folders or branches already use."""
    names: set[str] = set()
    heads = {head(repo), default_branch(repo) or head(repo)}
    for commit in {at.commit for at in heads}:
        args = ("ls-tree", "-z", "--name-only", f"{commit}:{features_folder.strip('/')}")
        names |= set(os.fsdecode(repo.git().run(*args, ok_codes=(0, 128))).split("\0"))
    names |= _entries(repo.checkout / features_folder)
    args = ("for-each-ref", "--format=%(refname)", "refs/heads/feature/", "refs/remotes/")
    for ref in repo.git().text(*args).splitlines():
        parent, _, name = ref.rpartition("/")
        if parent.endswith("/feature"):
            names.add(name)
    return frozenset(int(match[1]) for match in map(_NUMBER.match, names) if match)


def _entries(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError:
        return set()
