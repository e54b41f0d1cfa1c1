"""Parses what `gh` prints about a pull request. Unexpected data is left out or refused.

Pure. `gh pr view --json` and `gh api` name the same things differently: the first speaks GraphQL
(`author.login`, `authorAssociation`), the second REST (`user.login`, `author_association`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from sparing.finding import Severity
from sparing.pull_status import PullNote, PullState, PullStatus

FIELDS = (
    "number,url,state,headRefOid,mergedBy,mergeCommit,author,reviews,comments,statusCheckRollup"
)
THREADS = (
    "query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {"
    " repository(owner: $owner, name: $name) { pullRequest(number: $number) {"
    " reviewThreads(first: 100, after: $endCursor) {"
    " nodes { isResolved comments(first: 1) { nodes { databaseId } } }"
    " pageInfo { hasNextPage endCursor } } } } }"
)
"""Asks which conversations on lines are resolved, by the id of their first comment."""
MEMBERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
RED = frozenset({"FAILURE", "ERROR", "TIMED_OUT", "ACTION_REQUIRED", "STARTUP_FAILURE"})
GREEN = frozenset({"SUCCESS", "NEUTRAL", "SKIPPED"})
PENDING = frozenset({"PENDING", "EXPECTED", "QUEUED", "IN_PROGRESS", "WAITING", "REQUESTED"})
LONGEST = 4_000
"""Characters of one comment that are kept."""
_JOB = re.compile(r"/actions/runs/\d+/job/(\d+)")

Fields = Mapping[str, object]


class RedCheck(NamedTuple):
    name: str
    job: str
    """Id of the GitHub Actions job, for reading its log; empty if it is not one."""
    url: str
    words: str
    """The host's own wording: `failure`, `timed out`."""


class PullReply(NamedTuple):
    status: PullStatus
    """Without the comments on lines and without logs."""
    red: tuple[RedCheck, ...]
    asks: frozenset[str]
    """Names of those who request changes."""
    owner: str
    """The name of the person who opened it."""


def read_status(text: str) -> PullReply | None:
    """Parse the output of `gh pr view`; None if it is something else."""
    fields = _fields(_json(text))
    number, state = fields.get("number"), str(fields.get("state") or "").lower()
    head = _text(fields, "headRefOid")
    if not isinstance(number, int) or state not in list(PullState) or not head:
        return None
    checks = [one for row in _rows(fields, "statusCheckRollup") if (one := _check(row))]
    red = tuple(one for one, word in checks if word in RED)
    reviews, owner = _standing(_rows(fields, "reviews")), _login(fields, "author")
    asks = frozenset(_login(one, "author") for one in reviews if _asks(one))
    status = PullStatus(
        number=number,
        url=_text(fields, "url"),
        state=PullState(state),
        head=head,
        by=_login(fields, "mergedBy"),
        merged=_text(_fields(fields.get("mergeCommit")), "oid"),
        green=sum(word in GREEN for _, word in checks),
        pending=sum(word in PENDING for _, word in checks),
        red=tuple(one.name for one in red),
        notes=(*_reviews(reviews), *_comments(fields, owner)),
    )
    return PullReply(status, red, asks, owner)


def read_line_comments(text: str, asks: frozenset[str], owner: str) -> tuple[PullNote, ...] | None:
    """Parse `gh api …/pulls/N/comments` into one note per conversation; None if it is no such list.

    Several pages may follow one another, as older versions of gh print them.
    """
    rows: list[Fields] = []
    for page in _documents(text):
        if not isinstance(page, list):
            return None
        rows += [_fields(one) for one in cast("list[object]", page)]
    threads: dict[str, list[Fields]] = {}
    for row in rows:
        own = _number(row, "id")
        if own and _text(row, "body").strip():
            threads.setdefault(_number(row, "in_reply_to_id") or own, []).append(row)
    return tuple(_thread(thread, asks, owner) for thread in threads.values())


def read_resolved(text: str) -> frozenset[str]:
    """First comments of resolved conversations, from the paged answer to `THREADS`."""
    found: set[str] = set()
    for page in _documents(text):
        inner = _fields(page)
        for name in ("data", "repository", "pullRequest", "reviewThreads"):
            inner = _fields(inner.get(name))
        for thread in _rows(inner, "nodes"):
            first = _rows(_fields(thread.get("comments")), "nodes")[:1]
            if thread.get("isResolved") is True:
                found |= {_number(one, "databaseId") for one in first}
    return frozenset(found - {""})


def read_log(text: str, most: int) -> str:
    """The last lines of a job's log; `gh` puts the job, the step and the time before each."""
    lines = [line.rpartition("\t")[2] for line in text.lstrip("\ufeff").splitlines()]
    plain = [re.sub(r"^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ?", "", line).rstrip() for line in lines]
    return "\n".join([line for line in plain if line][-most:])


