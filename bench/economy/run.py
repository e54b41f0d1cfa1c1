"""One feature under one strategy, on a virtual clock, billed call by call by the double's cache."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from bench.economy.agent import Call, Did, turn
from bench.economy.chooser import Chooser, Option
from bench.economy.client import Talk
from bench.economy.draw import Step
from bench.economy.feature import Dispatch
from bench.economy.ledger import Ledger
from bench.economy.other_ways import Continuous, Forked
from bench.economy.parameters import MODEL
from bench.economy.prompts import Composer
from bench.economy.sessions import MINIMUM_TOKENS, Remembered, Session
from bench.economy.strategy import Client, Strategy
from sparing.cache import Life, PromptCache
from sparing.context.prompt.brief import REVIEWS
from sparing.economy.cost_model import Rates
from sparing.economy.estimates import Memory
from sparing.economy.keepalive import LoopEnd, another_ping, next_ping_at, resume_probability
from sparing.economy.known import SentPrompt
from sparing.turn_kind import TurnKind
from sparing.usage import Usage
from sparing.way import Lever

HANDOFF_SECONDS = 60
MINIMUMS = {MODEL: MINIMUM_TOKENS}
KEPT = (*REVIEWS, TurnKind.WRITE, TurnKind.REVISE, TurnKind.FIX)
"""Turns whose session may go on."""


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
        self, composer: Composer, strategy: Strategy, client: Client, rates: Rates, *,
        keep_calls: bool = False,
    ) -> None:  # fmt: skip
        self.ledger = Ledger(keep=keep_calls)
        self._p = composer.feature.parameters
        self._composer = composer
        self._strategy = strategy
        self._rates = rates
        self._cache = PromptCache(MINIMUMS)
        self._past = Remembered()
        self._chooser = Chooser(composer, strategy, client, rates, self._past)
        self._one = Continuous(composer, client, self._p)
        self._forked = Forked(composer, client)
        self._now = 0.0

    def go(self) -> Ledger:
        dispatches = [one for one in self._composer.feature.dispatches if self._asks(one)]
        for _, wave in groupby(dispatches, key=lambda one: one.step.wave or str(one.number)):
            first, *others = wave
            if self._strategy.session == "one":  # which can't do two things at once
                self._wave([first])
                for other in others:
                    self._wave([other], gap=0.0)
            else:
                self._wave([first, *others])
        return self.ledger

    def _asks(self, dispatch: Dispatch) -> bool:
        """A reviewer that passed is not asked again while nothing has changed (C7)."""
        last = dispatch.step.kind is TurnKind.VALIDATE and not dispatch.brief.delta
        return not (last and self._strategy.skips_unchanged)

    def _wave(self, wave: list[Dispatch], gap: float | None = None) -> None:
        self._now += wave[0].step.gap if gap is None else gap
        begin, queue = self._now, list[tuple[float, int, Call, _Running]]()
        for number, dispatch in enumerate(wave):
            # Each begins when the answer to the one before has begun: it finds what that wrote.
            start = begin + number * (self._p.first_token_seconds + 1)
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
        request, ready = call.talk.request(call.blocks), call.at + self._p.first_token_seconds
        usage = self._cache.bill(request, call.at, output=call.output, ready_at=ready)
        self.ledger.add(call, usage)
        return usage

    def _start(self, dispatch: Dispatch, at: float) -> _Running:
        if self._strategy.session != "loop":
            return self._start_otherwise(dispatch, at)
        self._ping_until(at)
        option, expected = self._chosen(dispatch, at)
        self.ledger.choices[option.way.value] += 1
        before = option.session.talk.told if option.session else ()
        self.ledger.missing += self._composer.missing(dispatch, option.prompt, before)
        self._take_up(dispatch.step, at)
        talk = self._chooser.talk(dispatch, option)
        talk.told = (*before, option.prompt.key)
        self._past.begin(dispatch, at)
        opening, resumed = option.blocks, option.session is not None
        if option.session is not None:
            opening = option.session.opening
        sent = self._past.send(SentPrompt(talk.base, opening, at, at, resumed=resumed))
        return _Running(
            dispatch, option, talk, self._turn(dispatch, option, talk, at), sent, expected
        )

    def _start_otherwise(self, dispatch: Dispatch, at: float) -> _Running:
        """In the one session there is, or in a fork of it."""
        if self._strategy.session == "forked":
            option, talk = self._forked.option(dispatch)
            self.ledger.missing += self._composer.missing(dispatch, option.prompt, ())
        else:
            full = self._one.handoff(dispatch, at)
            if full is not None:
                self._bill(full)
                self.ledger.handoffs += 1
                at += HANDOFF_SECONDS
            # It typed every document and every file itself, or its handoff names them.
            option, talk = self._one.option(dispatch)
        self.ledger.choices[option.way.value] += 1
        return _Running(dispatch, option, talk, self._turn(dispatch, option, talk, at), 0, None)

    def _take_up(self, step: Step, at: float) -> None:
        """The loop goes on: how long its session lay idle is worth knowing."""
        old = self._past.sessions.get(step.loop)
        if old is not None:
            self._past.pauses["sessions"].append(at - old.used_at)
            old.open = 0.0

    def _turn(
        self, dispatch: Dispatch, option: Option, talk: Talk, at: float
    ) -> Iterator[Call | Did]:
        habits = self._strategy.habits(self._p)
        if Lever.MAP in self._strategy.levers and option.memory is Memory.NONE:
            habits = habits._replace(fewer_calls=self._p.map_saves_calls)
        step, papers = dispatch.step, option.prompt.papers
        return turn(talk, step, option.work, papers, at, habits, self._p)

    def _chosen(self, dispatch: Dispatch, at: float) -> tuple[Option, float | None]:
        options = self._chooser.options(dispatch)
        if self._strategy.hindsight and len(options) > 1:
            return min(options, key=lambda one: self._tried(dispatch, one, at)), None
        return self._chooser.decide(dispatch, options, at)

    def _tried(self, dispatch: Dispatch, option: Option, at: float) -> float:
        """What a way would cost, by the very work that follows."""
        cache = PromptCache.load(self._cache.dump(), MINIMUMS)
        talk, total = self._chooser.talk(dispatch, option), Usage()
        for call in self._turn(dispatch, option, talk, at):
            if isinstance(call, Call):
                total += cache.bill(call.talk.request(call.blocks), call.at, output=call.output)
        return self._rates.price(total)

    def _finish(self, running: _Running, did: Did) -> None:
        dispatch, option = running.dispatch, running.option
        self._now = max(self._now, did.end_at)
        self._past.end(dispatch, option.memory, did)
        sent = self._past.sends.get(running.sent)
        if sent is not None:
            self._past.send(replace(sent, last_at=did.last_at), running.sent)
        if running.expected is not None:
            self.ledger.predicted.append((running.expected, self._rates.price(running.usage)))
        if self._strategy.session != "loop":
            return
        if dispatch.wrote:
            running.talk.told += (self._composer.wrote(dispatch),)
        if dispatch.step.kind in KEPT:
            old, loop = option.session, dispatch.step.loop
            self._past.sessions[loop] = Session(
                running.talk, old.opening if old else option.blocks, did.last_at, did.end_at,
                did.sent, did.answer, old.fresh_chars if old else option.prompt.chars,
                _goes_on(dispatch), dispatch,
            )  # fmt: skip
            self._close(dispatch)

    def _close(self, dispatch: Dispatch) -> None:
        """Nobody keeps a session warm whose loop is over."""
        if dispatch.step.kind in REVIEWS and not dispatch.step.rejects:
            for session in self._past.sessions.values():
                author = session.dispatch.step.kind not in REVIEWS
                if author and session.dispatch.step.stage == dispatch.step.stage:
                    session.open *= 0.5

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
        tokens, idle = session.talk.base.tokens + session.talk.tokens, when - session.used_at
        pauses = self._past.pauses["sessions"]
        worth = another_ping(inputs, tokens, pauses, idle, probability=session.open)
        if not worth.pays:
            session.open = 0.0
            return
        self._bill(Call(session.talk, when, 1, session.sent))
        self.ledger.pings += 1
        session.last_at = when
        base, opening = session.talk.base, session.opening
        self._past.send(SentPrompt(base, opening, when, when, resumed=True))


def _goes_on(dispatch: Dispatch) -> float:
    """How likely the session of this turn is asked again."""
    step = dispatch.step
    if dispatch.role.always_fresh:
        return 0.0
    if step.kind not in REVIEWS:
        return resume_probability(LoopEnd.WAITING)
    return resume_probability(LoopEnd.REJECTED if step.rejects else LoopEnd.APPROVED)
