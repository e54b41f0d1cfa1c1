"""The parts of a dispatch around its call. Each may be repeated after a crash.

`prepare` writes nothing but texts named by their hash. What follows the call writes rows under the
dispatch's own id and commits what the agent left, with the job's head as parent, so a repetition
gives the same commit. None of them spends.

Also whether a prompt's beginning is sent ahead on its own, to be cached for an hour.

Decided once the way to send it is chosen, and priced by the economy room, from what the cache
should hold and when prompts with such a trunk were sent, here and in other features.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace

from sparing.briefing.background import with_words
from sparing.briefing.extras import aided
from sparing.briefing.fact_sheet import author_facts
from sparing.briefing.gather import gather
from sparing.briefing.handoff_block import may_leave, tell_handoff
from sparing.briefing.lessons import tell_given
from sparing.briefing.recall import tell_prepared, tell_unread
from sparing.cache import CacheBlock
from sparing.commits.feature_commit import changed_by_author, commit_feature, stamp_of
from sparing.connection import Connection
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.review_words import repair_reply
from sparing.dispatch.agent_purpose import agent_purpose
from sparing.dispatch.prompt import seal, with_model
from sparing.dispatch.way_choice import Chosen
from sparing.dispatch_policy import Lever, Way
from sparing.economy.cache_contents import cached_tokens
from sparing.economy.cache_lives import NO_PRIMER, Primer, expected_returns, primer, steady_end
from sparing.errors import SparingError, recordable
from sparing.job import Job, JobResult, Ticket, failed_result
from sparing.read_once import each_read_once, forget_reads
from sparing.records import ledger, sessions, verdicts
from sparing.records.folder import keep_prompt
from sparing.reply import Reply
from sparing.runtime import signals, turn_history
from sparing.runtime.events import tell
from sparing.runtime.levers import levers_of
from sparing.runtime.source import Source, session_owner, session_scope, source_of
from sparing.runtime.surroundings import current
from sparing.segment import Segment, Volatility
from sparing.sent import NotSent, Sent, SentAhead
from sparing.session import Session
from sparing.stages.questions import nothing_changed
from sparing.turn import TURNS
from sparing.workspace.git.commit import KeptFiles
from sparing.workspace.git.kept_turn import as_left, drop_turns, lay_down
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.leaks import SecretsFound, refuse_secrets
from sparing.workspace.project.paths import Confined


async def prepare(ticket: Ticket, job: Job, error: str) -> Sent | NotSent:
    """Gather, choose, compose; `error` says why the session could not be resumed just now."""
    source = source_of(ticket, job)
    try:
        with each_read_once():
            brief = await asyncio.to_thread(_gathered, source, ticket)
            if ticket.after:
                # What a sibling has begun to send is known to be cached: it counts in the choice.
                await signals.after(ticket.after)
                forget_reads()
            return await asyncio.to_thread(_prepared, source, ticket, brief, error)
    except SparingError as found:
        refused = recordable(found)
        return NotSent(refused.what, refused.repair)


def _gathered(source: Source, asked: Ticket) -> Brief:
    """Gather; a task that runs beside others gets its own worktree, made while the first begins."""
    if source.job.lane:
        source.around.worktree(source.row, source.job.head, source.job.lane)
    return with_words(gather(source), source, asked)


def _prepared(source: Source, asked: Ticket, brief: Brief, error: str) -> Sent:
    source, chosen = with_model(source, aided(brief, source), asked.at, error)
    sent = seal(source, brief, chosen, ahead_of(source, chosen))
    tell_prepared(source, asked, sent, chosen.marker)
    tell_given(source, asked, chosen.composed)
    return sent


async def prepare_repair(
    sent: Sent, session: str, problem: str, verdict: bool = True, panel: tuple[str, ...] = ()
) -> Sent:
    """The one turn in which a reviewer may correct its reply; for a verdict the form is shown."""
    words = repair_reply(problem, verdict=verdict, panel=panel)
    return _repair(sent, session, words, "the reply was not a verdict")


async def prepare_secrets(sent: Sent, session: str, places: tuple[str, ...]) -> Sent:
    """The turn in which an author takes secrets out of what it has written."""
    return _repair(sent, session, turn_words.repair_secrets(places), "its change contains secrets")


def _repair(sent: Sent, session: str, words: str, reason: str) -> Sent:
    segment = Segment("turn", words, Volatility.ITERATION)
    return replace(
        sent, prompt=keep_prompt(current().folder, (segment,)), chars=len(words),
        way=Way.RESUME, reason=reason, resume=session, choice=sent.going_on,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leak:
    """Where a change that was not committed holds secrets; never what they are."""

    secrets: tuple[str, ...]

    @property
    def result(self) -> JobResult:
        return JobResult(failure="a secret would be committed", detail="; ".join(self.secrets))


async def commit(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult | Leak:
    """Commit all that the author changed, on top of the job's head, if no secret is in it."""
    source = source_of(ticket, job, sent.backend)
    try:
        change = await asyncio.to_thread(_commit, source, ticket)
    except SecretsFound as found:
        with source.around.database.write() as tx:
            _tell_secrets(tx, ticket, source, found.places)
        return Leak(tuple(found.places))
    except SparingError as error:
        return failed_result(error)
    keep = await asyncio.to_thread(author_facts, source, reply.reply, change or job.head, ticket)
    with source.around.database.write() as tx:
        keep(tx)
        remember(tx, source, ticket, sent, reply, change or "")
        if change is not None:
            _tell_commit(tx, source, ticket, change)
        tell_handoff(tx, ticket, source, reply.reply)
    if change is None and (TURNS[job.turn].may_leave or may_leave(source, reply.reply)):
        return JobResult(commit=job.head, reply=reply.reply, changed=False)
    if change is None:
        return nothing_changed(job.role, source.fetch(reply.reply), reply.reply)
    return JobResult(commit=change, reply=reply.reply)


