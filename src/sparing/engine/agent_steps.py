"""The steps of a dispatch around its call. Each may be repeated after a crash.

`prepare` writes nothing but texts named by their hash. What follows the call writes rows under
the dispatch's own id and commits what the agent left, with the job's head as parent, so a
repetition gives the same commit. None of them spends.
"""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from typing import Any

from sparing.context import turns
from sparing.engine.crash import step
from sparing.engine.gather import Source, gather
from sparing.engine.jobs import Job, Result, Turn
from sparing.engine.notes import tell_unread, tell_warnings
from sparing.engine.sent import Sent, choose_way, keep_prompt, seal
from sparing.engine.stories import tell
from sparing.engine.surroundings import Surroundings, current
from sparing.engine.tickets import Ticket
from sparing.finding import Verdict
from sparing.records import features, sessions, verdicts
from sparing.records.features import FeatureRow
from sparing.review.verdict import Complaint, passes, read_verdict
from sparing.segment import Segment, Volatility
from sparing.session import Session
from sparing.way import Way
from sparing.workspace.commit import changed_paths, commit_paths
from sparing.workspace.paths import Confined

ROUNDS = frozenset({Turn.REVISE, Turn.REPAIR_CHECKS})
"""Turns of a loop: one that changes nothing is borne, and counted."""


def row_of(around: Surroundings, key: str) -> FeatureRow:
    with around.database.read() as connection:
        row = features.get(connection, key)
    assert row is not None, f"{key} has no row"
    return row


@step("prepare")
async def prepare(ticket: dict[str, Any], job: dict[str, Any], fresh: bool) -> dict[str, Any]:
    asked = Ticket(**ticket)
    source = source_of(asked, Job.load(job))
    brief = await asyncio.to_thread(gather, source)
    sent = seal(source, brief, choose_way(source, brief, fresh=fresh))
    tell_warnings(source, asked, sent)
    return sent.dump()


@step("prepare-repair")
async def prepare_repair(sent: dict[str, Any], session: str, problem: str) -> dict[str, Any]:
    """The one turn in which a reviewer may put its reply into shape."""
    around = current()
    segment = Segment("turn", turns.repair_reply(problem), Volatility.ITERATION)
    repair = replace(
        Sent.load(sent), prompt=keep_prompt(around.folder, (segment,)), chars=len(segment.text),
        way=Way.RESUME, reason="the reply was no verdict", resume=session,
    )  # fmt: skip
    return repair.dump()


@step("judge")
async def judge(
    ticket: dict[str, Any],
    job: dict[str, Any],
    sent: dict[str, Any],
    reply: dict[str, Any],
    last: bool,
) -> dict[str, Any]:
    """Read a reviewer's reply. A complaint is sent back once; the last one fails the iteration."""
    asked, source = Ticket(**ticket), source_of(Ticket(**ticket), Job.load(job))
    role = source.role
    found = read_verdict(role.name, source.fetch(reply["reply"]), role.categories)
    if isinstance(found, Complaint):
        if not last:
            return {"complaint": found.what}
        found = Verdict(role.name, approved=False, summary=f"no verdict: {found.what}")
    written = await asyncio.to_thread(_left_changes, source)
    if written:
        failure = Result(failure="a reviewer wrote", detail=", ".join(written))
        return {"complaint": "", "result": failure.dump()}
    passed = passes(found)
    with source.around.database.write() as tx:
        verdicts.put(tx, _verdict_row(source, asked, found))
        _remember(tx, source, asked, Sent.load(sent), reply)
        data = {"passed": passed, "findings": [f.severity for f in found.findings]}
        tell(tx, asked, source.job, "verdict", text=found.summary, data=data)
    result = Result(dispatch=asked.id, passed=passed, reply=reply["reply"], role=role.name)
    return {"complaint": "", "result": result.dump()}


