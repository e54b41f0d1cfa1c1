"""Steps of a dispatch: what is prepared, sent, read and written down."""

from __future__ import annotations

from sparing.caching import primer
from sparing.dispatch import call as paid
from sparing.dispatch import handoff, research, turn
from sparing.dispatch.judge import judge as judge_reply
from sparing.engine.recorded_step import passing, step
from sparing.finish import lessons, proposals
from sparing.job import Job, Ticket
from sparing.reply import Reply
from sparing.sent import Sent

prepare = step("prepare")(turn.prepare)
prepare_repair = step("prepare-repair")(turn.prepare_repair)
prepare_secrets = step("prepare-secrets")(turn.prepare_secrets)
judge = step("judge")(judge_reply)
commit = step("commit")(turn.commit)
report = step("report")(turn.report)
look_around = step("research")(research.look_around)
prepare_handoff = step("prepare-handoff")(handoff.prepare_handoff)
write_handoff = step("write-handoff")(handoff.write_handoff)
prepare_proposal = step("prepare-proposal")(proposals.prepare_proposal)
propose = step("propose")(proposals.propose)
learn = step("learn")(lessons.learn_from)


@step("prime", preemptible=True)
async def prime(ticket: Ticket, job: Job, sent: Sent) -> bool:
    """Send a prompt prefix ahead for others to read from the cache; nothing depends on it."""
    return await primer.prime(ticket, job, sent, passing)


@step("call", preemptible=True)
async def call(ticket: Ticket, job: Job, sent: Sent, template: str = "", before: int = 0) -> Reply:
    """Call the agent: the step that spends."""
    return await paid.call(ticket, job, sent, template, before, passing)
