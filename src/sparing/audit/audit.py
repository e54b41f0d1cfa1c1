"""The code reviewers on commits not made by a feature: facts first, then one review each.

Prompts, roles, sandbox, caps, ledger and parsing of replies are those of a feature's review. The
worktree belongs to a repository of our own (`workspace.project`), and only ledger rows, prompts and
replies are kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.agents.backend import AgentReply
from sparing.audit.subject import Subject
from sparing.briefing.background import LONGEST_DESCRIPTION
from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.context.prompt.review_words import repair_reply
from sparing.dispatch.judge import checked_quotes, judgement
from sparing.dispatch.lone_review import LoneReview, PaidReply, buy
from sparing.dispatch_policy import Order, Way
from sparing.economy.cost_model import Expected, Rates, turn_tokens
from sparing.economy.expected_work import HABITS, Memory, work_of
from sparing.economy.prices import own_prices, price_of
from sparing.feature import Background, Feature, FeatureStatus
from sparing.finding import Verdict
from sparing.flow.flows import FEATURE
from sparing.implement.checks import checks_at, run_checks
from sparing.implement.facts import Checked, sheet
from sparing.job import Job, JobKind
from sparing.money import to_usd
from sparing.payment.paid_call import SpendRefusal
from sparing.prompts.render import words
from sparing.provision.worktree_setup import outfit
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.review.quotes import QuoteCheck
from sparing.review.verdict import Complaint
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment, Volatility
from sparing.turn import Turn
from sparing.turn_kind import Errand
from sparing.usage import Usage
from sparing.workspace.checks.baseline import Baseline

STAGE = "implement"
REASON = "a review without a feature"
ROLES = FEATURE.stage(STAGE).reviewers[0]


@dataclass(frozen=True, slots=True)
class Audit:
    around: Surroundings
    row: FeatureRow
    """Shown in no list; bills and set-up messages are recorded under it."""
    roles: tuple[str, ...]
    facts: str = ""
    """Hash of the facts that the program itself has found."""

    def source(self, role: str) -> Source:
        job = Job(
            kind=JobKind.DISPATCH,
            stage=STAGE,
            head=self.row.head,
            name=role,
            role=role,
            turn=Turn.REVIEW,
            iteration=1,
            facts=self.facts,
        )
        return Source(self.around, self.row, job, None)


class _Teller(NamedTuple):
    id: str
    feature: str
    at: float


class CheckedBranch(NamedTuple):
    checked: Checked
    changed: tuple[str, ...]
    """Checks that differ from those in the base."""


class BranchVerdict(NamedTuple):
    """The result of one reviewer's review."""

    role: str
    verdict: Verdict | None
    quotes: tuple[QuoteCheck, ...] = ()
    failure: str = ""
    usage: Usage = Usage()
    origin: str = ""
    nano_usd: int | None = 0


def audit_of(
    around: Surroundings, subject: Subject, checkout: str, roles: Sequence[str], at: float
) -> Audit:
    """`checkout`: the user's own, which is only named."""
    with around.database.write() as tx:
        row = _row(subject, checkout, features.next_review(tx), around.folder.path.name, at)
        features.create(tx, row)
    return Audit(around, row, tuple(roles))


def _row(subject: Subject, checkout: str, number: int, key: str, at: float) -> FeatureRow:
    name = f"review-{subject.head[:8]}"
    feature = Feature(
        key=f"{key}-{number}",
        number=number,
        slug=name,
        title=" ".join(subject.title.split())[:200] or name,
        flow=FEATURE.name,
        repository=checkout,
        base_branch=subject.base,
        base_commit=subject.since,
        created=at,
    )
    return FeatureRow(
        feature=feature,
        status=FeatureStatus.COMPLETED,
        overrides={},
        generation=0,
        leg=0,
        place={},
        head=subject.head,
        running=False,
        updated=at,
        background=Background(description=subject.description),
    )


def check(audit: Audit) -> CheckedBranch:
    """Run the repository's checks on the head, and on the base if any fails. The set-up they
    need is run if a person has agreed to it."""
    around, row = audit.around, audit.row
    teller = _Teller(f"{row.feature.key}.setup", row.feature.key, row.updated)
    outfit(around, row, around.worktree(row, row.head), teller, audit.source(audit.roles[0]).job)
    results = run_checks(around, row, row.head)
    known = None
    if any(not one.passed for one in results):
        before = run_checks(around, row, row.head, commit=row.feature.base_commit)
        known = Baseline.of(before)
    changed = checks_at(around, row, row.head).changed
    return CheckedBranch(Checked(results, known), tuple(one.words for one in changed))