@step("commit")
async def commit(
    ticket: dict[str, Any], job: dict[str, Any], sent: dict[str, Any], reply: dict[str, Any]
) -> dict[str, Any]:
    """Commit all that the author changed, on top of the job's head."""
    asked, source = Ticket(**ticket), source_of(Ticket(**ticket), Job.load(job))
    change = await asyncio.to_thread(_commit, source, asked)
    with source.around.database.write() as tx:
        _remember(tx, source, asked, Sent.load(sent), reply)
        if change is not None:
            tell(tx, asked, source.job, "commit", text=_subject(source), data={"commit": change})
    if change is None and source.job.turn in ROUNDS:
        return Result(commit=source.job.head, reply=reply["reply"], changed=False).dump()
    if change is None:
        result = Result(failure="nothing changed", detail=f"{source.job.role} left no change")
        return result.dump()
    return Result(commit=change, reply=reply["reply"]).dump()


@step("report")
async def report(
    ticket: dict[str, Any], job: dict[str, Any], result: dict[str, Any]
) -> dict[str, Any]:
    """Write down and commit what a judge found, whatever it was."""
    asked, source = Ticket(**ticket), source_of(Ticket(**ticket), Job.load(job))

    def reported() -> str | None:
        _write_report(source, asked.id)
        return _commit(source, asked)

    commit_id = await asyncio.to_thread(reported)
    return {**result, "commit": commit_id or source.job.head}


def session_scope(job: Job) -> str:
    """Sessions are kept per stage; each task's implementer has its own."""
    return f"{job.stage}/{job.task}" if job.task else job.stage


def _verdict_row(source: Source, ticket: Ticket, found: Verdict) -> verdicts.VerdictRow:
    job = source.job
    return verdicts.VerdictRow(
        ticket.id, ticket.feature, job.stage, job.iteration, job.head, passes(found), found,
        ticket.at,
    )  # fmt: skip


def _remember(
    tx: sqlite3.Connection, source: Source, ticket: Ticket, sent: Sent, reply: dict[str, Any]
) -> None:
    """Keep the session: the id that the call returned replaces the old one."""
    job, old = source.job, source.session
    resumed = sent.way is Way.RESUME and old is not None
    kept = Session(
        reply["session"], job.role, source.around.backend(source.row).name, sent.model,
        old.prompt_chars if resumed and old else sent.chars, reply["context_tokens"],
        max(1, job.iteration), job.head, ticket.at,
    )  # fmt: skip
    sessions.put(tx, ticket.feature, session_scope(job), kept)
    tell_unread(tx, source, ticket, sent)


def source_of(ticket: Ticket, job: Job) -> Source:
    around = current()
    row = row_of(around, ticket.feature)
    with around.database.read() as connection:
        session = sessions.get(connection, ticket.feature, session_scope(job), job.role)
    return Source(around, row, job, session)


def _commit(source: Source, ticket: Ticket) -> str | None:
    worktree = source.around.worktree(source.row, source.job.head)
    paths = changed_paths(worktree, source.job.head)
    feature = source.row.feature
    change = commit_paths(
        worktree, source.job.head, paths, _subject(source), feature.name, ticket.step, ticket.at
    )
    return None if change.empty else change.commit


def _subject(source: Source) -> str:
    """Subjects say which stage and which turn a commit belongs to."""
    job = source.job
    if job.task:
        return f"sparing: {job.stage} task {job.task}"
    if job.turn is Turn.REVISE:
        return f"sparing: {job.stage} review iteration {job.iteration}"
    return f"sparing: {job.stage} by {job.role}"


def _left_changes(source: Source) -> tuple[str, ...]:
    worktree = source.around.worktree(source.row, source.job.head)
    return changed_paths(worktree, source.job.head)


def _write_report(source: Source, dispatch: str) -> None:
    """A judge's verdict as the stage's document: the program writes it, the judge only reads."""
    writes = source.stage.writes
    assert writes is not None
    with source.around.database.read() as connection:
        row = verdicts.get(connection, dispatch)
    assert row is not None
    worktree = source.around.worktree(source.row, source.job.head)
    Confined(worktree.path).write_text(source.path(writes), turns.report(row.verdict, row.passed))
