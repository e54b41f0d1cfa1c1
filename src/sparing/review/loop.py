"""The state of one stage's review: which group is asked, at which iteration, who has passed.

Groups are asked in order; each has its own counter, and a cap of n runs n iterations. If all are to
review once more before the end, only those are asked whose inputs have changed since they passed,
and that review is not counted. Who passes is decided elsewhere: by the strict rule (`decide`), or
by the governor (`settle`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.codec import Stored
from sparing.finding import Severity, Verdict
from sparing.review.verdict import passes


class LoopDecision(StrEnum):
    ASK = "ask"
    """Ask the reviewers named by `asks` about the current state."""
    REVISE = "revise"
    """The author goes again, then the reviewers that failed."""
    ACCEPT = "accept"
    ESCALATE = "escalate"
    """Findings are open and the loop must end: the cap is reached, or there is no progress."""


class AtCap(StrEnum):
    """What follows when the cap is reached with findings open."""

    ASK = "ask"
    """A person decides."""
    GO_ON = "go on"
    """The concerns are recorded and the next group reviews; the seed treats documents like that."""


class LastLook(NamedTuple):
    """What a reviewer saw last: a key of its inputs, as a commit or a hash."""

    role: str
    inputs: str


class Ended(NamedTuple):
    """How a reviewer of a finished group ended."""

    role: str
    passed: bool
    iteration: int


@dataclass(frozen=True, slots=True)
class Loop(Stored):
    groups: tuple[tuple[str, ...], ...]
    cap: int
    group: int = 0
    iteration: int = 1
    passed: tuple[str, ...] = ()
    """Who of the current group has passed, and need not be asked."""
    validate: bool = False
    """True if each reviewer's last verdict must be about the final state."""
    at_cap: AtCap = AtCap.ASK
    final: bool = False
    """The final validation is under way."""
    regressed: bool = False
    """True if the final validation found something after all had passed, which gets its own
    turn."""
    looks: tuple[LastLook, ...] = ()
    outcomes: tuple[Ended, ...] = ()
    merged: bool = False
    """True if the first two groups review in one turn; the second counts if the first passes."""

    @property
    def panel(self) -> tuple[str, ...]:
        """Roles that review in one turn; empty if each has its own."""
        return (*self.groups[0], *self.groups[1]) if self.merged else ()

    @property
    def roles(self) -> tuple[str, ...]:
        return self.groups[self.group] if self.group < len(self.groups) else ()

    @property
    def asks(self) -> tuple[str, ...]:
        return tuple(role for role in self.roles if role not in self.passed)

    @property
    def failed(self) -> tuple[str, ...]:
        """Who of the finished groups never passed: their concerns are kept."""
        return tuple(outcome.role for outcome in self.outcomes if not outcome.passed)


class LoopStep(NamedTuple):
    decision: LoopDecision
    loop: Loop


def decide(
    loop: Loop, verdicts: Sequence[Verdict], inputs: Mapping[str, str] | None = None
) -> LoopStep:
    """What follows from the verdicts of this iteration, by the strict rule.

    `inputs` names for each role what it would review now; without it no role counts as having seen
    the current state.
    """
    looked = [verdict.role for verdict in verdicts]
    passed = [verdict.role for verdict in verdicts if passes(verdict)]
    return settle(loop, looked, passed, inputs)


def settle(
    loop: Loop,
    looked: Collection[str],
    passed: Collection[str],
    inputs: Mapping[str, str] | None = None,
) -> LoopStep:
    """What follows once it is known which of the reviewers that were asked have passed."""
    keys = inputs or {}
    here = replace(
        loop,
        passed=(*loop.passed, *(role for role in loop.asks if role in passed)),
        looks=_seen(loop, looked, keys),
    )
    if here.asks:
        return _again(here)
    stale = tuple(role for role in here.roles if _is_stale(here, role, keys))
    if loop.validate and stale and not loop.final:
        kept = tuple(role for role in here.roles if role not in stale)
        return LoopStep(LoopDecision.ASK, replace(here, passed=kept, final=True))
    return _next(here)


def regressed(loop: Loop, step: LoopStep) -> LoopStep:
    """After a final validation that found something, give the author another turn, once even if
    the cap was used up before."""
    if not loop.final or loop.regressed or step.decision is not LoopDecision.ESCALATE:
        return step
    following = loop.iteration + 1
    again = replace(step.loop, iteration=following, cap=max(loop.cap, following), final=False)
    return LoopStep(LoopDecision.REVISE, replace(again, regressed=True))


def go_on(loop: Loop) -> LoopStep:
    """Leave the group with its findings open: a human said so, or nobody can be asked."""
    return _next(loop)


def blocked(verdicts: Sequence[Verdict]) -> bool:
    """Whether what is open holds a blocker, or a refusal without a reason."""
    return any(
        verdict.count(Severity.BLOCKER) or (not verdict.approved and not verdict.findings)
        for verdict in verdicts
    )


def _again(loop: Loop) -> LoopStep:
    """A reviewer is not satisfied; in a final validation that is a regression like any other."""
    if loop.iteration < loop.cap:
        return LoopStep(
            LoopDecision.REVISE, replace(loop, iteration=loop.iteration + 1, final=False)
        )
    if loop.at_cap is AtCap.GO_ON:
        return _next(loop)
    return LoopStep(LoopDecision.ESCALATE, loop)


def _next(loop: Loop) -> LoopStep:
    ended = tuple(Ended(role, role in loop.passed, loop.iteration) for role in loop.roles)
    following = replace(
        loop,
        group=loop.group + 1,
        iteration=1,
        passed=(),
        final=False,
        regressed=False,
        outcomes=(*loop.outcomes, *ended),
    )
    return LoopStep(LoopDecision.ASK if following.asks else LoopDecision.ACCEPT, following)


def _seen(loop: Loop, looked: Collection[str], keys: Mapping[str, str]) -> tuple[LastLook, ...]:
    before = {look.role: look for look in loop.looks}
    now = {role: LastLook(role, keys[role]) for role in looked if keys.get(role)}
    return tuple({**before, **now}.values())


def _is_stale(loop: Loop, role: str, keys: Mapping[str, str]) -> bool:
    key = keys.get(role)
    return not key or LastLook(role, key) not in loop.looks
