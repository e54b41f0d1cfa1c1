"""Choosing the way to send a prompt: every possible one is composed, priced and compared.

What a role must know is the same in each; only the price differs. The decision is the economy
room's; here its inputs are gathered from the brief, the session and the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sparing.briefing.compared_policies import base_digest, other_prompts
from sparing.briefing.extras import bare, whole
from sparing.briefing.fact_sheet import sheet_words
from sparing.briefing.recall import Recall, recalled
from sparing.briefing.trunk_group import access_of, client_of, policy_of, system_of
from sparing.cache_minimum import minimum_of
from sparing.context.documents.fix_summary import answers
from sparing.context.prompt.brief import REVIEWS, Brief
from sparing.context.prompt.compose import Composed
from sparing.dispatch.alternatives import SHORT as LIFE
from sparing.dispatch.alternatives import (
    Alternative,
    Terms,
    can_resume,
    code_to_open,
    plain_base,
    read_again,
    ways_of,
    weighed,
)
from sparing.dispatch_policy import Lever, Policy, Way
from sparing.economy.cache_contents import Base, SentPrompt, believed
from sparing.economy.cache_lives import pass_share
from sparing.economy.choose import Moment, Template, WayDecision, decide_way
from sparing.economy.cost_model import TYPICAL, Rates
from sparing.economy.expected_work import Share
from sparing.economy.predict import Diff, Inputs
from sparing.economy.prices import own_prices, price_of
from sparing.records import verdicts
from sparing.runtime import turn_history
from sparing.runtime.levers import group_of, is_chained, levers_of, life_of, off_of
from sparing.runtime.source import Source
from sparing.runtime.turn_model import model_of
from sparing.segment import TrunkKey, estimate_tokens
from sparing.sent import IN_MONEY, IN_TOKENS, OtherPrompts, SentRecord
from sparing.turn_kind import KINDS, Actor, TurnKind


@dataclass(frozen=True, slots=True)
class Chosen:
    decision: WayDecision
    brief: Brief
    """The brief that is sent, with what the chosen template adds."""
    composed: Composed
    inputs: Inputs
    recall: Recall
    error: str = ""
    """Why a session could not be resumed."""
    sent_with: SentRecord = field(default_factory=SentRecord)
    """Levers in use, what is learned from, and for the proof what else could have been sent."""

    @property
    def life(self) -> str:
        """Lifetime of what the first mark ends."""
        lives = [one.mark.value for one in self.inputs.offers[self.decision.way].blocks if one.mark]
        return lives[0] if lives else LIFE.value

    @property
    def marker(self) -> str:
        """For the review history; empty if resume did not fall back."""
        return (self.error or self.decision.reason) if self.decision.marker else ""

    @property
    def record(self) -> SentRecord:
        """What the ledger keeps of it: for caches to come, and for the proof."""
        way = self.decision.way
        offer = self.inputs.offers[way]
        base, on = offer.base or self.inputs.base, offer.on
        first = self.inputs.first_call_at
        return replace(
            self.sent_with,
            base=base.tokens,
            tools=(base.tools, base.tools_tokens),
            blocks=turn_history.dump_blocks(on.opening if on else offer.blocks),
            resumed=on is not None,
            transcript=on.tokens if on else 0,
            warm=on is not None and first < on.warm_until(),
            template=self.decision.template.value,
            predicted={way.value: one.record for way, one in self.decision.predictions.items()},
            unit=IN_TOKENS if self.inputs.rates == TYPICAL else IN_MONEY,
            needed=self.recall.needed,
            missing=tuple(self.recall.missing),
        )


def choose_way(source: Source, brief: Brief, key: TrunkKey, at: float, error: str = "") -> Chosen:
    """`error` says why the session could not be resumed a moment ago."""
    said = _lost(brief) if error and source.session is not None else brief
    taught = _taught(source, brief, key, at)
    said, told = _told(source, said, taught, error)
    recall = None
    if Way.RESUME in told:
        recall = recalled(source, said, told[Way.RESUME].composed, resumed=True)
        if recall.missing:  # a saving that hides a line is none
            told.pop(Way.RESUME)
    inputs = _inputs(source, told, taught, at)
    policy = policy_of(source)
    moment = _moment(source, said, told, error)
    barred = {**_barred(source, told), **weighed(source, inputs)}
    decision = decide_way(policy, moment, inputs, barred)
    if decision.template is Template.FALLBACK and not said.asked.lost:
        said, told = _told(source, _lost(said), taught, "lost")
    chosen = told[decision.way]
    if decision.way is not Way.RESUME or recall is None:
        recall = recalled(source, chosen.brief, chosen.composed, resumed=False)
    others = other_prompts(
        bare(said, source), {way: (one.composed, one.offer) for way, one in told.items()}, moment,
        source.backend.capabilities.marks, code_to_open(source, said),
        base_digest(key, access_of(source)),
    )  # fmt: skip
    inputs = replace(inputs, offers={**inputs.offers, decision.way: chosen.offer})
    return Chosen(
        decision=decision, brief=chosen.brief, composed=chosen.composed, inputs=inputs,
        recall=recall, error=error, sent_with=_sent_with(source, chosen, taught, others),
    )  # fmt: skip


def _told(
    source: Source, brief: Brief, taught: _Taught, error: str
) -> tuple[Brief, dict[Way, Alternative]]:
    """The ways to send it, and their brief: code in steps only if no line is lost that way."""
    told = ways_of(source, brief, taught.terms, error)
    if brief.code is None or not brief.code.since:
        return brief, told
    fresh = recalled(source, brief, told[Way.COMPOSE].composed, resumed=False)
    if not fresh.missing:
        return brief, told
    brief = whole(brief, source)
    return brief, ways_of(source, brief, taught.terms, error)


def _barred(source: Source, told: Mapping[Way, Alternative]) -> dict[Way, str]:
    levers = levers_of(source)
    found = {} if Lever.RESUME in levers else {Way.RESUME: "the lever resume is off"}
    if Lever.INLINE not in levers and Way.REFERENCE in told:
        found |= dict.fromkeys((Way.COMPOSE, Way.PLAIN), "the lever inline is off")
    return found


def offers_of(source: Source, brief: Brief, key: TrunkKey, at: float) -> Inputs:
    """What every way would send and find cached, before one is chosen."""
    taught = _taught(source, brief, key, at)
    return _inputs(source, _told(source, brief, taught, "")[1], taught, at)


def _sent_with(
    source: Source, chosen: Alternative, taught: _Taught, others: OtherPrompts
) -> SentRecord:
    brief = chosen.brief
    return SentRecord(
        others=others,
        group=taught.group,
        access=access_of(source).value,
        noted=bool(brief.notes),
        mapped=bool(brief.map),
        handed=bool(brief.handoff),
        chained=is_chained(source),
        mixed=source.inside and policy_of(source) is Policy.SEED,
        given=tuple(brief.given),
        own=client_of(source).own,
        sheet=sheet_words(brief, chosen.composed.segments),
        covered=tuple(brief.covered),
        levers=tuple(sorted(lever.value for lever in levers_of(source))),
        off=off_of(source),
        policy=policy_of(source).value,
    )


def _lost(brief: Brief) -> Brief:
    """The brief, telling the role that its session is lost."""
    return replace(brief, asked=replace(brief.asked, lost=True))


class _Taught(NamedTuple):
    """What the ledger says of turns to come."""

    group: str
    terms: Terms
    sends: list[SentPrompt]
    share: Share


def _taught(source: Source, brief: Brief, key: TrunkKey, at: float) -> _Taught:
    trunk = key.digest
    backend, group = source.backend, group_of(source, brief)
    price = price_of(model_of(source), own_prices(source.around.settings(source.row).models.prices))
    rates = TYPICAL if price is None else Rates.of(price)
    system = system_of(source)
    writes = source.role.role_class.writes
    able, access = backend.capabilities, access_of(source)
    base = able.base_of(writes=writes, model=model_of(source), access=access)
    with source.around.database.read() as connection:
        works = turn_history.works(connection, backend.name)
        life = life_of(connection, source, group, rates)
        looks = verdicts.of_feature(connection, source.row.feature.key)
        passing = pass_share(len(looks), sum(one.passed for one in looks))
        alone = plain_base(source, brief, key, base)
        again = read_again(connection, source, group, life)
        tools = replace(key, system="").digest
        same_tools = turn_history.tools_sent(connection, backend.name, tools)
        told = Base(trunk, base + estimate_tokens(system), tools=tools, tools_tokens=base)
        trunks = (trunk, alone.key) if alone else (trunk,)
        sends = [*turn_history.sends(connection, trunks, at), *same_tools]
        return _Taught(
            group,
            Terms(works, rates, told, life=life, passing=passing, again=again, alone=alone),
            sorted(sends, key=lambda one: one.first_at),
            turn_history.share(connection, backend),
        )


def _inputs(source: Source, told: Mapping[Way, Alternative], taught: _Taught, at: float) -> Inputs:
    minimum, terms = minimum_of(model_of(source)), taught.terms
    return Inputs(
        at=at,
        rates=terms.rates,
        base=terms.base,
        offers={way: one.offer for way, one in told.items()},
        known=believed(taught.sends, minimum),
        share=taught.share,
        life=LIFE,
        minimum_tokens=minimum,
    )


def _moment(source: Source, brief: Brief, told: Mapping[Way, Alternative], error: str) -> Moment:
    job, session, actor = source.job, source.session, _actor(source, brief)
    resume = told.get(Way.RESUME)
    chars = sum(len(one.text) for one in resume.composed.segments) if resume else 0
    return Moment(
        actor,
        _is_first(source, brief),
        session=session is not None,
        can_resume=bool(error) or can_resume(source),
        resume_error=error,
        final=job.final,
        diff=_diff(source, brief, offered=resume is not None, error=error),
        answers=bool(answers(brief.fix_summary)) if actor is Actor.REVIEWER else True,
        # The original measures a delta by its prompt; a stage's own words are no delta.
        delta_chars=0 if source.inside else chars,
        fresh_chars=session.prompt_chars if session else 0,
    )


def _actor(source: Source, brief: Brief) -> Actor:
    row = KINDS[brief.asked.kind]
    if source.role.always_fresh and not source.inside:
        return Actor.LONE
    goes_on = (row.enters and source.transition) or is_chained(source)
    return Actor.FIXER if goes_on else row.actor


def _is_first(source: Source, brief: Brief) -> bool:
    """Whether no session is expected, as the role has not been asked for this before."""
    job, kind = source.job, brief.asked.kind
    if kind in REVIEWS:
        return job.iteration == 1 and not job.final
    if kind is TurnKind.FIX:
        return job.iteration == 1
    return source.session is None and not (kind is TurnKind.REVISE and job.iteration > 1)


def _diff(source: Source, brief: Brief, *, offered: bool, error: str) -> Diff:
    """What is known of the changes since the role last looked."""
    session = source.session
    if session is not None and not source.knows(session.commit):
        return Diff.LOST
    if offered or error or session is None:
        return Diff.CHANGED if brief.delta or brief.asked.kind not in REVIEWS else Diff.EMPTY
    # Something is new and can't be told as a delta, or the session would not know all.
    return Diff.FAILED if brief.delta or brief.asked.kind is TurnKind.VALIDATE else Diff.EMPTY