async def report(ticket: Ticket, job: Job, result: JobResult) -> JobResult:
    """Write down and commit what a judge found, whatever it was."""
    source = source_of(ticket, job)

    def reported() -> str | None:
        _write_report(source, ticket.id)
        return _commit(source, ticket)

    try:
        commit_id = await asyncio.to_thread(reported)
    except SecretsFound as found:
        return Leak(tuple(found.places)).result
    except SparingError as error:
        return failed_result(error)
    if commit_id:
        with source.around.database.write() as tx:
            _tell_commit(tx, source, ticket, commit_id)
            if source.transition:
                _saw(tx, source, ticket, commit_id)
    return replace(result, commit=commit_id or job.head)


def _tell_commit(tx: Connection, source: Source, ticket: Ticket, commit_id: str) -> None:
    stamp = stamp_of(source, agent_purpose(source), ticket.step, ticket.at)
    tell(tx, ticket, source.job, "commit", text=stamp.subject, data={"commit": commit_id})


def _saw(tx: Connection, source: Source, ticket: Ticket, commit_id: str) -> None:
    """Note that the session that gave a verdict knows its report."""
    scope = session_scope(source.job)
    session = sessions.get(tx, ticket.feature, scope, session_owner(source.job))
    if session is not None:
        sessions.put(tx, ticket.feature, scope, replace(session, commit=commit_id))


def began_at(tx: Connection, ticket: Ticket) -> float:
    """When the last try really began, which is not when it was planned to."""
    if (known := current().last_tries.get(ticket.id)) is not None:
        return known
    rows = ledger.of_dispatch(tx, ticket.id)
    return rows[-1].attempt.started if rows else ticket.at


def remember(
    tx: Connection,
    source: Source,
    ticket: Ticket,
    sent: Sent,
    reply: Reply,
    committed: str = "",
) -> None:
    """Keep the session: the id that the call returned replaces the old one. What an author has
    committed it has seen."""
    job, old = source.job, source.session
    resumed = sent.way is Way.RESUME and old is not None
    began = began_at(tx, ticket)
    kept = Session(
        id=reply.session,
        role=session_owner(job),
        backend=source.backend.name,
        model=sent.model,
        prompt_chars=old.prompt_chars if resumed and old else sent.chars,
        context_tokens=reply.context_tokens,
        iteration=max(1, job.iteration),
        commit=committed or job.head,
        last_activity=began,
        opening=old.opening if resumed and old else sent.prompt,
        last_call=began + reply.last_call_after,
        answer_tokens=reply.answer_tokens,
    )
    sessions.put(tx, ticket.feature, session_scope(job), kept)
    tell_unread(tx, source, ticket, sent)


