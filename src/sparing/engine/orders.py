"""A person's word to a leg that runs: pause it, or give it up.

Obeyed between two moves: what is under way is finished and recorded first, so nothing is paid
for in vain. It is part of the recorded decision; a replay obeys the same words.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.advance import advance
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind
from sparing.records import mailbox
from sparing.runtime.surroundings import Surroundings
from sparing.stages.moves import Next

PAUSE = "pause"
ABANDON = "abandon"
ORDERS = {
    PAUSE: Outcome(OutcomeKind.FAILED, reason="paused by you", cause=Cause.PAUSED),
    ABANDON: Outcome(OutcomeKind.ABANDON, reason="abandoned by you"),
}


def under_orders(around: Surroundings, leg: str, found: Next) -> Next:
    """The move that was decided, unless a person wants this leg to end."""
    if not found.jobs:
        return found
    with around.database.read() as connection:
        verb = mailbox.of_leg(connection, leg, tuple(ORDERS))
    if not verb:
        return found
    move = advance(found.place.state, ORDERS[verb])
    if move.do is Do.REFUSE:
        return found
    return Next(move.do, replace(found.place, state=move.state))
