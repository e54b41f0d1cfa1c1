"""What is reviewed: the commits of a branch or a pull request since they left their base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sparing.errors import RepositoryError, UsageError
from sparing.workspace.git.base_branch import USUAL, resolve_base
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.repository import (
    BranchHead,
    Repository,
    branch_commit,
    head,
)
from sparing.workspace.host.gh_view import PullRequestHead, read_pull_request

MOST_SUBJECTS = 50


class Subject(NamedTuple):
    title: str
    description: str
    """The pull request's description, or the commits' subjects: untrusted text, used as data."""
    name: str
    """For people: `greet-ada` or `#12 greet-ada`."""
    base: str
    """Name of the branch or commit it is compared with."""
    since: str
    """Last common commit of both."""
    head: str


def subject_of(
    repo: Repository, base: str, pull: int | None, configured: str, environ: Mapping[str, str]
) -> Subject:
    if pull is not None:
        own = resolve_base(repo, configured)
        return _pulled(repo, base, read_pull_request(repo, own.branch or "", pull, environ))
    here = head(repo)
    named = base or _base_name(repo, configured, here)
    tip = _commit(repo, named)
    since = _fork(repo, tip, here.commit, named)
    branch = here.branch or here.commit[:10]
    if since == here.commit:
        behind = f"{branch} has no commit that {named} lacks"
        raise UsageError(
            f"you are on {branch}: there is nothing to compare it with"
            if branch == named
            else behind,
            "git switch to the branch to review, or compare with another one: --base",
        )
    said = _subjects(repo, since, here.commit)
    return Subject(
        title=said[0] if len(said) == 1 else branch,
        description="\n".join(f"- {one}" for one in said) if len(said) > 1 else "",
        name=branch,
        base=named,
        since=since,
        head=here.commit,
    )


def _base_name(repo: Repository, configured: str, here: BranchHead) -> str:
    """The base branch; if that would be the current branch itself, the usual one."""
    found = resolve_base(repo, configured).branch or ""
    if configured or found != here.branch:
        return found
    return next((one for one in USUAL if branch_commit(repo, one)), found)


def _pulled(repo: Repository, base: str, found: PullRequestHead) -> Subject:
    fetch = f"git fetch origin pull/{found.number}/head {found.base}"
    tip = object_id(repo.git(), f"{found.head}^{{commit}}")
    if not tip:
        what = f"pull request {found.number} is at {found.head[:10]}, which is not here yet"
        raise RepositoryError(what, fetch)
    named = base or found.base
    known = base or object_id(repo.git(), f"{found.base_commit}^{{commit}}") or ""
    against = _commit(repo, base) if base or not known else known
    return Subject(
        title=found.title,
        description=found.body,
        name=f"#{found.number} {found.branch}",
        base=named,
        since=_fork(repo, against, tip, named),
        head=tip,
    )


def _commit(repo: Repository, name: str) -> str:
    """The commit of a branch, of a remote's branch, or of a commit id."""
    for ref in (f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/remotes/origin/{name}", name):
        plain = not name.startswith("-") and bool(name)
        if plain and (found := object_id(repo.git(), f"{ref}^{{commit}}")):
            return found
    raise UsageError(f"there is no branch or commit {name!r} here", "git branch --all lists them")


def _fork(repo: Repository, base: str, tip: str, named: str) -> str:
    found = repo.git().text("merge-base", base, tip, ok_codes=(0, 1))
    if not found:
        raise UsageError(
            f"this branch has no commit in common with {named}",
            "name the branch it comes from: --base",
        )
    return found.splitlines()[0]


def _subjects(repo: Repository, since: str, tip: str) -> list[str]:
    args = ("log", "--format=%s", f"--max-count={MOST_SUBJECTS}", f"{since}..{tip}", "--")
    return repo.git().text(*args).splitlines() or ["changes"]
