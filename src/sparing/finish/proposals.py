"""A project split into features: the proposal is checked, numbered and written as a roadmap.

The role proposes in a fixed form and changes nothing; a proposal without features or with a cycle
goes back once. Numbers on a roadmap are reserved for its features from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.commit_purpose import Purpose
from sparing.commits.feature_commit import commit_feature, stamp_of
from sparing.context.prompt.inclusion import defuse
from sparing.dispatch.turn import Leak
from sparing.dispatch_policy import Way
from sparing.errors import SparingError
from sparing.event import WarningEvent
from sparing.feature import slugify
from sparing.flow.project import KEYS, Project, circle, in_order, read_project, roadmap
from sparing.flow.roadmap import numbers, read_roadmap
from sparing.job import Job, JobResult, Ticket
from sparing.prompts.render import fill
from sparing.records import features
from sparing.records.folder import keep_prompt
from sparing.reply import Reply, ReplyOutcome
from sparing.review.reply import ReplyProblem, find_answer
from sparing.runtime.events import tell
from sparing.runtime.source import Source, source_of
from sparing.runtime.surroundings import current
from sparing.segment import Segment, Volatility
from sparing.sent import Sent
from sparing.turn_event import CommitEvent
from sparing.workspace.git.base_branch import resolve_base, taken_numbers
from sparing.workspace.project.leaks import SecretsFound, refuse_secrets
from sparing.workspace.project.paths import Confined
from sparing.workspace.project.projects import files_of, projects_at

UNUSABLE = "the proposal is not usable"


async def prepare_proposal(sent: Sent, session: str, problem: str) -> Sent:
    """The one turn in which a proposal may be put right."""
    text = fill("blocks", "repair_proposal", problem=defuse(problem))
    segment = Segment("turn", text, Volatility.ITERATION)
    return replace(
        sent, prompt=keep_prompt(current().folder, (segment,)), chars=len(text),
        way=Way.RESUME, reason=UNUSABLE, resume=session, choice=sent.going_on,
    )  # fmt: skip


async def propose(ticket: Ticket, job: Job, reply: Reply, last: bool) -> ReplyOutcome:
    """Read a proposal and write it down; a complaint is sent back once, then it is a failure."""
    source = source_of(ticket, job)
    found = _read(source.fetch(reply.reply))
    if isinstance(found, str):
        result = JobResult(failure=UNUSABLE, detail=found)
        return ReplyOutcome("" if last else found, result)
    try:
        commit = await asyncio.to_thread(_written, source, ticket, found)
    except SecretsFound as secrets:
        return ReplyOutcome(result=Leak(tuple(secrets.places)).result)
    except SparingError as error:
        return ReplyOutcome(result=JobResult(failure=error.what, detail=error.repair))
    with source.around.database.write() as tx:
        text = stamp_of(source, _purpose(source), ticket.step, ticket.at).subject
        tell(tx, ticket, job, CommitEvent(commit), text=text)
        for number, fault in enumerate(found.faults):
            tell(tx, ticket, job, WarningEvent(), text=fault, name=f"warning.{number}")
    return ReplyOutcome(result=JobResult(commit=commit, reply=reply.reply))


def _read(reply: str) -> Project | str:
    """What is proposed, or why it can't be used."""
    answer = find_answer(reply, KEYS)
    if isinstance(answer, ReplyProblem):
        return answer.what
    project = read_project(answer.value)
    if not project.features:
        return "it names no feature"
    ring = circle(project.features)
    return f"these features wait for each other: {' → '.join(ring)}" if ring else project


def _written(source: Source, ticket: Ticket, project: Project) -> str:
    """The commit with the roadmap; a repeated step finds the one it made."""
    around, row, head = source.around, source.row, source.job.head
    worktree = around.worktree(row, head)
    path = source.path(ArtifactName.ROADMAP)
    text = roadmap(row.feature.title, project, _folders(source, project))
    Confined(worktree.path).write_text(path, text)
    refuse_secrets(worktree, head, (path,), around.folder.redactor.known)
    change = commit_feature(source, ticket, worktree, (path,), _purpose(source))
    return head if change.empty else change.commit


def _purpose(source: Source) -> Purpose:
    return Purpose("docs", f"propose {ArtifactName.ROADMAP.filename}", source.job.role)


def _folders(source: Source, project: Project) -> dict[str, str]:
    """A folder for each feature, in the order in which they can be built."""
    first = 1 + max(_taken(source), default=0)
    return {
        one.name: f"{number:03d}-{slugify(one.name)}"
        for number, one in enumerate(in_order(project.features), first)
    }


def _taken(source: Source) -> Iterator[int]:
    """Numbers that features have, or that another project's features were promised."""
    around, flow = source.around, source.around.settings(source.row).flow
    repo, base = around.repository, around.settings(source.row).workspace.base_branch
    yield from taken_numbers(repo, flow.features_folder)
    with around.database.read() as connection:
        rows = features.list_all(connection)
    yield from (row.feature.number for row in rows if not row.feature.is_project)
    mine = source.row.feature.name
    texts = [
        files_of(repo, row.head, flow.folder_of(row.feature), -row.feature.number).roadmap
        for row in rows
        if row.feature.is_project and row.feature.name != mine
    ]
    there = projects_at(repo, resolve_base(repo, base).commit, flow.projects_folder)
    texts += [one.roadmap for one in there if one.folder != mine]
    for text in texts:
        yield from numbers(read_roadmap(text))
