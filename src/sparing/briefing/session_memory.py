"""What a role's session has done already, and so need not be told again."""

from __future__ import annotations

from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.session import Session
from sparing.turn import Turn


def last_look(source: Source, session: Session) -> int:
    """The iteration in which it worked last. A session that has not settled findings was not told
    how, whatever else it was asked in between: it counts as in its first, any other as later."""
    if source.job.turn is not Turn.REVISE:
        return session.iteration
    settled = any(row.attempt.template == Turn.REVISE for row in _turns_of(source, session))
    return max(session.iteration, 2) if settled else 1


def was_here(source: Source, session: Session) -> bool:
    """Whether it was in this stage before, and knows what the stage wants."""
    return bool(_turns_of(source, session))


def is_stranger(source: Source, session: Session) -> bool:
    """Whether only other roles have worked in it: it does not know this one's text or forms. A turn
    that ended without a reply may not have told it."""
    rows = _all_turns(source, session)
    own = (one for one in rows if one.attempt.role == source.job.role)
    return bool(rows) and not any(one.is_good for one in own)


def _turns_of(source: Source, session: Session) -> list[ledger.LedgerRow]:
    """Its successful turns in this stage."""
    own, rows = (source.job.stage, source.job.role), _all_turns(source, session)
    return [one for one in rows if one.is_good and (one.attempt.stage, one.attempt.role) == own]


def _all_turns(source: Source, session: Session) -> list[ledger.LedgerRow]:
    with source.around.database.read() as connection:
        return ledger.of_session(connection, source.row.feature.key, session.id)
