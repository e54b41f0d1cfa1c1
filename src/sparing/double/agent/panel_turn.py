"""A panel's turn as a representative agent works it: each reviewer's own review, one by one.

The second reviewer always reviews for the first time, and only if the first one approves. What both
want to see is opened once.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.double.agent_draws import TurnIdentity, TurnNeeds, errand_of, loop_rounds, turn_needs
from sparing.double.agent_kinds import AgentKind
from sparing.panel import members


def seats_of(kind: AgentKind, seed: int, who: TurnIdentity) -> tuple[TurnIdentity, ...]:
    """The reviewers at work in a turn; a role that is asked alone is the only one."""
    first, *others = members(who.role)
    alone = who._replace(role=first)
    if not others or rejects(kind, seed, alone):
        return (alone,)
    return (alone, *(who._replace(role=one, iteration=1) for one in others))


def rejects(kind: AgentKind, seed: int, who: TurnIdentity) -> bool:
    """Whether this reviewer rejects: until its drawn last round in this stage."""
    return who.iteration < loop_rounds(kind, seed, who.role, who.stage)


def needs_of(kind: AgentKind, seed: int, who: TurnIdentity) -> TurnNeeds:
    found = [turn_needs(kind, seed, errand_of(one), one) for one in seats_of(kind, seed, who)]
    if len(found) == 1:
        return found[0]
    seconds = sum(one.seconds for one in found)
    calls = sum(one.seconds / one.call_seconds for one in found)
    return replace(found[0], seconds=seconds, call_seconds=seconds / calls)
