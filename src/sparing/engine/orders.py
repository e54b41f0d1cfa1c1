"""A person's order to a running leg: pause it, or give it up.

Carried out between two moves: work in progress is finished and recorded first, so nothing paid for
is lost. It is part of the recorded decision; a replay follows the same order.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.advance import advance
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind
from sparing.stages.moves import Next

PAUSE = "pause"
ABANDON = "abandon"
ORDERS = {
    PAUSE: Outcome(OutcomeKind.FAILED, reason="paused by you", cause=Cause.PAUSED),
    ABANDON: Outcome(OutcomeKind.ABANDON, reason="abandoned by you"),
}


def under_orders(verb: str, found: Next) -> Next:
    """The move that was decided, unless a person wants this leg to end."""
    if not found.jobs or not verb:
        return found
    move = advance(found.place.state, ORDERS[verb])
    if move.do is Do.REFUSE:
        return found
    return Next(move.do, replace(found.place, state=move.state))
