"""What a pull request is about, according to `gh`. Nothing is fetched and nothing is written."""

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


def read_pull_request(
    repo: Repository, base: str, number: int, environ: Mapping[str, str]
) -> PullRequestHead:
    compare = f"sparing review --base {shlex.quote(base or 'main')}"
    by_hand = f"check it out and compare: gh pr checkout {number}; {compare}"
    gh = shutil.which("gh", path=environ.get("PATH", ""))
    if gh is None:
        what = f"gh is not installed, so pull request {number} can't be read"
        raise RepositoryError(what, by_hand)
    remote = remote_of(repo, base)
    if remote is None or not remote.project:
        where = (
            f"{remote.url} is not an address that gh knows"
            if remote
            else "the repository has no remote"
        )
        raise RepositoryError(f"pull request {number} can't be read: {where}", by_hand)
    argv = (gh, "pr", "view", str(number), "--repo", remote.project, "--json", FIELDS)
    done = run_gh(argv, environ, "")
    found = _read(done.stdout) if done.returncode == 0 else None
    if found is None:
        left = f"exit code {done.returncode}" if done.returncode else "an unreadable answer"
        why = last_line(done.stderr) or left
        what = f"gh can't read pull request {number}: {why}"
        raise RepositoryError(what, "see: gh auth status")
    return found


def _read(text: str) -> PullRequestHead | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    names = ("title", "body", "url", "baseRefName", "baseRefOid", "headRefName", "headRefOid")
    number, words = fields.get("number"), [str(fields.get(name) or "") for name in names]
    if not isinstance(number, int) or not words[3] or not words[6]:
        return None
    return PullRequestHead(number, *words)
