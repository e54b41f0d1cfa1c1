"""Context recall of a dispatch: whether its agent can know all that it must.

What must be known is read again from commits and role files, not from the composed prompt: every
line of every artifact of the role, and every line that changed since its last review.

What a dispatch leaves to be reported: warnings of its prompt, files it did not read.

Recorded as events; none of them ever stops the work.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.briefing.refined_excerpt import excerpt
from sparing.commits.review_history import FALLBACK
from sparing.connection import Connection
from sparing.context.documents.diff import parse_diff
from sparing.context.prompt.brief import REVIEWS, Brief
from sparing.context.prompt.compose import Composed
from sparing.context.prompt.delta import LARGEST_FILE_CHARS
from sparing.context.prompt.inclusion import confirmed_reads, defuse, missed_reads, unread_warning
from sparing.economy.cache_contents import Need, digests, recall
from sparing.flow.flows import TIERS
from sparing.flow.stage import StageWork
from sparing.job import Job
from sparing.records import ledger
from sparing.records.folder import load_prompt
from sparing.review.history import Fallback, write_item
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.segment import Segment
from sparing.sent import Sent
from sparing.turn_kind import KINDS, TurnKind

MOST_SHOWN = 5
REFERRING = ("references", "files")
"""Segments that name what is to be read."""


class Recall(NamedTuple):
    needed: int
    """Lines that the agent must know."""
    missing: tuple[str, ...] = ()
    """Some lines that it can't know, with their location."""


def recalled(source: Source, brief: Brief, composed: Composed, *, resumed: bool) -> Recall:
    if source.row.feature.flow in TIERS or KINDS[brief.asked.kind].excerpts:
        return Recall(0)
    needs = [
        *_documents(source, brief, resumed=resumed),
        *_changes(source, brief, resumed=resumed),
    ]
    before = _transcript(source) if resumed else ()
    segments = (*before, *composed.segments)
    listed = "".join(one.text for one in segments if one.name in REFERRING)
    references = [need.name for need in needs if need.name and need.name in listed]
    missing = recall(composed.segments, digests(one.text for one in before), references, needs)
    shown = tuple(f"{one.name}: {one.line[:80]}" for one in missing[:MOST_SHOWN])
    return Recall(sum(len(need.lines) for need in needs), shown)


def _documents(source: Source, brief: Brief, *, resumed: bool) -> Iterable[Need]:
    """Every artifact of the role, in its current state."""
    reviews, session = brief.asked.kind in REVIEWS, source.session
    wanted = list(source.role.artifacts if reviews else source.stage.reads)
    writes = source.stage.writes
    at_hand = source.stage.work is StageWork.DOCUMENT and brief.asked.kind is not TurnKind.WRITE
    # An author that goes on has typed it itself; unless somebody has changed it since.
    typed = resumed and not reviews and session is not None and writes is not None
    if writes and at_hand and not (typed and session and source.untouched(writes, session.commit)):
        wanted.append(writes)
    for name in dict.fromkeys(wanted):
        document = excerpt(source, source.document(name))
        if document.text is not None and _comes_before(name, writes if reviews else None):
            yield Need(document.path, tuple(defuse(document.text).splitlines()))


def _comes_before(name: ArtifactName, judged: ArtifactName | None) -> bool:
    """Whether the document precedes the one under review; later ones don't matter yet."""
    order = tuple(ArtifactName)
    return judged is None or order.index(name) <= order.index(judged)


def _changes(source: Source, brief: Brief, *, resumed: bool) -> Iterable[Need]:
    """What a reviewer of code judges; for a resumed one, what changed since its last review,
    which an earlier reference can't cover."""
    session = source.session
    if brief.asked.kind not in REVIEWS:
        return
    code = source.stage.writes is None
    if resumed and session is not None:
        yield from (need._replace(name="") for need in _lines(source, session.commit, code=code))
    elif code:
        since = source.job.refined.since or source.row.feature.base_commit
        yield from _lines(source, since, code=True)


def _lines(source: Source, since: str, *, code: bool) -> Iterable[Need]:
    writes = source.stage.writes
    paths = tuple(one.path for one in source.changed(since)) if code else ()
    if writes is not None:
        paths = (source.path(writes),)
    for file in parse_diff(source.diff(since, paths)):
        # What is too big to be sent is named by its lines instead.
        if not code or sum(len(hunk.body) for hunk in file.hunks) <= LARGEST_FILE_CHARS:
            body = "".join(hunk.body for hunk in file.hunks)
            signed = (line for line in defuse(body).splitlines() if line[:1] in ("+", "-"))
            yield Need(file.path, tuple(signed))


def _transcript(source: Source) -> tuple[Segment, ...]:
    """Everything that was sent to this role's session."""
    session = source.session
    assert session is not None
    with source.around.database.read() as connection:
        rows = ledger.of_session(connection, source.row.feature.key, session.id)
    prompts = dict.fromkeys((session.opening, *(row.attempt.prompt for row in rows)))
    return tuple(
        segment
        for prompt in prompts
        if prompt
        for segment in load_prompt(source.around.folder, prompt)
    )


BLIND = "A"
"""The phase in which tests are designed without seeing the code."""


def tell_prepared(source: Source, teller: Teller, sent: Sent, fallback: str = "") -> None:
    """Record warnings: a document sent whole, a project without a folder, a lost session."""
    if not sent.warnings and not fallback:
        return
    job = source.job
    with source.around.database.write() as tx:
        if fallback:
            text = write_item(Fallback(job.who, job.iteration, fallback)).strip()
            data = {"iteration": job.iteration, "error": fallback}
            tell(tx, teller, job, FALLBACK, text=text, data=data)
        for number, warning in enumerate(sent.warnings):
            tell(tx, teller, source.job, "warning", text=warning, name=f"warning.{number}")


def tell_unread(tx: Connection, source: Source, teller: Teller, sent: Sent) -> None:
    """Record files given by reference that were neither seen being read nor confirmed, and code
    read by a role that was to know only the documents."""
    if source.phase == BLIND:
        _tell_peeked(tx, source, teller)
    if not sent.reads:
        return
    row = _last(tx, teller)
    if row is None or row.result is None:
        return
    said = confirmed_reads(source.recall(row.result.reply))
    missed = missed_reads(sent.reads, row.result.files_read, said)
    if missed:
        _warn(tx, source.job, teller, missed)


def _tell_peeked(tx: Connection, source: Source, teller: Teller) -> None:
    row, own = _last(tx, teller), f"{source.folder}/"
    read = row.result.files_read if row is not None and row.result is not None else []
    code = [path for path in read if own not in path]
    if code:
        text = f"{source.job.role} was to know only the documents, and read {', '.join(code[:5])}"
        tell(tx, teller, source.job, "warning", text=text, name="peeked")


def _warn(tx: Connection, job: Job, teller: Teller, missed: tuple[str, ...]) -> None:
    text = unread_warning(job.who)
    tell(tx, teller, job, "unread", text=text, data={"files": list(missed)})


def _last(tx: Connection, teller: Teller) -> ledger.LedgerRow | None:
    rows = [
        row
        for row in ledger.of_feature(tx, teller.feature)
        if row.attempt.dispatch == teller.id and row.result is not None
    ]
    return rows[-1] if rows else None
