"""Before a dispatch: the ways it could be sent, and the program's decision between them.

What `dispatch.alternatives` and `dispatch.way_choice` gather from the ledger is gathered here from
the run so far; prices, predictions and the decision are the program's own functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from bench.economy.client import Front, Talk
from bench.economy.dispatches import Dispatch, group_of
from bench.economy.parameters import MINIMUM_TOKENS
from bench.economy.prompts import Composer, Prompt, Variant, neutral_system, role_system
from bench.economy.sessions import Remembered, Session
from bench.economy.strategy import Client, Strategy
from sparing.cache import CacheBlock, Life, RequestPart
from sparing.caching.next_turn import LATER_DELTA_TOKENS, NEXT
from sparing.context.prompt.brief import REVIEWS
from sparing.context.prompt.compose import plain_system
from sparing.dispatch.alternatives import BATCHED_FILES, FILES_PER_CALL, NOTES
from sparing.dispatch_policy import Lever, Order, Policy, Way
from sparing.economy.cache_lives import marked_blocks, pass_share
from sparing.economy.choose import Moment, decide_way
from sparing.economy.cost_model import Rates, TurnWork
from sparing.economy.expected_work import Memory, by_reference
from sparing.economy.ledger_notes import notes_pay
from sparing.economy.predict import Diff, Inputs, Offer, ReadAgain, preload_pays
from sparing.flow.flows import TIERS
from sparing.runtime.turn_history import memory_of
from sparing.segment import Segment, Volatility
from sparing.turn import TURNS
from sparing.turn_kind import KINDS, Actor, TurnKind

LIFE = Life.FIVE_MINUTES
UNPRICED = TurnWork(1, 0, 0)
"""Where no price decides."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way of sending a dispatch, ready to go."""

    way: Way
    prompt: Prompt
    offer: Offer
    memory: Memory
    session: Session | None = None


Options = Mapping[Way, Option]


