"""Asks `gh` for the status of a pull request. Reads only; failures become two-line errors.

`gh` runs in an empty folder and is given the project explicitly, like everywhere else.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.finding import Severity
from sparing.pull_status import PullNote, PullState, PullStatus
from sparing.workspace.git.push import last_line, run_gh
from sparing.workspace.host.pull_reply import (
    FIELDS,
    THREADS,
    RedCheck,
    read_line_comments,
    read_log,
    read_resolved,
    read_status,
)

LOG_LINES = 60
MOST_LOGS = 3
CI = "CI"
_URL = re.compile(r"https://([\w.-]+(?::\d+)?)/([\w.-]+)/([\w.-]+)/pull/(\d{1,9})(?:[/?#].*)?")
FAULTS = (
    (r"auth login|bad credentials|HTTP 401|not logged in", "log in: gh auth login"),
    (r"rate limit", "wait until the limit is over (gh api rate_limit), then: sparing run"),
    (r"could not resolve|HTTP 404|not found", "see whether it is still there: gh pr view {url}"),
    (r"error connecting|timeout|no end after", "see that the host can be reached: gh auth status"),
)
"""Patterns of errors from `gh`, each with a remedy."""


class PullAddress(NamedTuple):
    host: str
    project: str
    """`owner/name`."""
    number: int
    url: str


def pull_address(url: str) -> PullAddress | None:
    """Parse the URL of a pull request; None if it is something else."""
    found = _URL.fullmatch(url)
    if found is None:
        return None
    return PullAddress(found[1], f"{found[2]}/{found[3]}", int(found[4]), url)


def read_pull_status(
    where: PullAddress, environ: Mapping[str, str], known: Collection[str] = ()
) -> PullStatus:
    """Read the status; logs of checks whose keys are `known` are not requested again."""
    gh = shutil.which("gh", path=environ.get("PATH", ""))
    if gh is None:
        raise RepositoryError(
            f"gh is not installed, so pull request #{where.number} can't be read",
            f"install gh (https://cli.github.com), or look yourself: {where.url}",
        )
    repo = ("--repo", f"{where.host}/{where.project}")
    said = _asked((gh, "pr", "view", str(where.number), *repo, "--json", FIELDS), where, environ)
    found = read_status(said)
    if found is None:
        raise _odd(where)
    status = found.status
    if status.state is not PullState.OPEN:
        return replace(status, notes=())
    path = f"repos/{where.project}/pulls/{where.number}/comments?per_page=100"
    api = (gh, "api", "--hostname", where.host, "--method", "GET", "--paginate", path)
    lines = read_line_comments(_asked(api, where, environ), found.asks, found.owner)
    if lines is None:
        raise _odd(where)
    settled = _settled(gh, where, environ) if lines else frozenset[str]()
    lines = tuple(one for one in lines if one.thread not in settled)
    fresh = [one for one in found.red if one.job and _key(one, status.head) not in known]
    logs = fresh[:MOST_LOGS]
    red = tuple(
        _failed(one, status.head, _log(gh, one, repo, environ) if one in logs else "")
        for one in found.red
    )
    return replace(status, notes=(*red, *lines, *status.notes))


def _settled(gh: str, where: PullAddress, environ: Mapping[str, str]) -> frozenset[str]:
    """Conversations that are marked as resolved. Only GraphQL has this; on a host without it,
    all of them count as open."""
    owner, _, name = where.project.partition("/")
    given = ("-f", f"owner={owner}", "-f", f"name={name}", "-F", f"number={where.number}")
    api = (gh, "api", "graphql", "--hostname", where.host, "--paginate", *given)
    done = run_gh((*api, "-f", f"query={THREADS}"), environ, "")
    return read_resolved(done.stdout) if done.returncode == 0 else frozenset()


def _asked(argv: tuple[str, ...], where: PullAddress, environ: Mapping[str, str]) -> str:
    done = run_gh(argv, environ, "")
    if done.returncode != 0:
        raise _fault(done, where)
    return done.stdout


def _fault(done: subprocess.CompletedProcess[str], where: PullAddress) -> RepositoryError:
    said = f"{done.stderr}\n{done.stdout}"
    why = last_line(done.stderr) or f"exit code {done.returncode}"
    for pattern, repair in FAULTS:
        found = re.search(pattern, said, re.IGNORECASE)
        if found:
            line = next(one for one in said.splitlines() if found[0] in one)
            why = line.strip()[:300]
            return RepositoryError(_what(where, why), repair.format(url=where.url))
    return RepositoryError(_what(where, why), "see: gh auth status")


def _odd(where: PullAddress) -> RepositoryError:
    what = "its answer has a form that Sparing does not know"
    return RepositoryError(_what(where, what), f"update gh, or look yourself: {where.url}")


def _what(where: PullAddress, why: str) -> str:
    return f"gh can't read pull request #{where.number}: {why}"


def _log(gh: str, one: RedCheck, repo: tuple[str, str], environ: Mapping[str, str]) -> str:
    """The log of a failed check, if the host still has it; the check is red even without it."""
    done = run_gh((gh, "run", "view", "--job", one.job, "--log-failed", *repo), environ, "")
    return read_log(done.stdout, LOG_LINES) if done.returncode == 0 else ""


def _failed(one: RedCheck, head: str, log: str) -> PullNote:
    text = f"{one.name}: {one.words} at {head[:10]}{f', {one.url}' if one.url else ''}"
    return PullNote(
        key=_key(one, head),
        author=CI,
        text=f"{text}\n{log}" if log else text,
        severity=Severity.BLOCKER,
        member=True,
        check=one.name,
    )


def _key(one: RedCheck, head: str) -> str:
    return f"check-{one.name}-{head}"
