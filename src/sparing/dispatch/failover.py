"""Whether a turn that has failed is sent again, and by whom: another backend takes over by the rule
`agent.fallback`."""

from __future__ import annotations

from dataclasses import replace

from sparing.dispatch.spend import SpendRequest
from sparing.errors import ConfigError
from sparing.failure import Failure
from sparing.reply import Reply
from sparing.runtime.events import tell
from sparing.runtime.outage import AT_ONCE, REPEATED
from sparing.sent import Sent
from sparing.turn_event import FailoverEvent
from sparing.way import Way

PASSING = REPEATED | {Failure.INVALID_SESSION}
"""Failures worth a second, fresh try."""
RESUMING = PASSING | {Failure.CONTEXT_OVERFLOW, Failure.GARBAGE}
"""Of a session that is gone on with, also these: a fresh one may do better."""
MOST_TRIES = 4
"""How often a turn is sent again: once to the same backend, or to others that take over."""


def again(sent: Sent, reply: Reply, tries: int) -> str | None:
    """What is said of the turn when it is sent again; None if it is not."""
    if reply.elsewhere:
        return ""
    resumed = sent.way is Way.RESUME
    if tries or reply.failure not in (RESUMING if resumed else PASSING):
        return None
    return reply.failed if resumed else ""


def taken_over(asking: SpendRequest, reply: Reply) -> Reply:
    """With the one that does, which is told; as it is where none may, and then the work waits."""
    if reply.failure not in AT_ONCE | REPEATED:
        return reply
    # What the ledger has by now is weighed anew: it knows of this failure.
    source, left = replace(asking.source, sent_to="", _read={}), asking.backend.name
    try:
        agent = source.agent
    except ConfigError:
        return reply
    if agent.name == left:
        return reply
    what = FailoverEvent(left=left, taken=agent.name, failure=reply.failure)
    with asking.around.database.write() as tx:
        words = f"moves from {left} to {agent.name}: {agent.why}"
        name = f"failover.{left}.{agent.name}"
        tell(tx, asking.ticket, source.job, what, text=words, name=name)
    return replace(reply, elsewhere=agent.name)
