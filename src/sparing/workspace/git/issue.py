"""An issue of the repository's host, read by the user's own `gh`.

Nothing is written there. As with a pull request, `gh` runs in an empty folder and is given the
project explicitly: it would start git in its current folder.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import NamedTuple, cast

from sparing.errors import RepositoryError
from sparing.workspace.git.push import last_line, remote_of, run_gh
from sparing.workspace.git.repository import Repository


class Issue(NamedTuple):
    title: str
    body: str
    url: str


def read_issue(repo: Repository, base: str, number: int, environ: Mapping[str, str]) -> Issue:
    by_hand = 'name it yourself: sparing start "what should be there"'
    gh = shutil.which("gh", path=environ.get("PATH", ""))
    if gh is None:
        raise RepositoryError(f"gh is not installed, so issue {number} can't be read", by_hand)
    remote = remote_of(repo, base)
    if remote is None or not remote.project:
        where = (
            f"{remote.url} is not an address that gh knows"
            if remote
            else "the repository has no remote"
        )
        raise RepositoryError(f"issue {number} can't be read: {where}", by_hand)
    argv = (gh, "issue", "view", str(number), "--repo", remote.project, "--json", "title,body,url")
    done = run_gh(argv, environ, "")
    found = _read(done.stdout) if done.returncode == 0 else None
    if found is None:
        left = f"exit code {done.returncode}" if done.returncode else "an unreadable answer"
        why = last_line(done.stderr) or left
        raise RepositoryError(f"gh can't read issue {number}: {why}", "see: gh auth status")
    return found


def _read(text: str) -> Issue | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    return Issue(*(str(fields.get(name) or "") for name in ("title", "body", "url")))
