"""A turn that was paid for and recorded, whose dispatch is asked for again by another leg.

The bill is in the ledger, the reply is kept, and what the agent wrote lies in its worktree: the
dispatch goes on from there. A turn that was cut short is asked again, as after any crash.
"""

from __future__ import annotations

from sparing.dispatch.spend import SpendRequest, last_call_after
from sparing.job import LOOP
from sparing.records import ledger, repeats
from sparing.records.ledger import AttemptState, LedgerRow
from sparing.reply import Reply
from sparing.review.stall import fruitless
from sparing.way import Way

MENDING = "repair_secrets"
"""Asked for as often as secrets are found: which of these turns was meant nobody can tell."""


def paid_before(asking: SpendRequest) -> Reply | None:
    """What the turn gave, as if it had been sent now; None if it has to be sent."""
    if asking.template == MENDING:
        return None
    with asking.source.around.database.read() as connection:
        rows = ledger.of_dispatch(connection, asking.ticket.id)
        good = [row for row in rows if row.attempt.template == asking.template and _is_good(row)]
        if not good:
            return None
        row = good[-1]
        assert row.result is not None
        fresh = row.attempt.way != Way.RESUME
        again = fresh and repeats.answered_so(
            connection, row.attempt, asking.ticket.leg_id, row.result.reply
        )
    result, role = row.result, asking.source.job.who
    size = len(asking.source.fetch(result.reply))
    why = fruitless(role, size, asking.patience, repeated=again)
    return Reply(
        failure=LOOP if why else "",
        detail=why,
        reply=result.reply,
        session=result.session,
        context_tokens=result.context_tokens,
        last_call_after=last_call_after(len(result.calls), result.seconds),
        answer_tokens=result.calls[-1]["output"] if result.calls else 0,
    )


def _is_good(row: LedgerRow) -> bool:
    known = row.outcome is AttemptState.KNOWN and row.result is not None
    return known and row.result is not None and not row.result.failure
