"""The steps of a dispatch: prepare, call, conclude. Each may be repeated after a crash.

`prepare` writes nothing but texts named by their hash. `call` is the only one that spends: it
counts the attempt before it asks. `conclude` writes rows under the dispatch's own id and commits
what the agent left, with the job's head as parent, so a repetition gives the same commit.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from sparing.agents.backend import ANSWERING, Access, AgentCall, AgentEvent, AgentReply
from sparing.agents.lock import worktree_lock
from sparing.context import turns
from sparing.engine import arrivals
from sparing.engine.crash import step
from sparing.engine.gather import Source, gather
from sparing.engine.jobs import Job, Result, Turn
from sparing.engine.sent import Sent, choose_way, keep_prompt, load_prompt, seal
from sparing.engine.stories import tell
from sparing.engine.surroundings import Surroundings, current
from sparing.finding import Verdict
from sparing.records import features, ledger, sessions, verdicts
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder
from sparing.review.verdict import SCHEMA, Complaint, passes, read_verdict
from sparing.roles.load import RoleClass
from sparing.segment import Segment, Volatility
from sparing.session import Session
from sparing.way import Way
from sparing.workspace.commit import changed_paths, commit_paths
from sparing.workspace.paths import Confined
from sparing.workspace.worktree import restore


@dataclass(frozen=True, slots=True)
class Ticket:
    """Who asks: names the dispatch and says when it starts."""

    id: str
    feature: str
    at: float
    after: str = ""
    """The sibling that has to begin first."""

    @property
    def step(self) -> str:
        """The id without the repository's key: equal wherever the repository lies."""
        return self.id.removeprefix(f"{self.feature}.")


def row_of(around: Surroundings, key: str) -> FeatureRow:
    with around.database.read() as connection:
        row = features.get(connection, key)
    assert row is not None, f"{key} has no row"
    return row


@step("prepare")
async def prepare(ticket: dict[str, Any], job: dict[str, Any], fresh: bool) -> dict[str, Any]:
    source = _source(Ticket(**ticket), Job.load(job))
    brief = await asyncio.to_thread(gather, source)
    return seal(source, brief, choose_way(source, brief, fresh=fresh)).dump()


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


