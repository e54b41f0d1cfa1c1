"""Viewing a prompt: one that was sent, or one that a role would be sent.

Nothing is dispatched; nothing is written except the secret that wrappers are made with. What a turn
refers to (the last review, the author's words, open findings) is looked up in the records, as in a
real run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.briefing.extras import aided
from sparing.briefing.gather import gather, read_tasks
from sparing.briefing.trunk_group import PromptClient, client_of, order_of, system_of, trunk_key
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import Composed, compose, plain_system
from sparing.context.prompt.shorten import compact
from sparing.desk.features.sent_prompts import StagePast, stored_segments
from sparing.dispatch_policy import Order, Way
from sparing.ending import ROLE as RETRO
from sparing.errors import ConfigError, FeatureError, UsageError
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage, StageWork
from sparing.job import Job, JobKind
from sparing.records import ledger
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment, Volatility
from sparing.session import Session
from sparing.turn import Turn
from sparing.turn_kind import KINDS

UNKNOWN_CLIENT = PromptClient("auto", "", 1)


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """Which prompt a person wants to see."""

    role: str
    stage: str = ""
    iteration: int = 0
    """0: the last that was sent, or the first."""
    task: str = ""
    way: Way | None = None
    order: Order | None = None
    final: bool = False
    lost: bool = False


class Peeked(NamedTuple):
    composed: Composed
    stage: str
    iteration: int
    way: Way
    order: Order | None
    """None for a prompt that was sent: its blocks are shown as they were sent."""
    model: str
    system: Segment
    trunk_key: str
    schema: str
    """Output schema as compact JSON; empty for free text."""
    sent: bool
    warnings: tuple[str, ...]
    final: bool = False


def peek(around: Surroundings, row: FeatureRow, wish: PreviewRequest) -> Peeked:
    stage = _stage(around, row, wish)
    past = StagePast(around, row, stage)
    as_sent = wish.way is None and wish.order is None
    row_sent = (
        past.sent(wish.role, wish.iteration, wish.task, final=wish.final) if as_sent else None
    )
    if row_sent is not None:
        wish = replace(wish, final=past.is_final(row_sent))
    source = _source(past, wish, row_sent)
    brief = _brief(source)
    if row_sent is not None:
        segments = stored_segments(around.folder, row, row_sent)
        marks = [number for number, one in enumerate(segments, 1) if one.mark]
        composed = Composed(segments, marks[0] if marks else 0)
        way, order = Way(row_sent.attempt.way), None
    else:
        way, order = wish.way or Way.COMPOSE, wish.order or order_of(source)
        composed = _composed(source, brief, wish, way, order)
    found = _peeked(source, brief, composed, way, order)._replace(final=wish.final)
    return found if row_sent is None else _as_sent(found, source, row_sent)


def _as_sent(found: Peeked, source: Source, row: LedgerRow) -> Peeked:
    """Replace what may have changed since, such as settings and roles, with what was sent."""
    told = source.recall(row.attempt.sent.system or "")
    system = replace(found.system, text=told) if told else found.system
    return found._replace(
        system=system, model=row.attempt.model, trunk_key=row.attempt.trunk or found.trunk_key
    )


def _brief(source: Source) -> Brief:
    """The brief with the program's additions; without them if no backend is set up."""
    brief = gather(source)
    try:
        return aided(brief, source)
    except ConfigError:
        return brief


def _composed(
    source: Source, brief: Brief, wish: PreviewRequest, way: Way, order: Order
) -> Composed:
    if way is Way.RESUME and not brief.resumable:
        raise FeatureError(
            f"{wish.role} can't be resumed here: there is nothing new to send it",
            "show the fresh prompt: --way compose",
        )
    said = replace(brief, asked=replace(brief.asked, lost=wish.lost))
    return compose(said, way, order, _client(source).marks)


def _peeked(
    source: Source, brief: Brief, composed: Composed, way: Way, order: Order | None
) -> Peeked:
    role, formed = source.role, KINDS[brief.asked.kind].formed
    own = plain_system(brief) if way is Way.PLAIN else system_of(source)
    system = Segment("system", own, Volatility.FEATURE)
    return Peeked(
        composed=composed,
        stage=source.job.stage,
        iteration=source.job.iteration,
        way=way,
        order=order,
        model=model_of(source),
        system=system,
        trunk_key=trunk_key(source, brief, _client(source)).digest,
        schema=compact(brief.schema) if formed and brief.schema is not None else "",
        sent=order is None,
        warnings=(*brief.warnings, *role.warnings),
    )