def _thread(rows: Sequence[Fields], asks: frozenset[str], owner: str) -> PullNote:
    """What one person said about a line, with the replies; the author is who began it. A reply
    by the person who opened the pull request answers it and raises nothing."""
    first, who = rows[0], _login(rows[0], "user")
    said = [_cut(_text(first, "body"))]
    said += [f"{_login(row, 'user')} replies: {_cut(_text(row, 'body'))}" for row in rows[1:]]
    others = [row for row in rows if _login(row, "user") != owner] or [first]
    line = _number(first, "line") or _number(first, "original_line")
    hunk = _text(first, "diff_hunk").splitlines()
    return PullNote(
        key=f"line-{_number(others[-1], 'id')}",
        thread=_number(first, "in_reply_to_id") or _number(first, "id"),
        author=who,
        text="\n".join(said),
        severity=Severity.BLOCKER if who in asks else Severity.WARNING,
        member=_text(first, "author_association") in MEMBERS,
        path=" ".join(_text(first, "path").split()),
        line=int(line or 0),
        quoted=hunk[-1][1:].strip() if hunk else "",
    )


def _reviews(rows: Sequence[Fields]) -> Iterator[PullNote]:
    for row in rows:
        if _text(row, "body").strip():
            yield PullNote(
                key=f"review-{_text(row, 'id')}",
                author=_login(row, "author"),
                text=_cut(_text(row, "body")),
                severity=Severity.BLOCKER if _asks(row) else Severity.WARNING,
                member=_text(row, "authorAssociation") in MEMBERS,
            )


def _comments(fields: Fields, owner: str) -> Iterator[PullNote]:
    """General comments; those of the pull request's owner are as often answers as requests."""
    for row in _rows(fields, "comments"):
        if _text(row, "body").strip() and row.get("isMinimized") is not True:
            who = _login(row, "author")
            yield PullNote(
                key=f"comment-{_text(row, 'id')}",
                author=who,
                text=_cut(_text(row, "body")),
                severity=Severity.SUGGESTION if who == owner else Severity.WARNING,
                member=_text(row, "authorAssociation") in MEMBERS,
            )


def _standing(rows: Sequence[Fields]) -> list[Fields]:
    """Reviews that still count: an approval or dismissal settles that person's earlier ones."""
    found: list[Fields] = []
    for row in rows:
        who, state = _login(row, "author"), _text(row, "state")
        if state in ("APPROVED", "DISMISSED"):
            found = [one for one in found if _login(one, "author") != who]
        elif state in ("CHANGES_REQUESTED", "COMMENTED"):
            found.append(row)
    return found


def _asks(row: Fields) -> bool:
    return _text(row, "state") == "CHANGES_REQUESTED"


def _check(row: Fields) -> tuple[RedCheck, str] | None:
    """A check run or a commit status, with the host's word for its state."""
    name = _text(row, "name") or _text(row, "context")
    over = _text(row, "status") in ("", "COMPLETED")
    word = (_text(row, "conclusion") or _text(row, "state")) if over else _text(row, "status")
    if not name or not word:
        return None
    above, url = _text(row, "workflowName"), _text(row, "detailsUrl") or _text(row, "targetUrl")
    job = _JOB.search(url)
    shown = f"{above} / {name}" if above else name
    words = word.lower().replace("_", " ")
    return RedCheck(shown, job[1] if job else "", url, words), word.upper()


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _documents(text: str) -> Iterator[object]:
    """JSON values that follow one another; None for invalid or empty text."""
    decoder, rest = json.JSONDecoder(), text.strip()
    if not rest:
        yield None
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            yield None
            return
        yield value
        rest = rest[end:].lstrip()


def _fields(value: object) -> Fields:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _rows(fields: Fields, name: str) -> list[Fields]:
    found = fields.get(name)
    rows = cast("list[object]", found) if isinstance(found, list) else []
    return [_fields(one) for one in rows]


def _text(fields: Fields, name: str) -> str:
    found = fields.get(name)
    return found if isinstance(found, str) else ""


def _number(fields: Fields, name: str) -> str:
    found = fields.get(name)
    return str(found) if isinstance(found, int) and found > 0 else ""


def _login(fields: Fields, name: str) -> str:
    """The account's name, or GitHub's name for a deleted account."""
    found = re.sub(r"[^\w.\[\]-]", "", _text(_fields(fields.get(name)), "login"))
    return found[:60] or "ghost"


def _cut(text: str) -> str:
    plain = text.replace("\r\n", "\n").strip()
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]} […]"
