"""Whether a stage resumes the existing session, or starts a fresh one with a handoff.

Two questions, in this order. Does the stage fit: is what the last call left of the window enough
for what such a stage takes, plus a fifth? And which is cheaper: to read the whole conversation
again with every call, or to pay for a handoff and for looking things up again? The first can force
a handoff, the second only prefers one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.cache import CacheBlock, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cost_model import TurnWork
from sparing.economy.expected_work import HABITS, Memory, work_of
from sparing.economy.predict import Inputs, Offer, Prediction, predict
from sparing.economy.prices import listed_window
from sparing.percent import percent
from sparing.turn_kind import Errand
from sparing.usage import Usage

MARGIN = 1.2
DAY_SECONDS = 86_400.0
ENOUGH_RUNS = 5
"""Runs of a stage after which its history is used instead of the estimate."""
QUANTILE = 0.9
SHRUNK = 0.75
"""A conversation that shrinks below this share of its size has been compacted: other things that
clients drop, such as old thinking, are smaller."""
JUDGEMENT = work_of(HABITS[Errand.HAND_OVER, Memory.TRANSCRIPT])
"""A turn that only answers, with what the program can't know."""
LAST_WORD_SHARE = 0.25
"""Share of the next stage's expected cost that may be spent on the last answer of a session that
can't continue."""
DOUBT = 2.5
"""How many times its expected calls a turn may take that was never seen here. Each reads the whole
session again, so that a mistake costs more in a session than in a short prompt."""
JUDGEMENT_SHARE = 0.02
"""The same for a session that is only more expensive to continue: agents that were told its
opinion explored as much as others (simulated)."""


FRESH = (Way.COMPOSE, Way.PLAIN, Way.REFERENCE)


class SessionStart(StrEnum):
    """How a stage starts if there is a session."""

    CONTINUE = "continue"
    HAND_OFF = "hand off"


class SessionHabit(StrEnum):
    """What is wanted where both are possible."""

    PRICED = "priced"
    CONTINUE = "continue"
    """Resume as long as the stage fits, as in the original rules."""
    HAND_OFF = "hand-off"


def window_of(model: str, own: Iterable[str], otherwise: int) -> int:
    """Tokens a model takes in: as the user says, else as listed, else as the client says."""
    said = {name: int(size) for name, _, size in (line.rpartition(" ") for line in own)}
    return said.get(model) or listed_window(model) or otherwise


def used_tokens(last: Usage) -> int:
    """Tokens in the window after a call: all that it sent, cached or not, and its answer."""
    return last.uncached + last.read + last.write_5m + last.write_1h + last.output


def compacted(sizes: Sequence[int]) -> bool:
    """Whether a conversation has become smaller from one call to a later one."""
    most = 0
    for size in sizes:
        if size < SHRUNK * most:
            return True
        most = max(most, size)
    return False


def learned_budget(taken: Sequence[int], otherwise: int) -> int:
    """What nine of ten runs of a stage got along with, once there are enough of them."""
    if len(taken) < ENOUGH_RUNS:
        return otherwise
    return sorted(taken)[math.ceil(QUANTILE * len(taken)) - 1]


@dataclass(frozen=True, slots=True)
class Room:
    window: int
    used: int
    budget: int
    """What the stage is expected to take."""
    least: int = 0
    """What it takes at the very least: with less it would break off."""

    @property
    def remaining(self) -> int:
        return self.window - self.used

    @property
    def need(self) -> int:
        return math.ceil(self.budget * MARGIN)

    @property
    def share(self) -> float:
        return self.used / self.window if self.window else 1.0

    @property
    def enough(self) -> bool:
        return self.remaining >= self.need

    @property
    def at_all(self) -> bool:
        return self.remaining >= min(self.least, self.budget)

    @property
    def words(self) -> str:
        return (
            f"the session is at {percent(self.share)} of its window: {max(0, self.remaining):,} "
            f"tokens are left, the stage needs {self.need:,}"
        )

    @property
    def short_words(self) -> str:
        """For a line that is shown whole."""
        return f"{max(0, self.remaining):,} tokens are left, {self.need:,} are needed"


class Bills(NamedTuple):
    """Expected costs of resuming, handing off and asking, in the unit of the rates."""

    continued: Prediction
    handed: Prediction
    judgement: Prediction
    """The turn in which the old session says what only it knows."""


@dataclass(frozen=True, slots=True)
class Weighed:
    go: SessionStart
    reason: str
    forced: bool = False
    """True if the session can't or should not continue: a person is asked if one is available."""
    judged: bool = False
    """The old session is asked before it ends."""


