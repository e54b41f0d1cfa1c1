"""Where a base branch is now: here, at its remote as far as git knows, or fetched by us.

Reading makes no request. A fetch is a person's order; its result is stored under a ref of ours, and
no branch and no remote-tracking ref of the user's moves.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.wait import waiting
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.push import (
    UPLOAD_PACK,
    last_line,
    outward,
    refused_settings,
    remote_of,
)
from sparing.workspace.git.repository import Repository, branch_commit, contains
from sparing.workspace.git.runner import GitFailed, start_git

LIMIT_SECONDS = 120.0
FETCHED = "refs/sparing/bases"


class BaseTip(NamedTuple):
    name: str
    """Name for display."""
    commit: str


def newest_base(repo: Repository, branch: str) -> BaseTip | None:
    """The local branch, or its remote's if that is ahead; None if there is no such branch."""
    local = branch_commit(repo, branch) if branch else None
    if local is None:
        return None
    best, remote = BaseTip(branch, local), remote_of(repo, branch)
    if remote is None:
        return best
    name = f"{remote.name}/{branch}"
    for ref in (f"refs/remotes/{name}", _own(remote.name, branch)):
        commit = object_id(repo.git(), f"{ref}^{{commit}}")
        if commit and commit != best.commit and contains(repo, commit, best.commit):
            best = BaseTip(name, commit)
    return best


def fetch_base(repo: Repository, branch: str, environ: Mapping[str, str], base: str = "") -> str:
    """The fetched commit of `branch`; if `base` is given, from the remote of that branch."""
    remote = remote_of(repo, base or branch)
    if remote is None:
        raise RepositoryError(
            "the repository has no remote to fetch from", "leave --fetch out, or: git remote add"
        )
    if fault := refused_settings(repo, remote):
        raise RepositoryError(fault, "sparing trust")
    flags = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    # Without it git would move the user's remote-tracking branch along.
    flags = (*flags, "--refmap=", UPLOAD_PACK)
    spec = f"+refs/heads/{branch}:{_own(remote.name, branch)}"
    args = ("--bare", "fetch", *flags, "--", remote.name, spec)
    try:
        with waiting(f"git fetch {remote.name} {branch}", LIMIT_SECONDS):
            done = start_git(args, outward(repo, environ), repo.checkout, None, LIMIT_SECONDS)
    except GitFailed as error:
        raise _not_fetched(remote.name, branch, error.stderr) from error
    if done.returncode != 0:
        raise _not_fetched(remote.name, branch, os.fsdecode(done.stderr))
    return object_id(repo.git(), f"{_own(remote.name, branch)}^{{commit}}")


def _own(remote: str, branch: str) -> str:
    return f"{FETCHED}/{remote}/{branch}"


def _not_fetched(remote: str, branch: str, said: str) -> RepositoryError:
    return RepositoryError(
        f"git can't fetch {branch} from {remote}: {last_line(said)}",
        f"see that `git fetch {remote} {branch}` works here, then try again",
    )
