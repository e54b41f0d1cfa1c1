"""The bank after a feature: a retrospective's reply applied, written down and committed.

Helpful, never required: one that fails or has no valid form is reported, a short page says so, and
the feature continues. Anything written by hand in the bank that can't be read stays as it is, to
the byte.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.briefing.retro import RetroMaterial, asked, figures
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature
from sparing.connection import Connection
from sparing.ending import ROLE
from sparing.errors import SparingError
from sparing.event import LearnedEvent
from sparing.job import Job, JobResult, Ticket
from sparing.knowledge.page import FILES
from sparing.knowledge.retro import RETIRED, SHOWN, BankChange, Learned, Retro, learn, read_retro
from sparing.prompts.render import fill
from sparing.records import events
from sparing.reply import ReplyOutcome
from sparing.review.reply import ReplyProblem, find_answer
from sparing.runtime.events import tell
from sparing.runtime.source import Source, source_of
from sparing.workspace.git.commit import read_file
from sparing.workspace.project.leaks import SecretsFound, refuse_secrets
from sparing.workspace.project.paths import Confined

KEYS = ("retro_md", "entries", "judgements")
LONGEST_PAGE = 40_000
LONGEST_REASON = 300
LONGEST_CHANGE = 400


class LessonsOutcome(NamedTuple):
    commit: str
    changes: tuple[BankChange, ...]
    faults: tuple[str, ...]


async def learn_from(
    ticket: Ticket, job: Job, reply: str, failure: str, last: bool
) -> ReplyOutcome:
    """Apply a reply; `failure` says why there is none. A complaint is sent back once."""
    source = source_of(ticket, job)
    said = failure or read_reply(source.fetch(reply))
    if isinstance(said, str) and not last:
        return ReplyOutcome(said)
    retro = Retro("") if isinstance(said, str) else said
    why = " ".join(said.split())[:LONGEST_REASON] if isinstance(said, str) else ""
    try:
        done = await asyncio.to_thread(write_lessons, source, ticket, retro, why)
    except (SparingError, SecretsFound) as error:
        why = _words(error)
        done = LessonsOutcome(source.job.head, (), ())
    with source.around.database.write() as tx:
        _tell(tx, ticket, job, done, why)
    result = JobResult(commit=done.commit, passed=not why, role=ROLE, detail=why)
    return ReplyOutcome(result=result)


def read_reply(text: str) -> Retro | str:
    """What it says, or what is wrong with it."""
    answer = find_answer(text, KEYS)
    if isinstance(answer, ReplyProblem):
        return answer.what.replace("verdict object", "object")
    retro = read_retro(answer.value)
    return retro if retro.page.strip() else "`retro_md` is empty"


def write_lessons(source: Source, teller: Ticket, retro: Retro, why: str) -> LessonsOutcome:
    """One commit: the page of this feature, and those of the bank that changed."""
    before = asked(source)
    done = learn(before.marked.bank, before.entries, retro, source.row.feature.id)
    changes = (*before.marked.changes, *done.changes)
    files = {source.path(ArtifactName.RETRO): _page(source, retro, why, before, changes).encode()}
    files |= dict(_changed_pages(source, done))
    worktree = source.around.worktree(source.row, source.job.head)
    try:
        for path, content in files.items():
            Confined(worktree.path).write_bytes(path, content)
        refuse_secrets(worktree, source.job.head, tuple(files), source.around.folder.redactor.known)
        purpose = Purpose("docs", "add the retrospective", ROLE)
        change = commit_feature(source, teller, worktree, tuple(files), purpose)
    except (SparingError, SecretsFound):
        _take_back(source, Confined(worktree.path), tuple(files))
        raise
    return LessonsOutcome(change.commit, changes, before.faults)


def _changed_pages(source: Source, done: Learned) -> Iterator[tuple[str, bytes]]:
    folder = source.around.settings(source.row).flow.knowledge_folder
    for name, kind in FILES.items():
        path, text = f"{folder}/{name}", done.bank[kind].text
        content = text.encode("utf-8", "surrogateescape")
        old = read_file(source.around.repository, source.job.head, path)
        if content != (old or b""):
            yield path, content


def _take_back(source: Source, worktree: Confined, paths: tuple[str, ...]) -> None:
    """Restore files from the commit, so that what can't be committed is not committed later."""
    for path in paths:
        old = read_file(source.around.repository, source.job.head, path)
        if old is not None:
            worktree.write_bytes(path, old)
        elif worktree.exists(path):
            worktree.remove(path)


def _page(
    source: Source, retro: Retro, why: str, before: RetroMaterial, changes: tuple[BankChange, ...]
) -> str:
    """The facilitator's words, then what the program did with them."""
    texts = {entry.title: entry.text.rstrip().splitlines() for entry in before.entries}
    gone = {one.title: texts.get(one.title, []) for one in changes if one.judgement == RETIRED}
    text = fill(
        "documents", "retro", title=source.row.feature.title, page=retro.page.strip(), why=why,
        figures=figures(source).rstrip(), changes=changes, gone=gone, left_out=retro.left_out,
        faults=before.faults,
    )  # fmt: skip
    return text[:LONGEST_PAGE].encode("utf-8", "replace").decode().rstrip() + "\n"


def _tell(tx: Connection, teller: Ticket, job: Job, done: LessonsOutcome, why: str) -> None:
    """The first time in a repository everything is shown, not only counted."""
    first = events.last_of_all(tx, LearnedEvent.kind) is None
    counts = Counter(change.judgement for change in done.changes)
    words = ", ".join(f"{count} {judgement}" for judgement, count in counts.items())
    learned = LearnedEvent(
        held=not why,
        first=first,
        changes=tuple((one.judgement, one.kind, _safe(one.title)) for one in done.changes),
        faults=tuple(_safe(fault) for fault in done.faults),
        shown=tuple(_shown(one) for one in done.changes if one.judgement in SHOWN),
    )
    text = f"there was no retrospective: {why}" if why else words or "nothing new"
    tell(tx, teller, job, learned, text=text)


def _shown(one: BankChange) -> str:
    words = " ".join(f"{one.judgement} {one.kind} '{one.title}': {one.words}".split())
    more = "…" if len(words) > LONGEST_CHANGE else ""
    return _safe(f"{words[:LONGEST_CHANGE]}{more}")


def _safe(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _words(error: SparingError | SecretsFound) -> str:
    if isinstance(error, SecretsFound):
        return "a secret would be committed"
    return f"{error.what} ({error.repair})"