@step("call", preemptible=True)
async def call(ticket: dict[str, Any], job: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Ask the agent. Counted before, recorded after; a row without an end is a killed turn."""
    asked, source = Ticket(**ticket), _source(Ticket(**ticket), Job.load(job))
    prepared = Sent.load(sent)
    around = source.around
    await arrivals.after(asked.after)
    with around.database.write() as tx:
        number = ledger.begin(tx, _attempt(source, asked, prepared))
        tell(tx, asked, source.job, "asks", data={"way": prepared.way, "attempt": number})
    reply = await _run(source, asked, prepared, number)
    with around.database.write() as tx:
        ledger.finish(tx, asked.id, number, _ledger_result(around.folder, reply))
    return {
        "reply": around.folder.keep(reply.text),
        "session": reply.session,
        "context_tokens": reply.context_tokens,
        "failure": reply.failure.value if reply.failure else "",
        "detail": reply.detail,
    }


@step("judge")
async def judge(
    ticket: dict[str, Any], job: dict[str, Any], reply: dict[str, Any], last: bool
) -> dict[str, Any]:
    """Read a reviewer's reply. A complaint is sent back once; the last one fails the iteration."""
    asked, source = Ticket(**ticket), _source(Ticket(**ticket), Job.load(job))
    found = read_verdict(source.role.name, source.fetch(reply["reply"]))
    if isinstance(found, Complaint):
        if not last:
            return {"complaint": found.what}
        found = Verdict(source.role.name, approved=False, summary=f"no verdict: {found.what}")
    job_ = source.job
    row = verdicts.VerdictRow(
        asked.id, asked.feature, job_.stage, job_.iteration, job_.head, passes(found), found,
        asked.at,
    )  # fmt: skip
    with source.around.database.write() as tx:
        verdicts.put(tx, row)
        data = {"passed": row.passed, "findings": [f.severity for f in found.findings]}
        tell(tx, asked, job_, "verdict", text=found.summary, data=data)
    return {"complaint": "", "passed": row.passed}


@step("remember")
async def remember(
    ticket: dict[str, Any], job: dict[str, Any], sent: dict[str, Any], reply: dict[str, Any]
) -> None:
    """Keep the session: the id that the call returned replaces the old one."""
    asked, source = Ticket(**ticket), _source(Ticket(**ticket), Job.load(job))
    job_ = source.job
    old = source.session
    resumed = sent["way"] == Way.RESUME.value and old is not None
    kept = Session(
        reply["session"], job_.role, source.around.backend(source.row).name, sent["model"],
        old.prompt_chars if resumed and old else sent["chars"], reply["context_tokens"],
        max(1, job_.iteration), job_.head, asked.at,
    )  # fmt: skip
    with source.around.database.write() as tx:
        sessions.put(tx, asked.feature, session_scope(job_), kept)


@step("commit")
async def commit(
    ticket: dict[str, Any], job: dict[str, Any], reply: dict[str, Any]
) -> dict[str, Any]:
    """Commit all that the author changed, on top of the job's head."""
    asked, source = Ticket(**ticket), _source(Ticket(**ticket), Job.load(job))
    change = await asyncio.to_thread(_commit, source, asked)
    if change is None:
        result = Result(failure="nothing changed", detail=f"{source.job.role} left no change")
        return result.dump()
    with source.around.database.write() as tx:
        tell(tx, asked, source.job, "commit", text=_subject(source), data={"commit": change})
    return Result(commit=change, reply=reply["reply"]).dump()


@step("report")
async def report(
    ticket: dict[str, Any], job: dict[str, Any], result: dict[str, Any]
) -> dict[str, Any]:
    """Write down and commit what a judge found, whatever it was."""
    asked, source = Ticket(**ticket), _source(Ticket(**ticket), Job.load(job))

    def reported() -> str | None:
        _write_report(source, asked.id)
        return _commit(source, asked)

    commit_id = await asyncio.to_thread(reported)
    return {**result, "commit": commit_id or source.job.head}


@step("guard")
async def guard(ticket: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """A reviewer must have left the tree as it was."""
    source = _source(Ticket(**ticket), Job.load(job))
    changed = await asyncio.to_thread(_left_changes, source)
    if changed:
        return Result(failure="a reviewer wrote", detail=", ".join(changed)).dump()
    return Result().dump()


def session_scope(job: Job) -> str:
    """Sessions are kept per stage; each task's implementer has its own."""
    return f"{job.stage}/{job.task}" if job.task else job.stage


def _source(ticket: Ticket, job: Job) -> Source:
    around = current()
    row = row_of(around, ticket.feature)
    with around.database.read() as connection:
        session = sessions.get(connection, ticket.feature, session_scope(job), job.role)
    return Source(around, row, job, session)


def _attempt(source: Source, ticket: Ticket, sent: Sent) -> ledger.Attempt:
    job = source.job
    return ledger.Attempt(
        ticket.id, ticket.feature, job.stage, job.role, job.iteration, job.task, sent.way.value,
        sent.reason, source.around.backend(source.row).name, sent.model, sent.prompt, sent.chars,
        sent.naive, ticket.at,
    )  # fmt: skip


async def _run(source: Source, ticket: Ticket, sent: Sent, number: int) -> AgentReply:
    around, row = source.around, source.row
    writes = source.role.role_class is RoleClass.AUTHOR
    worktree = await asyncio.to_thread(around.worktree, row, source.job.head)
    lock = around.folder.locks / f"{row.feature.name}.{source.job.role}.lock"
    with worktree_lock(lock) as descriptor:
        if writes:
            salvage = f"{ticket.id}.{number}"
            await asyncio.to_thread(restore, worktree, source.job.head, salvage)
        agent_call = AgentCall(
            id=f"{ticket.id}.{number}.{sent.prompt[:8]}",
            role=source.job.role,
            stage=source.job.stage,
            iteration=source.job.iteration,
            task=source.job.task,
            system=turns.system(source.role.role_class.value),
            prompt=load_prompt(around.folder, sent.prompt),
            cwd=worktree.path,
            folder=around.feature_folder(row),
            access=Access.WORKTREE if writes else Access.READ_ONLY,
            model=sent.model,
            at=ticket.at,
            limit_seconds=around.settings(row).agent.limit_seconds,
            resume=sent.resume,
            schema=None if writes else SCHEMA,
            lock=descriptor,
        )
        return await around.backend(row).run(agent_call, _listener(source, ticket, number))


def _listener(source: Source, ticket: Ticket, number: int) -> Any:
    """What the agent does, told as it happens."""
    seen: list[AgentEvent] = []

    def listen(event: AgentEvent) -> None:
        if event.kind == ANSWERING:
            arrivals.answering(ticket.id)
            return
        seen.append(event)
        with source.around.database.write() as tx:
            name = f"{event.kind}.{number}.{len(seen)}"
            tell(tx, ticket, source.job, event.kind, text=event.text, name=name)

    return listen


def _ledger_result(folder: StateFolder, reply: AgentReply) -> ledger.Result:
    return ledger.Result(
        reply.session, reply.usage, reply.origin,
        [{"added": c.added, "output": c.output} for c in reply.calls], reply.context_tokens,
        reply.seconds, list(reply.files_read), folder.keep(reply.text),
        reply.failure.value if reply.failure else "", reply.detail,
    )  # fmt: skip


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