class SessionState(NamedTuple):
    """What speaks for or against resuming the existing session."""

    habit: SessionHabit
    room: Room
    shrunk: bool = False
    lost: str = ""
    """Why the session can't be resumed at all."""
    sums_up: bool = False
    """True if the stage only reports what was done, which the program's own handoff contains."""
    longer: Bills | None = None
    """What both would cost if the stage took more calls than expected; None if turns of its kind
    were seen here."""


def bills(inputs: Inputs, question: int, answer: TurnWork = JUDGEMENT) -> Bills:
    """Predict the costs; `question` is the size in tokens of the request for a handoff."""
    found = predict(inputs)
    fresh = [found[way] for way in FRESH if found[way].cost is not None]
    handed = min(fresh, key=lambda one: one.cost or 0.0)
    resumed = inputs.offers.get(Way.RESUME)
    if resumed is None:
        none = found[Way.RESUME]
        return Bills(none, handed, none)
    asked = Offer((CacheBlock(RequestPart.MESSAGES, "question", question),), answer, resumed.on)
    turn = predict(_with(inputs, asked))[Way.RESUME]
    return Bills(found[Way.RESUME], handed, turn)


def longer(inputs: Inputs) -> Inputs:
    """The same offers, each with the calls that a turn never seen here may take."""
    offers = {
        way: replace(one, work=replace(one.work, calls=DOUBT * one.work.calls))
        for way, one in inputs.offers.items()
    }
    return replace(inputs, offers=offers)


def temperatures(inputs: Inputs) -> tuple[Bills, Bills]:
    """Costs of both starts if the stage began right after the last call, and a day later."""
    offer = inputs.offers.get(Way.RESUME)
    then = offer.on.last_call_at if offer is not None and offer.on is not None else inputs.at
    warm = bills(replace(inputs, at=then, start_seconds=0.0), 0)
    return warm, bills(replace(inputs, at=inputs.at + DAY_SECONDS), 0)


def _with(inputs: Inputs, offer: Offer) -> Inputs:
    return replace(inputs, offers={**inputs.offers, Way.RESUME: offer})


def weigh(standing: SessionState, cost: Bills) -> Weighed:
    """Room before money; money only where both are possible."""
    habit, room, shrunk, lost, sums_up, doubt = standing
    judged = not sums_up and _worth_asking(cost, JUDGEMENT_SHARE)
    if lost:
        return Weighed(SessionStart.HAND_OFF, lost)
    if shrunk:
        reason = "the client has compacted the session: nobody knows what it forgot"
        return Weighed(SessionStart.HAND_OFF, reason, forced=True)
    if not room.enough:
        asked = not sums_up and _worth_asking(cost, LAST_WORD_SHARE)
        asked = asked and room.remaining > JUDGEMENT.output * 2
        return Weighed(SessionStart.HAND_OFF, room.words, forced=True, judged=asked)
    if habit is SessionHabit.CONTINUE:
        return Weighed(SessionStart.CONTINUE, f"it fits: {room.short_words}")
    if habit is SessionHabit.HAND_OFF:
        return Weighed(SessionStart.HAND_OFF, "every stage starts a new session", judged=judged)
    return _cheaper(cost, doubt, judged=judged)


def _worth_asking(cost: Bills, share: float) -> bool:
    """A cold session would be written to the cache again only to be abandoned."""
    asked, stage = cost.judgement, cost.handed.cost
    warm = asked.cached * 2 >= asked.context
    return asked.cost is not None and warm and asked.cost <= share * (stage or 0.0)


def _cheaper(cost: Bills, doubt: Bills | None, *, judged: bool) -> Weighed:
    continued, alone = cost.continued.cost, cost.handed.cost
    assert alone is not None, "a fresh session is always possible"
    if continued is None:
        return Weighed(SessionStart.HAND_OFF, cost.continued.why_not)
    handed = alone + (cost.judgement.cost or 0.0 if judged else 0.0)
    if continued <= handed and doubt is not None and not _holds(doubt):
        reason = "cheaper if the stage takes longer than expected"
        return Weighed(SessionStart.HAND_OFF, reason, judged=judged)
    go = SessionStart.CONTINUE if continued <= handed else SessionStart.HAND_OFF
    less, more = sorted((continued, handed))
    part = f"{percent(1 - less / more)} cheaper" if more else "as cheap"
    words = cost.continued.words if go is SessionStart.CONTINUE else cost.handed.words
    reason = f"{go} is expected to be {part} ({words})"
    return Weighed(go, reason, judged=judged and go is SessionStart.HAND_OFF)


def _holds(doubt: Bills) -> bool:
    return (doubt.continued.cost or 0.0) <= (doubt.handed.cost or 0.0)
