"""Issues and pull requests on the repository's host, read by the user's own `gh`.

Nothing is fetched into the repository, and nothing is written there. `gh` runs in an empty folder
and is given the project explicitly: it would start git in its current folder.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Mapping
from typing import NamedTuple, cast

from sparing.errors import RepositoryError
from sparing.workspace.git.push import last_line, remote_of, run_gh
from sparing.workspace.git.repository import Repository

FIELDS = "number,title,body,url,state,baseRefName,baseRefOid,headRefName,headRefOid"


class Issue(NamedTuple):
    title: str
    body: str
    url: str


class PullRequestHead(NamedTuple):
    number: int
    title: str
    body: str
    url: str
    base: str
    """The name of the branch it is to be merged into."""
    base_commit: str
    branch: str
    head: str


class _Asked(NamedTuple):
    """Something to be viewed with `gh`."""

    command: str
    words: str
    """What it is called in error messages."""
    number: int
    fields: str
    by_hand: str
    """What to do without `gh`."""


def read_issue(repo: Repository, base: str, number: int, environ: Mapping[str, str]) -> Issue:
    by_hand = 'name it yourself: sparing start "what should be there"'
    asked = _Asked("issue", f"issue {number}", number, "title,body,url", by_hand)
    text, why = _view(repo, base, asked, environ)
    found = _issue(text)
    if found is None:
        raise RepositoryError(f"gh can't read issue {number}: {why}", "see: gh auth status")
    return found


def read_pull_request(
    repo: Repository, base: str, number: int, environ: Mapping[str, str]
) -> PullRequestHead:
    compare = f"sparing review --base {shlex.quote(base or 'main')}"
    by_hand = f"check it out and compare: gh pr checkout {number}; {compare}"
    asked = _Asked("pr", f"pull request {number}", number, FIELDS, by_hand)
    text, why = _view(repo, base, asked, environ)
    found = _pull_request(text)
    if found is None:
        raise RepositoryError(f"gh can't read pull request {number}: {why}", "see: gh auth status")
    return found


def _view(
    repo: Repository, base: str, asked: _Asked, environ: Mapping[str, str]
) -> tuple[str, str]:
    """What `gh` prints about it, and why that may be unreadable; empty if `gh` failed."""
    gh = shutil.which("gh", path=environ.get("PATH", ""))
    if gh is None:
        what = f"gh is not installed, so {asked.words} can't be read"
        raise RepositoryError(what, asked.by_hand)
    remote = remote_of(repo, base)
    if remote is None or not remote.project:
        unknown = "is not an address that gh knows"
        where = f"{remote.url} {unknown}" if remote else "the repository has no remote"
        raise RepositoryError(f"{asked.words} can't be read: {where}", asked.by_hand)
    about = ("view", str(asked.number), "--repo", remote.project, "--json", asked.fields)
    done = run_gh((gh, asked.command, *about), environ, "")
    left = f"exit code {done.returncode}" if done.returncode else "an unreadable answer"
    return "" if done.returncode else done.stdout, last_line(done.stderr) or left


def _issue(text: str) -> Issue | None:
    fields = _fields(text)
    if fields is None:
        return None
    return Issue(*(str(fields.get(name) or "") for name in ("title", "body", "url")))


def _pull_request(text: str) -> PullRequestHead | None:
    fields = _fields(text)
    if fields is None:
        return None
    names = ("title", "body", "url", "baseRefName", "baseRefOid", "headRefName", "headRefOid")
    number, words = fields.get("number"), [str(fields.get(name) or "") for name in names]
    if not isinstance(number, int) or not words[3] or not words[6]:
        return None
    return PullRequestHead(number, *words)


def _fields(text: str) -> dict[str, object] | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None
