"""Choosing the way: every way that could be taken is composed, priced and compared.

What a role must know is the same whichever way it is told; only the price differs. The decision
is the economy room's; here its inputs are gathered from the brief, the session and the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sparing.context import turns
from sparing.context.brief import REVIEWS, Brief, Kind
from sparing.context.compose import Composed, compose
from sparing.context.fixes import answers
from sparing.double.cache import MINIMUM_TOKENS, Life
from sparing.economy.choose import Decision, decide_way
from sparing.economy.cost_model import TYPICAL, Rates, Work
from sparing.economy.estimates import Errand, Share, by_reference, expected_work
from sparing.economy.estimates import Kind as TurnKind
from sparing.economy.guard import Diff
from sparing.economy.known import Base, SentPrompt, believed, blocks_of
from sparing.economy.matrix import Actor, Moment, Template
from sparing.economy.predict import Inputs, Offer, Prediction, Transcript
from sparing.economy.prices import own_prices, price_of
from sparing.engine import past_turns
from sparing.engine.recalls import Recall, recalled
from sparing.engine.resume_trust import deferred
from sparing.engine.sent import load_prompt, model_of, order_of, referenced
from sparing.engine.source import Source
from sparing.segment import estimate_tokens
from sparing.trunk import TrunkKey
from sparing.way import Way

FIXES = (Kind.REVISE, Kind.FIX, Kind.REDO, Kind.CHECKS)
LIFE = Life.FIVE_MINUTES


@dataclass(frozen=True, slots=True)
class Chosen:
    decision: Decision
    brief: Brief
    """What is said, with what the chosen template adds."""
    composed: Composed
    inputs: Inputs
    recall: Recall
    error: str = ""
    """Why a session could not be gone on with."""

    @property
    def marker(self) -> str:
        """For the review history; empty if resume did not fall back."""
        return (self.error or self.decision.reason) if self.decision.marker else ""

    def dump(self) -> dict[str, Any]:
        """What the ledger keeps of it: for caches to come, and for the proof."""
        way, base = self.decision.way, self.inputs.base
        offer = self.inputs.offers[way]
        on = offer.on
        first = self.inputs.first_call_at
        return {
            "base": base.tokens,
            "blocks": past_turns.dump_blocks(on.opening if on else offer.blocks),
            "resumed": on is not None,
            "transcript": on.tokens if on else 0,
            "warm": on is not None and first < on.warm_until(),
            "template": self.decision.template.value,
            "predicted": {
                one.value: _dumped(found) for one, found in self.decision.predictions.items()
            },
            "unit": "input tokens" if self.inputs.rates == TYPICAL else "usd per million",
            "needed": self.recall.needed,
            "missing": list(self.recall.missing),
        }


def _dumped(found: Prediction) -> dict[str, Any]:
    if found.cost is None:
        return {"why_not": found.why_not}
    return {
        "cost": found.cost,
        "tokens": list(found.tokens),
        "calls": found.calls,
        "context": found.context,
        "cached": found.cached,
    }


class _Told(NamedTuple):
    """A way as it would be told."""

    composed: Composed
    offer: Offer


def choose_way(source: Source, brief: Brief, key: TrunkKey, at: float, error: str = "") -> Chosen:
    """`error` says why the session could not be resumed a moment ago."""
    said = _lost(brief) if error and source.session is not None else brief
    taught = _taught(source, key.digest, at)
    told = _ways(source, said, taught, error)
    recall = None
    if Way.RESUME in told:
        recall = recalled(source, said, told[Way.RESUME].composed, resumed=True)
        if recall.missing:  # a saving that hides a line is none
            told.pop(Way.RESUME)
    inputs = _inputs(source, told, taught, at)
    policy = source.around.settings(source.row).review.policy
    moment = _moment(source, said, told, error)
    decision = decide_way(policy, moment, inputs)
    if decision.template is Template.FALLBACK and not said.asked.lost:
        said = _lost(said)
        order, marks = order_of(source), source.around.backend(source.row).capabilities.marks
        composed = compose(said, decision.way, order, marks)
    else:
        composed = told[decision.way].composed
    if decision.way is not Way.RESUME or recall is None:
        recall = recalled(source, said, composed, resumed=False)
    return Chosen(decision, said, composed, inputs, recall, error)


def _lost(brief: Brief) -> Brief:
    """A role whose session is gone is told so."""
    return replace(brief, asked=replace(brief.asked, lost=True))


class _Taught(NamedTuple):
    """What the ledger says of turns to come."""

    trunk: str
    works: Mapping[TurnKind, Work]
    sends: list[SentPrompt]
    share: Share


def _taught(source: Source, trunk: str, at: float) -> _Taught:
    name, role = source.around.backend(source.row).name, source.job.role
    with source.around.database.read() as connection:
        return _Taught(
            trunk,
            past_turns.works(connection, role, name, _flow(source)),
            past_turns.sends(connection, trunk, at),
            past_turns.share(connection, name),
        )


def _ways(source: Source, brief: Brief, taught: _Taught, error: str) -> dict[Way, _Told]:
    """Ways that the backend can do and the prompt can be made for."""
    backend = source.around.backend(source.row)
    marks, order = backend.capabilities.marks, order_of(source)
    errand = past_turns.errand_of(source.job.turn.value, _flow(source), source.job.stage)
    found: dict[Way, _Told] = {}
    for way in (Way.COMPOSE, Way.REFERENCE, Way.RESUME):
        if way is Way.RESUME and (error or not _usable(source, brief)):
            continue
        composed = compose(brief, way, order, marks)
        reads = referenced(brief, composed)
        if way is Way.REFERENCE and not (reads and "read" in source.role.tools):
            continue
        memory = past_turns.memory_of(way, source.job.iteration)
        kind = TurnKind(source.job.role, errand or Errand.LONE, memory)
        work = expected_work(kind, taught.works)
        if reads:
            work = by_reference(work, _size(brief, reads), len(reads))
        blocks = blocks_of(composed.segments, LIFE, 0 if way is Way.RESUME else marks)
        on = _transcript(source) if way is Way.RESUME else None
        found[way] = _Told(composed, Offer(blocks, work, on))
    return found


def _usable(source: Source, brief: Brief) -> bool:
    """There is a session that this backend and model can go on with, and something to tell it."""
    return brief.resumable and _can_resume(source)


def _can_resume(source: Source) -> bool:
    session, backend = source.session, source.around.backend(source.row)
    able = backend.capabilities.resume and not deferred(source.around, backend)
    if session is None:
        return able
    same = (session.backend, session.model) == (backend.name, model_of(source))
    return able and same


def _transcript(source: Source) -> Transcript:
    session = source.session
    assert session is not None
    opening = load_prompt(source.around.folder, session.opening) if session.opening else ()
    marks = source.around.backend(source.row).capabilities.marks
    return Transcript(
        session.context_tokens,
        session.last_call or session.last_activity,
        session.answer_tokens,
        LIFE,
        blocks_of(opening, LIFE, marks),
    )


def _size(brief: Brief, paths: tuple[str, ...]) -> int:
    listed = [*brief.full, *brief.documents, *([brief.subject] if brief.subject else [])]
    texts = {one.path: one.text or "" for one in listed}
    return sum(estimate_tokens(texts.get(path, "")) for path in paths)


def _inputs(source: Source, told: Mapping[Way, _Told], taught: _Taught, at: float) -> Inputs:
    around, backend = source.around, source.around.backend(source.row)
    settings, model = around.settings(source.row), model_of(source)
    system = turns.system(source.role.role_class.value)
    price = price_of(model, own_prices(settings.models.prices))
    minimum = _minimum(model)
    base = backend.capabilities.base_of(writes=source.role.role_class.writes)
    return Inputs(
        at,
        TYPICAL if price is None else Rates.of(price),
        Base(taught.trunk, base + estimate_tokens(system)),
        {way: one.offer for way, one in told.items()},
        believed(taught.sends, minimum),
        taught.share,
        LIFE,
        minimum,
    )


def _minimum(model: str) -> int:
    """Tokens below which nothing of a prompt is cached; the strictest for a model nobody knows."""
    names = [name for name in MINIMUM_TOKENS if model.startswith(name)]
    return MINIMUM_TOKENS[max(names, key=len)]


def _flow(source: Source) -> str:
    return source.row.feature.flow


def _moment(source: Source, brief: Brief, told: Mapping[Way, _Told], error: str) -> Moment:
    job, session, actor = source.job, source.session, _actor(source, brief)
    resume = told.get(Way.RESUME)
    chars = sum(len(one.text) for one in resume.composed.segments) if resume else 0
    return Moment(
        actor,
        _is_first(source, brief),
        session=session is not None,
        can_resume=bool(error) or _can_resume(source),
        resume_error=error,
        final=job.final,
        diff=_diff(source, brief, offered=resume is not None, error=error),
        answers=bool(answers(brief.fix_summary)) if actor is Actor.REVIEWER else True,
        delta_chars=chars,
        fresh_chars=session.prompt_chars if session else 0,
    )


def _actor(source: Source, brief: Brief) -> Actor:
    kind = brief.asked.kind
    if source.role.always_fresh:
        return Actor.LONE
    if kind in REVIEWS:
        return Actor.REVIEWER
    goes_on = kind is Kind.STAGE and source.transition
    return Actor.FIXER if kind in FIXES or goes_on else Actor.LONE


def _is_first(source: Source, brief: Brief) -> bool:
    """Nobody expects a session: the role has not been asked for this before."""
    job, kind = source.job, brief.asked.kind
    if kind in REVIEWS:
        return job.iteration == 1 and not job.final
    if kind is Kind.FIX:
        return job.iteration == 1
    return source.session is None and not (kind is Kind.REVISE and job.iteration > 1)


def _diff(source: Source, brief: Brief, *, offered: bool, error: str) -> Diff:
    """What is known of the changes since the role last looked."""
    session = source.session
    if session is not None and not source.knows(session.commit):
        return Diff.LOST
    if offered or error or session is None:
        return Diff.CHANGED if brief.delta or brief.asked.kind not in REVIEWS else Diff.EMPTY
    # Something is new and can't be told as a delta, or the session would not know all.
    return Diff.FAILED if brief.delta or brief.asked.kind is Kind.VALIDATE else Diff.EMPTY