def with_facts(audit: Audit, found: CheckedBranch) -> Audit:
    text = sheet(found.checked, ())
    if found.changed:
        lines = "".join(f"- {one}\n" for one in found.changed)
        text = f"{text.rstrip()}\n\n## Checks that are not as they were in the base\n{lines}"
    return replace(audit, facts=audit.around.folder.keep(text))


def prompt_of(audit: Audit, role: str) -> tuple[Segment, ...]:
    """As in a feature, with what the change's author says in place of the documents."""
    feature, said = audit.row.feature, audit.row.background.description
    asked = f"Title: {feature.title}\n\n{said[:LONGEST_DESCRIPTION]}".strip()
    brief = replace(gather(audit.source(role)), documents=(), request=asked)
    marks = audit.source(role).backend.capabilities.marks
    *rest, turn = compose(brief, Way.COMPOSE, Order.NESTED, marks).segments
    return (*rest, replace(turn, text=f"{turn.text}\n{words('turns', 'branch')}"))


def forecast_usd(audit: Audit) -> float | None:
    """Cost if each review is of usual length; None without a price. Composes the prompts."""
    whole = 0.0
    for role in audit.roles:
        source = audit.source(role)
        price = price_of(
            model_of(source), own_prices(audit.around.settings(audit.row).models.prices)
        )
        if price is None:
            return None
        size = sum(one.tokens for one in prompt_of(audit, role))
        base = source.backend.capabilities.base_of(writes=False)
        work = work_of(HABITS[Errand.REVIEW, Memory.NONE])
        whole += Rates.of(price).price(turn_tokens(Expected(write_5m=size + base), work))
    return whole / 1_000_000


async def run_audit(
    audit: Audit, cap_usd: float | None, tell: Callable[[BranchVerdict], None]
) -> list[BranchVerdict]:
    """One after the other: the second reads from the cache what the first has written."""
    found: list[BranchVerdict] = []
    for role in audit.roles:
        spent = float(to_usd(sum(one.nano_usd or 0 for one in found)))
        left = None if cap_usd is None else cap_usd - spent
        if left is not None and left <= 0:
            found.append(BranchVerdict(role, None, failure="the amount you agreed to is spent"))
        else:
            found.append(await _looked(audit, role, left))
        tell(found[-1])
    return found


async def _looked(audit: Audit, role: str, left: float | None) -> BranchVerdict:
    """A reply that is no verdict is sent back once, with what is wrong with it."""
    source = audit.source(role)
    prompt = await asyncio.to_thread(prompt_of, audit, role)
    paid = await buy(_review(source, prompt), left)
    if isinstance(paid, SpendRefusal):
        return BranchVerdict(role, None, failure=f"{paid.failure}: {paid.detail}")
    read, spent = _read(source, paid.reply), [paid]
    if isinstance(read, Complaint) and paid.reply.session:
        words = Segment("turn", repair_reply(read.what), Volatility.ITERATION)
        again = await buy(_review(source, (words,), paid.reply.session), left)
        if not isinstance(again, SpendRefusal):
            read = _read(source, again.reply)
            spent.append(again)
    return _told(source, read, spent)


def _told(
    source: Source, read: Verdict | Complaint | str, spent: Sequence[PaidReply]
) -> BranchVerdict:
    verdict = read if isinstance(read, Verdict) else None
    wrong = read.what if isinstance(read, Complaint) else read if isinstance(read, str) else ""
    known = [one.nano_usd for one in spent if one.nano_usd is not None]
    return BranchVerdict(
        role=source.job.role,
        verdict=verdict,
        quotes=checked_quotes(source, verdict) if verdict else (),
        failure=wrong,
        usage=sum((one.reply.usage for one in spent[1:]), spent[0].reply.usage),
        origin=spent[0].reply.origin.value,
        nano_usd=sum(known) if len(known) == len(spent) else None,
    )


def _review(source: Source, prompt: tuple[Segment, ...], resume: str = "") -> LoneReview:
    """`resume`: the session that is asked for a verdict once more."""
    again = ".again" if resume else ""
    return LoneReview(
        source=source,
        id=f"{source.row.feature.key}.{source.job.role}{again}",
        way=Way.COMPOSE,
        reason=REASON,
        prompt=prompt,
        at=time.time(),
        resume=resume,
    )


def _read(source: Source, reply: AgentReply) -> Verdict | Complaint | str:
    if reply.failure is not None:
        return f"{reply.failure}: {reply.detail}"
    return judgement(source, reply.text)
