"""One feature under one strategy, on a virtual clock, billed call by call by the double's cache."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from bench.economy.agent import Agent, Call, Did, Errand, turn
from bench.economy.chooser import Chooser, Option
from bench.economy.client import Talk, Words
from bench.economy.dispatches import Dispatch, group_of
from bench.economy.ledger import Ledger
from bench.economy.parameters import (
    AT_ONCE_SECONDS,
    FIRST_TOKEN_SECONDS,
    MINIMUM_TOKENS,
    MODEL,
    PAUSES,
    PauseName,
)
from bench.economy.primers import Primers
from bench.economy.prompts import Composer
from bench.economy.sessions import Remembered, Session
from bench.economy.stages import weigh
from bench.economy.steps import Wait
from bench.economy.strategy import Client, Strategy
from sparing.cache import CacheBlock, Life, PromptCache, RequestPart
from sparing.dispatch.handoff import question_tokens
from sparing.dispatch_policy import Lever, Way
from sparing.double.agent_draws import human_seconds, share
from sparing.economy.cache_contents import SentPrompt
from sparing.economy.cache_lives import ANSWER_TOKENS, TrunkUse
from sparing.economy.cost_model import Rates
from sparing.economy.keepalive import LoopEnd, another_ping, next_ping_at, resume_probability
from sparing.economy.resume_or_handoff import JUDGEMENT
from sparing.turn_kind import KINDS, Actor, TurnKind
from sparing.usage import Usage

WEIGHED = "weighed before the stage"
PRIMER_SECONDS = 2.0


@dataclass(slots=True)
class _Running:
    dispatch: Dispatch
    option: Option
    talk: Talk
    calls: Iterator[Call | Did]
    sent: int
    """The number of its prompt among those sent."""
    expected: float | None
    usage: Usage = Usage()


_Queue = list[tuple[float, int, Call, _Running]]


class Run:
    def __init__(
        self, composer: Composer, strategy: Strategy, client: Client, rates: Rates,
        pause: PauseName, *, agent: Agent | None = None, keep_calls: bool = False,
    ) -> None:  # fmt: skip
        feature = composer.feature
        self.ledger = Ledger(keep=keep_calls)
        self._composer, self._strategy, self._rates = composer, strategy, rates
        self._client = client
        self._pause, self._name = PAUSES.get(pause), pause
        own = agent or Agent(feature.kind, feature.seed)
        self._agent = own._replace(quick=bool(self._pause and self._pause.quick))
        self._cache = PromptCache({MODEL: MINIMUM_TOKENS})
        self._past = Remembered()
        self._chooser = Chooser(composer, strategy, client, rates, self._past)
        self._primers = Primers(rates, self._past)
        self._now = 0.0

    def go(self) -> Ledger:
        dispatches = self._composer.feature.dispatches
        for _, wave in groupby(dispatches, key=lambda one: one.step.wave or str(one.number)):
            self._wave(list(wave))
        return self.ledger

    def _waited(self, dispatch: Dispatch) -> float:
        step, feature = dispatch.step, self._composer.feature
        if step.wait is Wait.NONE:
            return AT_ONCE_SECONDS
        if self._pause is None:
            gate = step.wait is Wait.GATE
            people = human_seconds(feature.kind, feature.seed, step.waits_for) if gate else 0.0
            return AT_ONCE_SECONDS + people
        part = share(feature.seed, *step.identity, "pause")
        return self._pause.least + (self._pause.most - self._pause.least) * part

    def _wave(self, wave: list[Dispatch]) -> None:
        waited = self._waited(wave[0])
        if wave[0].step.wait is Wait.GATE:
            self._stage_is_over()
        self._ping_until(self._now + waited)
        self._now += waited
        begin, queue = self._now, list[tuple[float, int, Call, _Running]]()
        for number, dispatch in enumerate(wave):
            # Each begins when the answer to the one before has begun: it finds what that wrote.
            start = begin + number * (FIRST_TOKEN_SECONDS + 1)
            self._advance(queue, start)
            self._push(queue, number, self._start(dispatch, start))
        self._advance(queue, float("inf"))

    def _advance(self, queue: _Queue, until: float) -> None:
        """Send what is due before that time, in order."""
        while queue and queue[0][0] < until:
            _, number, call, running = heapq.heappop(queue)
            self._ping_until(call.at)
            running.usage += self._bill(call)
            self._push(queue, number, running)

    def _push(self, queue: _Queue, number: int, running: _Running) -> None:
        following = next(running.calls)
        if isinstance(following, Did):
            self._finish(running, following)
        else:
            heapq.heappush(queue, (following.at, number, following, running))

    def _bill(self, call: Call) -> Usage:
        request, ready = call.talk.request(call.blocks), call.at + FIRST_TOKEN_SECONDS
        usage = self._cache.bill(request, call.at, output=call.output, ready_at=ready)
        self.ledger.add(call, usage)
        return usage

    def _start(self, dispatch: Dispatch, at: float) -> _Running:
        self._ping_until(at)
        option, expected = self._chosen(dispatch, at)
        self.ledger.choices[option.way.value] += 1
        before = option.session.talk.told if option.session else ()
        self.ledger.missing += self._composer.missing(dispatch, option.prompt, before)
        self._take_up(dispatch.step.loop, at)
        at = self._primed(dispatch, option, at)
        talk = self._chooser.talk(dispatch, option)
        talk.told = (*before, option.prompt.key)
        opening, resumed = option.offer.blocks, option.session is not None
        if option.session is not None:
            opening = option.session.opening
        sent = self._past.send(SentPrompt(talk.front.base, opening, at, at, resumed=resumed))
        prompt = option.prompt
        errand = Errand(
            dispatch.step, dispatch.files, prompt.papers, dispatch.targets, prompt.listed,
            dispatch.leaves, dispatch.names if Lever.SHEET in self._strategy.levers else 0,
        )  # fmt: skip
        owns = self._client.owns(writes=dispatch.writes)
        calls = turn(
            talk, errand, at,
            self._agent._replace(
                files=self._client.files if owns else 1, own=owns, trust=self._client.trust
            ),
        )  # fmt: skip
        return _Running(dispatch, option, talk, calls, sent, expected)

    def _primed(self, dispatch: Dispatch, option: Option, at: float) -> float:
        """Send the trunk ahead where that pays; tells when the dispatch itself begins."""
        if Lever.PRIMER not in self._strategy.levers:
            return at
        talk = self._primers.talk(self._chooser, dispatch, option, at)
        if talk is None:
            return at
        self._bill(Call(talk, at, ANSWER_TOKENS, len(talk.blocks)))
        self.ledger.primers += 1
        opening = tuple(talk.blocks[:-1])
        self._past.send(SentPrompt(talk.front.base, opening, at, at))
        return at + PRIMER_SECONDS

    def _chosen(self, dispatch: Dispatch, at: float) -> tuple[Option, float | None]:
        session = self._past.sessions.get(dispatch.step.loop)
        options = self._chooser.options(dispatch, session)
        barred: dict[Way, str] = {}
        if session is not None and dispatch.step.kind is TurnKind.STAGE:
            inputs = self._chooser.inputs(dispatch, options, at)
            flow = self._composer.feature.flow
            going = weigh(flow, dispatch.step, session, options, inputs, self._past, self._strategy)
            if going.on:
                barred = dict.fromkeys((Way.COMPOSE, Way.REFERENCE, Way.PLAIN), WEIGHED)
            else:
                if going.asks:
                    self._hand_over(session, at)
                options.pop(Way.RESUME, None)
        return self._chooser.decide(dispatch, options, at, barred)

    def _hand_over(self, session: Session, at: float) -> None:
        """The old session says what only it knows."""
        talk, size = session.talk.copy(), question_tokens()
        talk.add(
            Words("user", "text", "hand over", size),
            CacheBlock(RequestPart.MESSAGES, "hand over", size),
        )
        self._bill(Call(talk, at, round(JUDGEMENT.output), len(talk.blocks)))

    def _take_up(self, loop: str, at: float) -> None:
        """The loop goes on: how long its session lay idle is worth knowing."""
        old = self._past.sessions.get(loop)
        if old is not None:
            self._past.waits.append(at - old.used_at)
            old.open = 0.0

    def _finish(self, running: _Running, did: Did) -> None:
        dispatch, option = running.dispatch, running.option
        step = dispatch.step
        self._now = max(self._now, did.end_at)
        self._past.end(dispatch, option.memory, did)
        known = tuple((block.digest, block.tokens) for block in option.offer.blocks)
        self._primers.use(dispatch, TrunkUse(did.first_at, did.last_at, blocks=known))
        self._past.asked.append((group_of(dispatch), did.first_at, did.end_at))
        sent = self._past.sends.get(running.sent)
        if sent is not None:
            self._past.send(replace(sent, last_at=did.last_at), running.sent)
        cost = self._rates.price(running.usage)
        self.ledger.spent(f"{step.role} {step.turn.value}", cost)
        if running.expected is not None:
            self.ledger.predicted.append((running.expected, cost))
        if dispatch.wrote:
            running.talk.told += (self._composer.wrote(dispatch),)
        old = option.session
        self._past.sessions[step.loop] = Session(
            running.talk, old.opening if old else option.offer.blocks, did.last_at, did.end_at,
            did.sent, did.answer, old.fresh_chars if old else option.prompt.chars,
            _goes_on(dispatch), dispatch,
        )  # fmt: skip
        self._close(dispatch)

    def _close(self, dispatch: Dispatch) -> None:
        """An author whose reviewer has approved is less likely to be asked again."""
        step = dispatch.step
        if KINDS[step.kind].judges and not step.rejects:
            for session in self._past.sessions.values():
                own = session.dispatch.step
                if own.stage == step.stage and KINDS[own.kind].actor is not Actor.REVIEWER:
                    session.open *= 0.5

    def _stage_is_over(self) -> None:
        """At a gate nothing is kept warm: nobody knows how long a person takes."""
        for session in self._past.sessions.values():
            session.open = 0.0

    def _ping_until(self, at: float) -> None:
        """Keep warm what is worth it, up to that time."""
        if not {Lever.KEEP_ALIVE, Lever.RESUME} <= self._strategy.levers:
            return
        while due := [
            (when, loop)
            for loop, one in self._past.sessions.items()
            if one.open and (when := next_ping_at(one.last_at, Life.FIVE_MINUTES)) < at
        ]:
            self._ping(*min(due))

    def _ping(self, when: float, loop: str) -> None:
        session = self._past.sessions[loop]
        inputs = self._chooser.next_turn(session, when)
        idle = when - session.used_at
        worth = another_ping(
            inputs, session.talk.size, self._past.waits, idle, probability=session.open
        )
        if not worth.pays:
            session.open = 0.0
            return
        self._bill(Call(session.talk, when, 1, session.sent))
        self.ledger.pings += 1
        session.last_at = when
        self._primers.use(session.dispatch, TrunkUse(when, when, ping=True))
        base, opening = session.talk.front.base, session.opening
        self._past.send(SentPrompt(base, opening, when, when, resumed=True))


def _goes_on(dispatch: Dispatch) -> float:
    """How likely the session of this turn is asked again."""
    step = dispatch.step
    actor = KINDS[step.kind].actor
    if dispatch.role.always_fresh or step.kind in (TurnKind.TASK, TurnKind.ASSIST):
        return 0.0
    if actor is not Actor.REVIEWER:
        return resume_probability(LoopEnd.WAITING)
    return resume_probability(LoopEnd.REJECTED if step.rejects else LoopEnd.APPROVED)