def _tell_secrets(tx: Connection, ticket: Ticket, source: Source, places: tuple[str, ...]) -> None:
    text = f"not committed, it contains secrets: {'; '.join(places)}"
    name = f"secrets.{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    tell(tx, ticket, source.job, "incident", text=text, name=name)


def _commit(source: Source, ticket: Ticket) -> str | None:
    worktree = source.around.worktree(source.row, source.job.head, source.job.lane)
    with source.around.database.read() as connection:
        rows = ledger.of_dispatch(connection, ticket.id)
    kept = _kept(worktree, source.job.head, ticket.id, [one.number for one in rows if one.is_good])
    paths = changed_by_author(source, worktree, kept)
    refuse_secrets(worktree, source.job.head, paths, source.around.folder.redactor.known)
    change = commit_feature(source, ticket, worktree, paths, agent_purpose(source), kept=kept)
    drop_turns(worktree.repository, ticket.id, [row.number for row in rows])
    return None if change.empty else change.commit


def _kept(worktree: Worktree, head: str, dispatch: str, good: list[int]) -> KeptFiles | None:
    """Files as the last good turn left them; None if they first had to be restored."""
    if not good:
        return None
    if left := as_left(worktree, head, dispatch, good[-1]):
        return KeptFiles(left)
    lay_down(worktree, head, dispatch, good[-1])
    return None


def _write_report(source: Source, dispatch: str) -> None:
    """A judge's verdict as the stage's document: the program writes it, the judge only reads."""
    writes = source.stage.writes
    assert writes is not None
    with source.around.database.read() as connection:
        row = verdicts.get(connection, dispatch)
    assert row is not None
    worktree = source.around.worktree(source.row, source.job.head)
    Confined(worktree.path).write_text(
        source.path(writes), turn_words.report(row.verdict, row.passed)
    )


def ahead_of(source: Source, chosen: Chosen) -> SentAhead | None:
    """What to send ahead; None in most cases."""
    blocks = _blocks(source, chosen)
    found = _priced(source, chosen, blocks) if blocks else NO_PRIMER
    if not found.pays:
        return None
    rates, group = chosen.inputs.rates, chosen.sent_with.group or ""
    reason = (
        f"about {found.returns:.1f} prompts of {group} follow after more than five minutes: sent"
        f" ahead for an hour this costs as much as {rates.equivalents(found.cost):,.0f} input"
        f" tokens and saves {rates.equivalents(found.saves):,.0f}"
    )
    told = tuple((one.digest, one.tokens) for one in blocks)
    return SentAhead(len(blocks), group, told, reason)


def _blocks(source: Source, chosen: Chosen) -> tuple[CacheBlock, ...]:
    """What will be sent again as it is: the trunk without what the next round replaces."""
    if chosen.decision.way is not Way.COMPOSE or Lever.PRIMER not in levers_of(source):
        return ()
    if not TURNS[source.job.turn].trunk_is_shared:
        return ()
    composed = chosen.composed
    return chosen.inputs.offers[Way.COMPOSE].blocks[: steady_end(composed.segments, composed.trunk)]


def _priced(source: Source, chosen: Chosen, blocks: tuple[CacheBlock, ...]) -> Primer:
    inputs = chosen.inputs
    base = inputs.offers[Way.COMPOSE].base or inputs.base
    size = base.tokens + sum(one.tokens for one in blocks)
    if size < inputs.minimum_tokens:
        return NO_PRIMER
    cached = cached_tokens(base, blocks, inputs.known, inputs.first_call_at)
    backend, group = source.backend.name, chosen.sent_with.group or ""
    with source.around.database.read() as connection:
        uses = turn_history.trunk_uses(connection, backend, group)
    return primer(inputs.rates, size, cached, expected_returns(uses, inputs.at))
