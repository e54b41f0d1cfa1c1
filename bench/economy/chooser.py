"""Before a dispatch: the ways it could be sent, and the program's decision between them."""

from __future__ import annotations

from dataclasses import dataclass

from bench.economy.client import Front, Talk
from bench.economy.draw import Work
from bench.economy.feature import Dispatch
from bench.economy.prompts import Composer, Prompt, Variant, neutral_system, role_system
from bench.economy.sessions import Remembered, Session, group_of
from bench.economy.strategy import Client, Strategy
from sparing.cache import CacheBlock, Life, RequestPart
from sparing.economy.choose import decide_way
from sparing.economy.cost_model import Rates
from sparing.economy.estimates import Memory, by_reference
from sparing.economy.guard import Diff
from sparing.economy.keepalive import USUAL_PAUSES
from sparing.economy.known import Base
from sparing.economy.ledger_notes import notes_pay
from sparing.economy.lives import marked_blocks, pass_share, trunk_life
from sparing.economy.matrix import Moment
from sparing.economy.predict import Inputs, Offer
from sparing.economy.preload import preload_pays
from sparing.turn_kind import KINDS, Actor, TurnKind
from sparing.way import Lever, Order, Policy, Way

FOLLOW_AT_ONCE = ("author/tasks", "author/code")
AT_ONCE = (30.0, 30.0)
NOTES = ("notes", "last-changes", "fix-summary")
LATER_DELTA_TOKENS = 1_500
"""Of a turn that has not come yet: what a session will be told."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way of sending a dispatch, ready to go."""

    way: Way
    prompt: Prompt
    blocks: tuple[CacheBlock, ...]
    work: Work
    memory: Memory
    session: Session | None = None