class Chooser:
    def __init__(
        self, composer: Composer, strategy: Strategy, client: Client, rates: Rates,
        remembered: Remembered,
    ) -> None:  # fmt: skip
        self._composer = composer
        self._strategy = strategy
        self._levers = strategy.levers
        self._client = client
        self._rates = rates
        self._past = remembered
        self._fronts: dict[str, Front] = {}

    def front(self, dispatch: Dispatch, way: Way = Way.COMPOSE) -> Front:
        together = self._strategy.policy is not Policy.ADAPTIVE or Lever.BATCH in self._levers
        system = neutral_system(dispatch, together=together)
        if self._strategy.naive:
            system = role_system(dispatch)
        elif way is Way.PLAIN:
            system = plain_system(dispatch.brief)
        formed = KINDS[dispatch.step.kind].formed and dispatch.brief.schema is not None
        shell = self._has_shell(dispatch)
        who = "writer" if dispatch.writes and shell else "author" if dispatch.writes else "reader"
        tools = f"{who}{' with a form' * formed}"
        key = f"{tools} {dispatch.role.tools} {crc32(system.encode())}"
        if key not in self._fronts:
            size = self._client.base_tokens(writes=dispatch.writes, shell=shell, lean=self._lean)
            self._fronts[key] = Front(tools, size, system, key, shell=shell)
        return self._fronts[key]

    @property
    def _lean(self) -> bool:
        return Lever.LEAN_TOOLS in self._levers and not self._client.owns(writes=True)

    def _has_shell(self, dispatch: Dispatch) -> bool:
        tier = self._composer.feature.flow in TIERS
        return dispatch.codes or not self._lean or tier

    def options(self, dispatch: Dispatch, session: Session | None) -> dict[Way, Option]:
        """Composed first; it is always possible."""
        found = {Way.COMPOSE: self._fresh(dispatch, Way.COMPOSE)}
        if Way.REFERENCE in self._strategy.ways and "read" in dispatch.role.tools:
            by_path = self._fresh(dispatch, Way.REFERENCE)
            if by_path.prompt.papers:
                found[Way.REFERENCE] = by_path
        if session is not None and self._can_resume(dispatch, session):
            found[Way.RESUME] = self._resumed(dispatch, session)
        if Way.PLAIN in self._strategy.ways and self._strategy.policy is Policy.ADAPTIVE:
            found[Way.PLAIN] = self._plain(dispatch)
        return found

    def _plain(self, dispatch: Dispatch) -> Option:
        prompt = self._composer.prompt(dispatch, Variant(Way.PLAIN, grows=False, handed=True))
        blocks = tuple(_block(one) for one in prompt.segments)
        work = self._work(dispatch, Memory.NONE)
        offer = Offer(blocks, work, base=self.front(dispatch, Way.PLAIN).base)
        return Option(Way.PLAIN, prompt, offer, Memory.NONE)

    def _can_resume(self, dispatch: Dispatch, session: Session) -> bool:
        if Way.RESUME not in self._strategy.ways or Lever.RESUME not in self._levers:
            return False
        if self._has_shell(dispatch) and not session.talk.front.shell:
            return False
        brief = dispatch.brief
        news = bool(brief.delta or brief.fix_summary) or dispatch.step.kind not in REVIEWS
        return news and dispatch.resumable

    def _fresh(self, dispatch: Dispatch, way: Way) -> Option:
        plain = self._variant(dispatch, way)
        if self._strategy.naive:
            return self._naive(dispatch, plain)
        noted = Lever.NOTES in self._levers and bool(dispatch.brief.notes)
        noted = noted and self._notes_pay(dispatch, plain._replace(notes=True))
        plain = plain._replace(notes=noted)
        memory = memory_of(way, noted=noted, handed=plain.handed and bool(dispatch.brief.handoff))
        prompt = self._composer.prompt(dispatch, plain)
        work = self._work(dispatch, memory)
        size = self.front(dispatch).base.tokens + prompt.tokens
        if self._preloads(size, work):
            prompt = self._composer.prompt(dispatch, plain._replace(preload=True))
        if prompt.papers:
            opened = [paper.tokens for paper in prompt.papers]
            if way is Way.REFERENCE:  # and the code that it is not shown
                opened += [file.tokens for file in dispatch.shown]
            work = by_reference(work, sum(opened), len(opened))
        blocks = self._blocks(prompt)
        again = self._again(dispatch, prompt, blocks) if way is Way.COMPOSE else ReadAgain()
        return Option(way, prompt, Offer(blocks, work, again=again), memory)

    def _again(
        self, dispatch: Dispatch, prompt: Prompt, blocks: tuple[CacheBlock, ...]
    ) -> ReadAgain:
        """As `dispatch.alternatives` reckons it: what is behind the last mark nobody reads."""
        shared = TURNS[dispatch.step.turn].trunk_is_shared
        shared = shared and self._composer.feature.flow not in TIERS
        if not shared or Lever.TRUNK not in self._levers:
            return ReadAgain()
        marks = [end for end, one in enumerate(blocks, 1) if one.mark]
        end = min(prompt.trunk, max(marks, default=0))
        tokens = sum(one.tokens for one in prompt.segments[:end])
        return ReadAgain(self._past.readers(group_of(dispatch)), tokens)

    def _naive(self, dispatch: Dispatch, plain: Variant) -> Option:
        prompt = self._composer.prompt(dispatch, plain)
        blocks = tuple(_block(one) for one in prompt.segments)
        return Option(
            Way.COMPOSE, prompt, Offer(blocks, self._work(dispatch, Memory.NONE)), Memory.NONE
        )

    def _variant(self, dispatch: Dispatch, way: Way) -> Variant:
        one = self._strategy
        if one.policy is not Policy.ADAPTIVE:
            grows = one.policy is Policy.FRESH and not one.naive
            return Variant(way, one.order, naive=one.naive, grows=grows)
        trunk = Lever.TRUNK in self._levers
        return Variant(
            way, Order.NESTED if trunk else Order.SEED, grows=trunk, map=Lever.MAP in self._levers,
            handed=Lever.RESUME in self._levers, sheet=Lever.SHEET in self._levers,
        )  # fmt: skip

    def _blocks(self, prompt: Prompt) -> tuple[CacheBlock, ...]:
        if self._strategy.policy is not Policy.ADAPTIVE:
            return _marked_at_trunk(prompt, self._client.able.marks)
        marks = self._client.able.marks if Lever.TRUNK in self._levers else 0
        passing = pass_share(*self._past.looks)
        return marked_blocks(prompt.segments, prompt.trunk, marks, LIFE, passing)

    def _work(self, dispatch: Dispatch, memory: Memory) -> TurnWork:
        if self._strategy.policy is not Policy.ADAPTIVE:
            return UNPRICED
        return self._past.expected(dispatch.step.role, dispatch.step.errand, memory)

    def _notes_pay(self, dispatch: Dispatch, variant: Variant) -> bool:
        prompt = self._composer.prompt(dispatch, variant)
        notes = sum(one.tokens for one in prompt.segments if one.name in NOTES)
        context = self.front(dispatch).base.tokens + prompt.tokens - notes
        noted, forgotten = (self._work(dispatch, one) for one in (Memory.NOTES, Memory.NONE))
        return notes_pay(self._rates, context, notes, noted, forgotten)

    def _preloads(self, size: int, work: TurnWork) -> bool:
        if Lever.PRELOAD not in self._levers:
            return False
        together = BATCHED_FILES if Lever.BATCH in self._levers else FILES_PER_CALL
        return preload_pays(self._rates, size, work.calls, together)

    def _resumed(self, dispatch: Dispatch, session: Session) -> Option:
        plain = self._variant(dispatch, Way.RESUME)._replace(map=False)
        work = self._work(dispatch, Memory.TRANSCRIPT)
        prompt = self._composer.prompt(dispatch, plain)
        if self._preloads(session.talk.size + prompt.tokens, work):
            seen = frozenset(session.talk.files)
            prompt = self._composer.prompt(dispatch, plain._replace(preload=True), seen)
        blocks = tuple(_block(one) for one in prompt.segments)
        offer = Offer(blocks, work, session.transcript, session.talk.front.base)
        return Option(Way.RESUME, prompt, offer, Memory.TRANSCRIPT, session)

    def decide(
        self, dispatch: Dispatch, options: Options, at: float, barred: Mapping[Way, str]
    ) -> tuple[Option, float | None]:
        """The way, and what it is expected to cost."""
        if self._strategy.fixed:
            return options[[way for way in self._strategy.ways if way in options][-1]], None
        inputs = self.inputs(dispatch, options, at)
        unwanted = dict(barred)
        if Lever.INLINE not in self._levers and Way.REFERENCE in options:
            unwanted |= dict.fromkeys((Way.COMPOSE, Way.PLAIN), "the lever inline is off")
        found = decide_way(self._strategy.policy, self._moment(dispatch, options), inputs, unwanted)
        return options[found.way], found.predictions[found.way].cost

    def _moment(self, dispatch: Dispatch, options: Options) -> Moment:
        step, brief, resumed = dispatch.step, dispatch.brief, options.get(Way.RESUME)
        session = resumed.session if resumed else None
        row = KINDS[step.kind]
        actor = Actor.LONE if dispatch.role.always_fresh else row.actor
        if row.enters and session is not None:
            actor = Actor.FIXER
        told = bool(brief.delta) or step.kind not in REVIEWS
        return Moment(
            actor,
            _is_first(dispatch, session),
            session=session is not None or actor is Actor.REVIEWER,
            final=step.final,
            diff=Diff.CHANGED if told else Diff.EMPTY,
            answers=bool(brief.fix_summary) or actor is not Actor.REVIEWER,
            # A stage's own words are no delta.
            delta_chars=resumed.prompt.chars if resumed and not row.enters else 0,
            fresh_chars=session.fresh_chars if session else 0,
        )

    def inputs(self, dispatch: Dispatch, options: Options, at: float) -> Inputs:
        base = self.front(dispatch).base
        offers = {way: one.offer for way, one in options.items()}
        bases = [base, *(one.base for one in offers.values() if one.base is not None)]
        known = self._past.known(bases, at)
        return Inputs(at, self._rates, base, offers, known, minimum_tokens=MINIMUM_TOKENS)

    def next_turn(self, session: Session, at: float) -> Inputs:
        """The ways that a session's next turn will probably have, for whoever keeps it warm."""
        step, base = session.dispatch.step, session.talk.front.base
        errand = NEXT.get(step.errand, step.errand)
        told = CacheBlock(RequestPart.MESSAGES, "what it will be told", LATER_DELTA_TOKENS)
        noted, remembered = (
            self._past.expected(step.role, errand, one) for one in (Memory.NOTES, Memory.TRANSCRIPT)
        )
        offers = {
            Way.COMPOSE: Offer(session.opening, noted),
            Way.RESUME: Offer((told,), remembered, session.transcript),
        }
        known = self._past.known((base,), at)
        return Inputs(at, self._rates, base, offers, known, minimum_tokens=MINIMUM_TOKENS)

    def talk(self, dispatch: Dispatch, option: Option) -> Talk:
        """The conversation of the turn, with its prompt told."""
        session = option.session
        talk = session.talk.copy() if session else Talk(self.front(dispatch, option.way))
        talk.tell(option.prompt.segments, option.offer.blocks)
        talk.files.update(option.prompt.files)
        talk.quoted |= option.prompt.quoted
        return talk


def _is_first(dispatch: Dispatch, session: Session | None) -> bool:
    step = dispatch.step
    if step.kind in REVIEWS:
        return step.round == 1 and not step.final
    if step.kind is TurnKind.FIX:
        return step.round == 1
    return session is None and not (step.kind is TurnKind.REVISE and step.round > 1)


def _marked_at_trunk(prompt: Prompt, marks: int) -> tuple[CacheBlock, ...]:
    """As `compose` marks where no lever decides: where the trunk ends, else the role's part."""
    soon = (n for n, one in enumerate(prompt.segments) if one.volatility is Volatility.ITERATION)
    steady = next(soon, len(prompt.segments))
    ends = [end for end in (prompt.trunk, steady) if 0 < end < len(prompt.segments)][:marks]
    return tuple(
        _block(one, LIFE if number + 1 in ends and one.tokens else None)
        for number, one in enumerate(prompt.segments)
    )


def _block(segment: Segment, mark: Life | None = None) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, segment.digest, segment.tokens, mark)
