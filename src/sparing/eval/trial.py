"""Reviewers on trial: each reviews planted defects, with the same input sent in three ways.

`seed` is the original order with documents by path, `nested` is ours with them inline, `resume`
shows the clean version first and then only what has changed. Prompts, roles, sandbox and reading of
replies are those of a run; the project is a temporary repository of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from sparing.agents.backend import AgentReply
from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.dispatch.judge import judgement
from sparing.dispatch.lone_review import LoneReview, PaidReply, buy
from sparing.dispatch_policy import Order, Way
from sparing.economy.cost_model import Expected, Rates, turn_tokens
from sparing.economy.expected_work import HABITS, Memory, work_of
from sparing.economy.prices import own_prices, price_of
from sparing.eval.arm import Arm, Ask, Told, way_of
from sparing.failure import Failure
from sparing.finding import Finding, Verdict
from sparing.job import Job, JobKind
from sparing.money import to_usd
from sparing.payment.paid_call import SpendRefusal
from sparing.records import verdicts
from sparing.records.features import FeatureRow
from sparing.records.verdicts import VerdictRow
from sparing.review.exam import Case, Exam
from sparing.review.verdict import Complaint, passes
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.runtime.turn_model import model_of
from sparing.session import Session
from sparing.turn import Turn
from sparing.turn_kind import Errand
from sparing.usage import Origin, Usage
from sparing.workspace.git.commit import commit_paths
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.worktree import Worktree


class Looked(NamedTuple):
    """One turn of a reviewer, with what it said."""

    arm: Arm
    case: Case
    """The clean case, if the turn only opened a session."""
    role: str
    findings: tuple[Finding, ...]
    usage: Usage
    origin: str
    nano_usd: int | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    around: Surroundings
    exam: Exam
    rows: Mapping[str, FeatureRow]
    """A feature for each case and arm, by `name_of`: so that no worktree is shared."""


def name_of(ask: Ask) -> str:
    return f"{ask.arm}, {ask.case.id}"


def asks_of(exam: Exam, arms: Sequence[Arm], most: int | None = None) -> list[Ask]:
    """All cases of each arm, and the clean ones where no session shows them first."""
    found: list[Ask] = []
    for arm in arms:
        clean = () if arm is Arm.RESUME else exam.clean
        found += [Ask(arm, case) for case in (*exam.cases[:most], *clean[:most])]
    return found


def forecast(trial: Trial, asks: Sequence[Ask]) -> Expected:
    """Tokens of all turns, if each is as long as a usual review. Prompts are really composed."""
    whole = Expected()
    for ask in asks:
        for _ in _turns(ask):
            told = _prepared(trial, _first(ask))
            size = sum(segment.tokens for segment in told.prompt)
            base = told.source.backend.capabilities.base_of(writes=False)
            work = work_of(HABITS[Errand.REVIEW, Memory.NONE])
            found = turn_tokens(Expected(write_5m=size + base), work)
            whole = Expected(*(one + other for one, other in zip(whole, found, strict=True)))
    return whole


def forecast_usd(trial: Trial, asks: Sequence[Ask]) -> float | None:
    """Expected cost of all turns; None without a price."""
    row = next(iter(trial.rows.values()))
    model = model_of(_source(trial, row, asks[0].case, row.feature.base_commit))
    price = price_of(model, own_prices(trial.around.settings(row).models.prices))
    return None if price is None else Rates.of(price).price(forecast(trial, asks)) / 1_000_000


def _first(ask: Ask) -> Ask:
    """What a reviewer sees first: for a session that is resumed, the clean version."""
    return ask._replace(case=ask.case._replace(defects=())) if ask.arm is Arm.RESUME else ask


def _turns(ask: Ask) -> range:
    return range(2 if ask.arm is Arm.RESUME else 1)


async def run_trial(
    trial: Trial, asks: Sequence[Ask], cap_usd: float | None, tell: Callable[[Looked], None]
) -> list[Looked]:
    """One after the other. Ends early when the cap is reached: what is missing is not guessed."""
    found: list[Looked] = []
    for ask in asks:
        left = None if cap_usd is None else cap_usd - _spent(found)
        if left is not None and left <= 0:
            break
        for looked in await _ask(trial, ask, left):
            found.append(looked)
            tell(looked)
    return found


def _spent(found: Sequence[Looked]) -> float:
    return float(to_usd(sum(one.nano_usd or 0 for one in found)))


async def _ask(trial: Trial, ask: Ask, left: float | None) -> list[Looked]:
    match ask.arm:
        case Arm.SEED | Arm.NESTED:
            told = await asyncio.to_thread(_prepared, trial, ask)
            return [(await _look(ask, told, left))[0]]
        case Arm.RESUME:
            return await _resumed(trial, ask, left)
    assert_never(ask.arm)


async def _resumed(trial: Trial, ask: Ask, left: float | None) -> list[Looked]:
    """The clean version first, as a first review; then the change that contains the defects."""
    clean = _first(ask)
    told = await asyncio.to_thread(_prepared, trial, clean)
    first, reply = await _look(clean, told, left)
    if first.failure:
        return [first]
    source = told.source
    session = Session(
        id=reply.session,
        role=source.role.name,
        backend=source.backend.name,
        model=model_of(source),
        prompt_chars=sum(len(one.text) for one in told.prompt),
        context_tokens=reply.context_tokens,
        iteration=1,
        commit=source.job.head,
        last_activity=time.time(),
    )
    again = await asyncio.to_thread(_prepared_again, trial, ask, source, session)
    second, _ = await _look(ask, again, left, session.id)
    return [first, second]


def _prepared(trial: Trial, ask: Ask) -> Told:
    row = trial.rows[name_of(ask)]
    worktree = trial.around.worktree(row, row.feature.base_commit)
    head = _written(trial, ask, row, worktree, row.feature.base_commit, "first")
    source = _source(trial, row, ask.case, head)
    brief = gather(source)
    way, order = way_of(ask.arm)
    marks = source.backend.capabilities.marks
    return Told(source, brief, compose(brief, way, order, marks).segments)


def _prepared_again(trial: Trial, ask: Ask, before: Source, session: Session) -> Told:
    row, worktree = before.row, trial.around.worktree(before.row, before.job.head)
    head = _written(trial, ask, row, worktree, before.job.head, "second")
    source = _source(trial, row, ask.case, head, session)
    brief = gather(source)
    return Told(source, brief, compose(brief, Way.RESUME, Order.NESTED, 0).segments)


def _written(
    trial: Trial, ask: Ask, row: FeatureRow, worktree: Worktree, parent: str, step: str
) -> str:
    """The case's files, committed on the feature's own branch; repeatable."""
    folder, exam = trial.around.feature_folder(row), trial.exam
    texts = {
        **{f"{folder}/{name}": text for name, text in exam.documents_of(ask.case).items()},
        **exam.code_of(ask.case),
    }
    for name, text in texts.items():
        path = worktree.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    stamp = CommitStamp(step, row.feature.key, step, row.feature.created)
    return commit_paths(worktree, parent, list(texts), stamp).commit


def _source(
    trial: Trial, row: FeatureRow, case: Case, head: str, session: Session | None = None
) -> Source:
    iteration = 1 if session is None else 2
    job = Job(
        kind=JobKind.DISPATCH,
        stage=case.subject.stage,
        head=head,
        name=case.role,
        role=case.role,
        turn=Turn.REVIEW,
        iteration=iteration,
    )
    return Source(trial.around, row, job, session)


async def _look(
    ask: Ask, told: Told, left: float | None, resume: str = ""
) -> tuple[Looked, AgentReply]:
    source = told.source
    review = LoneReview(
        source=source,
        id=f"{source.row.feature.key}.{source.job.iteration}",
        way=way_of(ask.arm)[0],
        reason=f"on trial, told as {ask.arm}",
        prompt=told.prompt,
        at=time.time(),
        task=ask.case.id,
        resume=resume,
    )
    paid = await buy(review, left)
    if isinstance(paid, SpendRefusal):
        paid = PaidReply(_unsent(paid), 0)
    reply, bill = paid
    verdict = _read(source, reply)
    if not isinstance(verdict, str):
        _remember(source, verdict)
    looked = Looked(
        arm=ask.arm,
        case=ask.case,
        role=source.role.name,
        findings=() if isinstance(verdict, str) else verdict.findings,
        usage=reply.usage,
        origin=reply.origin.value,
        nano_usd=bill,
        failure=verdict if isinstance(verdict, str) else "",
    )
    return looked, reply


def _unsent(refusal: SpendRefusal) -> AgentReply:
    """The reply for a review that a cap did not allow to start: it used nothing."""
    return AgentReply(
        text="", session="", usage=Usage(), origin=Origin.ESTIMATED, context_tokens=0,
        seconds=0.0, failure=Failure(refusal.failure), detail=refusal.detail,
    )  # fmt: skip


def _read(source: Source, reply: AgentReply) -> Verdict | str:
    """A verdict, or why there is none."""
    if reply.failure is not None:
        return f"{reply.failure}: {reply.detail}"
    found = judgement(source, reply.text)
    return f"{Failure.GARBAGE}: {found.what}" if isinstance(found, Complaint) else found


def _remember(source: Source, verdict: Verdict) -> None:
    """Store the verdict, so that a second review is told what the first one found."""
    key, job = source.row.feature.key, source.job
    row = VerdictRow(
        dispatch=f"{key}.{job.iteration}",
        feature=key,
        stage=job.stage,
        iteration=job.iteration,
        commit=job.head,
        passed=passes(verdict),
        verdict=verdict,
        at=time.time(),
    )
    with source.around.database.write() as tx:
        verdicts.put(tx, row)
