"""Before every stage of a tier: does the builder go on in its session, or hand over to a new one?

The figures come from the run so far; the decision is `economy.continuity`'s own.
"""

from __future__ import annotations

from typing import NamedTuple

from bench.economy.chooser import Options
from bench.economy.parameters import RESERVE_TOKENS, WINDOW_TOKENS
from bench.economy.sessions import Remembered, Session
from bench.economy.steps import Step
from bench.economy.strategy import Strategy
from sparing.dispatch.handoff import question_tokens
from sparing.dispatch_policy import Policy, Way
from sparing.economy import resume_or_handoff
from sparing.economy.expected_work import Memory
from sparing.economy.predict import Inputs
from sparing.economy.resume_or_handoff import Room, SessionHabit, SessionStart, SessionState
from sparing.flow.flows import FLOWS
from sparing.runtime import turn_history
from sparing.turn_kind import Errand


class Going(NamedTuple):
    on: bool
    """In the session that is there."""
    asks: bool = False
    """The old session is asked for what only it knows."""


def weigh(
    flow: str, step: Step, session: Session, options: Options, inputs: Inputs,
    past: Remembered, strategy: Strategy,
) -> Going:  # fmt: skip
    if Way.RESUME not in options:
        return Going(on=False)
    who = past.expected(step.role, Errand.HAND_OVER, Memory.TRANSCRIPT)
    bills = resume_or_handoff.bills(inputs, question_tokens(), who)
    offer = options[Way.RESUME].offer
    least = sum(block.tokens for block in offer.blocks) + offer.work.growth + offer.work.output
    budget = FLOWS[flow].stage(step.stage).budget_tokens
    room = Room(WINDOW_TOKENS - RESERVE_TOKENS, session.talk.size, budget, round(least))
    always = strategy.fixed or strategy.policy is Policy.SEED
    habit = SessionHabit.CONTINUE if always else SessionHabit.PRICED
    longer = resume_or_handoff.bills(resume_or_handoff.longer(inputs), question_tokens())
    standing = SessionState(
        habit, room, sums_up=step.stage in turn_history.CLOSING,
        longer=longer if past.is_new(step.role, step.errand) else None,
    )  # fmt: skip
    found = resume_or_handoff.weigh(standing, bills)
    return Going(found.go is SessionStart.CONTINUE, found.judged)
