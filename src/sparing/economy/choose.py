"""Which way to send a dispatch, with the reason in words."""

from __future__ import annotations

from typing import NamedTuple

from sparing.session import Session
from sparing.way import Policy, Way


class Choice(NamedTuple):
    way: Way
    reason: str


def choose(policy: Policy, session: Session | None, *, can_resume: bool, has_delta: bool) -> Choice:
    if policy is Policy.FRESH:
        return Choice(Way.COMPOSE, "policy fresh: every dispatch from nothing")
    if session is None:
        return Choice(Way.COMPOSE, "no session yet")
    if not can_resume:
        return Choice(Way.COMPOSE, "the backend can't resume")
    if not has_delta:
        return Choice(Way.COMPOSE, "nothing to tell as a delta")
    return Choice(Way.RESUME, "its session is there and the delta says all that changed")
