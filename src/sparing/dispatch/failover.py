"""Whether another backend takes over a turn that has failed, by the rule `agent.fallback`."""

from dataclasses import replace

from sparing.clients.outage import AT_ONCE, REPEATED
from sparing.dispatch.spend import SpendRequest
from sparing.errors import ConfigError
from sparing.reply import Reply
from sparing.runtime.events import tell
from sparing.turn_event import FailoverEvent


def taken_over(asking: SpendRequest, reply: Reply) -> Reply:
    """With the one that does, which is told; as it is where none may, and then the work waits."""
    # What the ledger has by now is weighed anew: it knows of this failure.
    source, left = replace(asking.source, sent_to="", _read={}), asking.backend.name
    try:
        agent = source.agent
    except ConfigError:
        return reply
    if agent.name == left or reply.failure not in AT_ONCE | REPEATED:
        return reply
    what = FailoverEvent(left=left, taken=agent.name, failure=reply.failure)
    words, name = f"moves from {left} to {agent.name}: {agent.why}", f"failover.{agent.name}"
    with asking.around.database.write() as tx:
        tell(tx, asking.ticket, source.job, what, text=words, name=name)
    return replace(reply, elsewhere=agent.name)
