"""What a dispatch leaves to be known: warnings of its prompt, files it did not read.

Told as events; nothing of it ever stops the work.
"""

from __future__ import annotations

import sqlite3

from sparing.briefing.review_history import FALLBACK
from sparing.context.prompt.reads import confirmed_reads, missed_reads, unread_warning
from sparing.job import Job
from sparing.records import ledger
from sparing.review.history import Fallback, write_item
from sparing.runtime.events import Teller, tell
from sparing.runtime.source import Source
from sparing.sent import Sent

BLIND = "A"
"""The phase in which tests are thought of without a look at the code."""


def tell_prepared(source: Source, teller: Teller, sent: Sent, fallback: str = "") -> None:
    """A document sent whole, a project without a folder, a session that was lost."""
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


def tell_unread(tx: sqlite3.Connection, source: Source, teller: Teller, sent: Sent) -> None:
    """Files that were given by reference and neither seen being read nor confirmed; and those
    that somebody has read who was to know nothing of the code."""
    if source.phase == BLIND:
        _tell_peeked(tx, source, teller)
    if not sent.reads:
        return
    row = _last(tx, teller)
    if row is None or row.result is None:
        return
    said = confirmed_reads(source.fetch(row.result.reply))
    missed = missed_reads(sent.reads, row.result.files_read, said)
    if missed:
        _warn(tx, source.job, teller, missed)


def _tell_peeked(tx: sqlite3.Connection, source: Source, teller: Teller) -> None:
    row, own = _last(tx, teller), f"{source.folder}/"
    read = row.result.files_read if row is not None and row.result is not None else []
    code = [path for path in read if own not in path]
    if code:
        text = f"{source.job.role} was to know only the documents, and read {', '.join(code[:5])}"
        tell(tx, teller, source.job, "warning", text=text, name="peeked")


def _warn(tx: sqlite3.Connection, job: Job, teller: Teller, missed: tuple[str, ...]) -> None:
    text = unread_warning(job.who)
    tell(tx, teller, job, "unread", text=text, data={"files": list(missed)})


def _last(tx: sqlite3.Connection, teller: Teller) -> ledger.LedgerRow | None:
    rows = [
        row
        for row in ledger.of_feature(tx, teller.feature)
        if row.attempt.dispatch == teller.id and row.result is not None
    ]
    return rows[-1] if rows else None