class Chooser:
    def __init__(
        self, composer: Composer, strategy: Strategy, client: Client, rates: Rates,
        remembered: Remembered,
    ) -> None:  # fmt: skip
        self._composer = composer
        self._strategy = strategy
        self._client = client
        self._rates = rates
        self._past = remembered
        self._fronts: dict[str, Front] = {}

    def front(self, dispatch: Dispatch) -> Front:
        neutral = self._strategy.neutral
        name = dispatch.role.role_class.value if neutral else dispatch.role.name
        if name not in self._fronts:
            system = neutral_system(dispatch) if neutral else role_system(dispatch)
            self._fronts[name] = Front(name, system, self._client.base_tokens)
        return self._fronts[name]

    def base(self, dispatch: Dispatch) -> Base:
        return self.front(dispatch).base(self._base_life(dispatch))

    def _base_life(self, dispatch: Dispatch) -> Life:
        """All roles of a class use it, and nothing behind it may live longer."""
        if Lever.HOUR not in self._strategy.levers:
            return Life.FIVE_MINUTES
        pauses = self._past.pauses[dispatch.role.role_class.value]
        own = trunk_life(self._rates, pauses), self._life(dispatch)
        return max(own, key=lambda life: life.seconds)

    def _life(self, dispatch: Dispatch) -> Life:
        if Lever.HOUR not in self._strategy.levers:
            return Life.FIVE_MINUTES
        group = group_of(dispatch)
        usual = AT_ONCE if group in FOLLOW_AT_ONCE else USUAL_PAUSES
        return trunk_life(self._rates, self._past.pauses[group], usual)

    def options(self, dispatch: Dispatch) -> list[Option]:
        """The fresh one first."""
        fresh = self.fresh(dispatch)
        session = self._past.sessions.get(dispatch.step.loop)
        can = Lever.RESUME in self._strategy.levers and KINDS[dispatch.step.kind].remembers
        if session is None or not can or not dispatch.resumable:
            return [fresh]
        return [fresh, self._resumed(dispatch, session)]

    def fresh(self, dispatch: Dispatch) -> Option:
        levers, step = self._strategy.levers, dispatch.step
        notes = Lever.NOTES in levers and step.round > 1 and KINDS[step.kind].remembers
        notes = notes and self._notes_pay(dispatch)
        memory = Memory.NOTES if notes else Memory.NONE
        plain = self._variant(notes=notes)
        prompt = self._composer.prompt(dispatch, plain)
        if self._preloads(dispatch, memory, self.base(dispatch).tokens + prompt.tokens):
            prompt = self._composer.prompt(dispatch, plain._replace(preload=True))
        marks = self._client.able.marks if Lever.TRUNK in levers else 0
        blocks = marked_blocks(
            prompt.segments, prompt.trunk, marks, self._life(dispatch),
            pass_share(self._past.looks, self._past.passed),
        )  # fmt: skip
        work = step.noted if notes else step.fresh
        return Option(self._strategy.fresh, prompt, blocks, work, memory)

    def _notes_pay(self, dispatch: Dispatch) -> bool:
        """As the engine decides it: notes beside what they spare."""
        prompt = self._composer.prompt(dispatch, self._variant(notes=True))
        notes = sum(one.tokens for one in prompt.segments if one.name in NOTES)
        context = self.base(dispatch).tokens + prompt.tokens - notes
        noted, forgotten = (
            self._past.expected(dispatch, one) for one in (Memory.NOTES, Memory.NONE)
        )
        return notes_pay(self._rates, context, notes, noted, forgotten)

    def _preloads(self, dispatch: Dispatch, memory: Memory, context: int) -> bool:
        if (
            self._strategy.policy is not Policy.ADAPTIVE
            or Lever.PRELOAD not in self._strategy.levers
        ):
            return False
        calls = self._past.expected(dispatch, memory).calls
        per_call = self._strategy.habits(self._composer.feature.parameters).files_per_call
        return preload_pays(self._rates, context, calls, per_call)

    def _variant(self, *, notes: bool) -> Variant:
        one, levers = self._strategy, self._strategy.levers
        if one.policy is not Policy.ADAPTIVE:
            return Variant(one.fresh, one.order, one.naive, one.everything, one.diff, one.grows)
        inline, trunk = Lever.INLINE in levers, Lever.TRUNK in levers
        return Variant(
            Way.COMPOSE if inline else Way.REFERENCE,
            Order.NESTED if trunk else Order.SEED,
            grows=trunk, notes=notes, map=Lever.MAP in levers,
        )  # fmt: skip

    def _resumed(self, dispatch: Dispatch, session: Session) -> Option:
        adaptive = self._strategy.policy is Policy.ADAPTIVE
        order = Order.NESTED if adaptive else self._strategy.order
        context = session.transcript.tokens
        preload = self._preloads(dispatch, Memory.TRANSCRIPT, context)
        seen = frozenset(session.talk.files)
        prompt = self._composer.prompt(
            dispatch, Variant(Way.RESUME, order, preload=preload), seen if preload else frozenset()
        )
        blocks = marked_blocks(prompt.segments, 0, 0, Life.FIVE_MINUTES)
        again = dispatch.step.again
        return Option(Way.RESUME, prompt, blocks, again, Memory.TRANSCRIPT, session)

    def decide(
        self, dispatch: Dispatch, options: list[Option], at: float
    ) -> tuple[Option, float | None]:
        """The way, and what it is expected to cost."""
        fresh, *others = options
        if self._strategy.policy is Policy.FRESH or not others:
            return fresh, None
        resumed = others[0]
        assert resumed.session is not None
        step = dispatch.step
        actor = KINDS[step.kind].actor
        moment = Moment(
            actor, first=False, session=True, final=step.kind is TurnKind.VALIDATE,
            diff=Diff.CHANGED if dispatch.brief.delta or actor is Actor.FIXER else Diff.EMPTY,
            delta_chars=resumed.prompt.chars,
            fresh_chars=resumed.session.fresh_chars if self._strategy.guard else 10**9,
        )  # fmt: skip
        inputs = self.inputs(dispatch, options, at)
        found = decide_way(self._strategy.policy, moment, inputs)
        if found.way is Way.RESUME:
            return resumed, found.predictions[Way.RESUME].cost
        return fresh, found.predictions[Way.COMPOSE].cost

    def inputs(self, dispatch: Dispatch, options: list[Option], at: float) -> Inputs:
        offers: dict[Way, Offer] = {}
        for one in options:
            work = self._past.expected(dispatch, one.memory)
            if one.prompt.papers and one.way is Way.REFERENCE:
                tokens = sum(paper.tokens for paper in one.prompt.papers)
                work = by_reference(work, tokens, len(one.prompt.papers))
            on = one.session.transcript if one.session else None
            way = Way.RESUME if one.session else Way.COMPOSE
            offers[way] = Offer(one.blocks, work, on)
        return Inputs(
            at, self._rates, self.base(dispatch), offers, self._past.known(at),
            minimum_tokens=1_024, start_seconds=0,
        )  # fmt: skip

    def next_turn(self, session: Session, at: float) -> Inputs:
        """The ways that a session's next turn will probably have, for whoever keeps it warm."""
        dispatch = session.dispatch
        fresh = self.fresh(dispatch)
        notes = Memory.NOTES if Lever.NOTES in self._strategy.levers else Memory.NONE
        told = CacheBlock(RequestPart.MESSAGES, "what it will be told", LATER_DELTA_TOKENS)
        offers = {
            Way.COMPOSE: Offer(fresh.blocks, self._past.expected(dispatch, notes)),
            Way.RESUME: Offer(
                (told,), self._past.expected(dispatch, Memory.TRANSCRIPT), session.transcript
            ),
        }
        return Inputs(
            at, self._rates, session.talk.base, offers, self._past.known(at),
            minimum_tokens=1_024, start_seconds=0,
        )  # fmt: skip

    def talk(self, dispatch: Dispatch, option: Option) -> Talk:
        """The conversation of the turn, with its prompt told."""
        if option.session is not None:
            talk = option.session.talk.copy()
        else:
            talk = Talk.opened(self.front(dispatch), self._base_life(dispatch))
            if self._strategy.shares_tools:
                talk.front_blocks = _tools_marked(talk.front_blocks)
        talk.tell(option.prompt.segments, option.blocks)
        talk.files.update(option.prompt.files)
        return talk


def _tools_marked(blocks: tuple[CacheBlock, ...]) -> tuple[CacheBlock, ...]:
    tools, *rest = blocks
    return (CacheBlock(tools.part, tools.digest, tools.tokens, Life.FIVE_MINUTES), *rest)
