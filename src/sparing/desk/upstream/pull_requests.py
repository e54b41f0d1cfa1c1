"""Pull requests of features: read through `gh`, with what was said about them kept as findings.

A check reads and stores; it moves no branch and spends nothing. What `gh` can't tell is an error of
two lines, and everything stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.branch_event import PullEvent
from sparing.codec import dump
from sparing.connection import Connection
from sparing.context.documents.comments import comment_ids
from sparing.desk.features.history import ledger_rows
from sparing.desk.features.merge_status import handover_event
from sparing.desk.office import Office, every_row
from sparing.errors import SparingError
from sparing.event import AnswerEvent, HandoverEvent
from sparing.feature import FeatureStatus
from sparing.flow.flows import code_stage
from sparing.flow.state import OutcomeKind
from sparing.pull_status import PullState, PullStatus
from sparing.records import events, findings
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.review.answers import read_answers
from sparing.upstream.pull_findings import (
    STAGE,
    PullFinding,
    followed_notes,
    read_finding,
    settled,
)
from sparing.workspace.host.pull_request_status import pull_address, read_pull_status


class PullLook(NamedTuple):
    row: FeatureRow
    told: PullEvent
    """Current state, or the state seen last."""
    findings: tuple[PullFinding, ...] = ()
    """Findings not dealt with yet."""
    fault: SparingError | None = None
    """Why it could not be read."""
    news: bool = False
    """True if something has changed since the last check."""

    @property
    def over(self) -> bool:
        return self.told.state in (PullState.MERGED, PullState.CLOSED)


def requested(office: Office, rows: Sequence[FeatureRow] | None = None) -> list[FeatureRow]:
    """Features that have a pull request and have not ended with it."""
    found: list[FeatureRow] = []
    for row in every_row(office) if rows is None else rows:
        if row.status in (FeatureStatus.COMPLETED, FeatureStatus.ACTIVE):
            url = handover_event(office, row).url
            if url and pull_address(url) and not last_seen(office, row).ended:
                found.append(row)
    return found


def last_seen(office: Office, row: FeatureRow) -> PullEvent:
    """The last recorded state; an empty one if it was never checked."""
    with office.database.read() as connection:
        return _last(connection, row.feature.key)


def open_findings(office: Office, row: FeatureRow) -> tuple[PullFinding, ...]:
    with office.database.read() as connection:
        rows = findings.findings_of(connection, row.feature.key, STAGE)
    found = [one for one in map(read_finding, rows) if one.tracked.open]
    done = _last_round(office, row) if found else None
    return tuple(one for one in found if done is None or one.id not in done.ids)


def seen(office: Office, row: FeatureRow) -> PullLook:
    """What is known without asking the host."""
    return PullLook(row, last_seen(office, row), open_findings(office, row))


def look(office: Office, row: FeatureRow, environ: Mapping[str, str], at: float) -> PullLook:
    where, known = pull_address(handover_event(office, row).url), seen(office, row)
    if where is None or known.over:
        return known
    settle_round(office, row)
    try:
        status = read_pull_status(where, environ, {key for _, key in known.told.known})
    except SparingError as fault:
        return seen(office, row)._replace(fault=fault)
    news = _store(office, row, _clean(office, status), at)
    return seen(office, row)._replace(news=news)


def settle_round(office: Office, row: FeatureRow) -> None:
    """Settle the findings of a round that was handed over, each with its answer."""
    done = _last_round(office, row)
    if done is None:
        return
    said = {one.id: one for reply in done.replies for one in read_answers(reply, done.ids)}
    with office.database.write() as tx:
        rows = findings.findings_of(tx, row.feature.key, STAGE)
        left = [one for one in rows if one.id in done.ids and read_finding(one).tracked.open]
        findings.put_findings(tx, [settled(one, said.get(one.id)) for one in left])


class _FinishedRound(NamedTuple):
    ids: tuple[str, ...]
    replies: tuple[str, ...]


def _last_round(office: Office, row: FeatureRow) -> _FinishedRound | None:
    """The latest round, if it was handed over; None if the hand-over was without a round."""
    with office.database.read() as connection:
        past = events.since(connection, 0, row.feature.key)
    asked = [one for one in past if _is_fix(one)]
    handed = [one.n for one in past if isinstance(one.what, HandoverEvent)]
    if not asked or not handed or handed[-1] < asked[-1].n:
        return None
    replies = tuple(_replies(office, row, asked[-1]))
    return _FinishedRound(comment_ids(asked[-1].text), replies) if replies else None


def _is_fix(one: Event) -> bool:
    return isinstance(one.what, AnswerEvent) and one.what.answer == OutcomeKind.FIX


def _replies(office: Office, row: FeatureRow, asked: Event) -> list[str]:
    """What the code's author replied after it was asked."""
    stage = code_stage(row.feature.flow)
    leg = int(asked.key.removesuffix(".answered").rpartition(".")[2])
    return [
        office.folder.fetch(one.result.reply)
        for one in ledger_rows(office, row)
        if one.attempt.role == stage.author
        and one.attempt.stage == stage.name
        and one.attempt.leg > leg
        and one.result
        and one.result.reply
    ]


def _clean(office: Office, status: PullStatus) -> PullStatus:
    """Remove secrets from what others wrote, and replace broken characters, before storing it."""

    def plain(text: str) -> str:
        return office.folder.redactor.clean(text.encode("utf-8", "replace").decode())

    notes = (
        replace(one, text=plain(one.text), quoted=plain(one.quoted), path=plain(one.path))
        for one in status.notes
    )
    return replace(status, notes=tuple(notes))


def _store(office: Office, row: FeatureRow, status: PullStatus, at: float) -> bool:
    """Store what was read; returns whether anything is new."""
    key = row.feature.key
    with office.database.write() as tx:
        before = _last(tx, key)
        rows = findings.findings_of(tx, key, STAGE)
        looks = max((one.first for one in rows), default=0) + 1
        known, changed = followed_notes(key, status, before.known, rows, looks)
        findings.put_findings(tx, changed)
        told = PullEvent(
            number=status.number, url=status.url, state=status.state.value, head=status.head,
            by=status.by, green=status.green, pending=status.pending, red=status.red, known=known,
            kept=before.kept,
        )  # fmt: skip
        if dump(told) == dump(before):
            return False
        fresh = len(known) - len(before.known)
        text = pull_words(told, fresh) + (f": sparing fix {row.feature.id}" if fresh else "")
        name = f"{key}.pull.{at:.3f}"
        events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=STAGE, text=text))
        return True


def pull_words(told: PullEvent, fresh: int = 0) -> str:
    """Its state, in one line."""
    if told.state != PullState.OPEN:
        by = f" by {told.by}" if told.by not in ("", "ghost") else ""
        return f"pull request #{told.number} was {told.state or 'opened'}{by}"
    checks = (
        f"{len(told.red)} red ({', '.join(told.red)})" if told.red else "",
        f"{told.pending} running" if told.pending else "",
        f"{told.green} green" if told.green else "",
    )
    ran = ", ".join(filter(None, checks))
    new = f"{fresh} new finding{'' if fresh == 1 else 's'}" if fresh else ""
    parts = filter(None, (f"checks: {ran}" if ran else "no checks yet", new))
    return f"pull request #{told.number} is open; {'; '.join(parts)}"


def _last(connection: Connection, key: str) -> PullEvent:
    return events.last_what(connection, key, PullEvent) or PullEvent()