def _client(source: Source) -> PromptClient:
    """What is known about the backend; prompts can be viewed even if none is set up."""
    try:
        return client_of(source)
    except ConfigError:
        return UNKNOWN_CLIENT


def _stage(around: Surroundings, row: FeatureRow, wish: PreviewRequest) -> Stage:
    """The stage named; else the one where the role was last dispatched, or would be first."""
    flow = FLOWS[row.feature.flow]
    if wish.stage:
        if wish.stage not in flow.names:
            known = ", ".join(flow.names)
            raise UsageError(
                f"the flow {flow.name} has no stage '{wish.stage}'", f"stages: {known}"
            )
        return flow.stage(wish.stage)
    with around.database.read() as connection:
        attempts = [one.attempt for one in ledger.of_feature(connection, row.feature.key)]
    asked = [one.stage for one in attempts if one.role == wish.role]
    if asked and not wish.task:
        return flow.stage(asked[-1])
    own = [stage for stage in flow.stages if wish.role in _people(stage)]
    return own[0] if own else flow.stage(str(row.place["state"]["stage"]))


def _people(stage: Stage) -> tuple[str, ...]:
    return (stage.author, *stage.research, *(role for one in stage.reviewers for role in one))


def _source(past: StagePast, wish: PreviewRequest, sent: LedgerRow | None) -> Source:
    stage, row = past.stage, past.row
    iteration = past.iteration_of(sent) if sent else max(1, wish.iteration)
    turn = _turn(stage, wish, iteration)
    look, before = past.look(wish.role, iteration), past.look(wish.role, iteration - 1)
    failed = past.open(iteration - 1) if turn is Turn.REVISE else ()
    head = look.commit if look else failed[0].commit if failed else row.head
    job = Job(
        kind=JobKind.DISPATCH,
        stage=stage.name,
        head=head,
        name=wish.role,
        role=wish.role,
        turn=turn,
        iteration=iteration,
        task=_task(past, wish, sent, head) if turn is Turn.IMPLEMENT else "",
        open=tuple(one.dispatch for one in failed),
        note=past.note(look),
    )
    session = _session(past, wish, turn, before, head)
    return Source(past.around, row, job, session, wish.final, wish.way is Way.RESUME)


def _turn(stage: Stage, wish: PreviewRequest, iteration: int) -> Turn:
    if wish.role != stage.author:
        return _beside(stage, wish.role)
    match stage.work:
        case StageWork.DOCUMENT:
            return Turn.WRITE if iteration == 1 else Turn.REVISE
        case StageWork.IMPLEMENT:
            return Turn.IMPLEMENT if wish.task or iteration == 1 else Turn.REVISE
        case StageWork.BUILD:
            return Turn.BUILD
        case StageWork.JUDGE:
            return Turn.JUDGE
        case StageWork.CHECK:
            return Turn.REPAIR_CHECKS
        case StageWork.PROPOSE:
            return Turn.PROPOSE


def _beside(stage: Stage, role: str) -> Turn:
    """The kind of turn for a role that is not the stage's author."""
    if any(role in group for group in stage.reviewers):
        return Turn.REVIEW
    if stage.learns and role == RETRO:
        return Turn.RETRO
    return Turn.RESEARCH if role in stage.research else Turn.NONE


def _task(past: StagePast, wish: PreviewRequest, sent: LedgerRow | None, head: str) -> str:
    job = Job(JobKind.TASKS, past.stage.name, head, "tasks")
    tasks = read_tasks(Source(past.around, past.row, job, None))
    wanted = wish.task or (sent.attempt.task if sent else "") or tasks[0].number
    if wanted not in [task.number for task in tasks]:
        known = ", ".join(task.number for task in tasks)
        raise UsageError(f"tasks.md has no task {wanted}", f"tasks: {known}")
    return wanted


def _session(
    past: StagePast, wish: PreviewRequest, turn: Turn, before: VerdictRow | None, head: str
) -> Session | None:
    """The session of a role that has reviewed before; a resumed author knows everything so far."""
    if wish.way is not Way.RESUME:
        return None
    if turn is Turn.REVIEW and before is None:
        raise FeatureError(
            f"{wish.role} has not reviewed {past.stage.name} before: there is nothing to resume",
            "show the fresh prompt: --way compose, or a later one: --iteration 2",
        )
    seen = before.iteration if before else max(1, wish.iteration - 1)
    at = before.at if before else 0.0
    commit = before.commit if before else head
    return Session(
        id="peek", role=wish.role, backend="", model="", prompt_chars=0, context_tokens=0,
        iteration=seen, commit=commit, last_activity=at,
    )  # fmt: skip
