"""What one turn of an agent takes, drawn from its kind, a seed and the turn's identity.

Nothing else may be used here, above all not the policy or the contents of the prompt.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from sparing.double.agent_kinds import (
    AGENTS,
    LIST_TRUST,
    SEARCHES,
    TOOLWORK,
    AgentHabits,
    AgentKind,
    Around,
)
from sparing.turn_kind import Errand

_BUILDING = {
    "brainstorm": Errand.WRITE,
    "plan": Errand.WRITE,
    "implement": Errand.IMPLEMENT,
}
"""Stages of a builder that are not of the errand `LONE`."""


class TurnIdentity(NamedTuple):
    """Which turn of a feature it is, independent of its prompt."""

    role: str
    stage: str
    task: str = ""
    iteration: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnNeeds:
    """What a turn takes. Files and searches can be known already; the rest is always done."""

    files: int
    steady_files: int
    """How many of the files are the same in every round."""
    searches: tuple[int, ...]
    """Numbers of the words to search for; the first stands for a listing of the files."""
    trusts_lists: bool
    """True if a list of files in the prompt replaces the listing."""
    changes: int
    """Edits, one passage each; whole files and documents that are written come on top."""
    commands: int
    parallel: float
    """How likely a step has several tool calls."""
    seconds: float
    """The turn's own duration."""
    call_seconds: float
    """Duration of one of its model calls: with fewer calls it ends earlier."""


def share(*parts: object) -> float:
    """A number from 0 up to 1 that depends on these alone."""
    found = hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(found[:6], "big") / 2**48


def whole(spread: Around, *parts: object) -> int:
    return round(spread.at(share(*parts)))


def errand_of(turn: TurnIdentity) -> Errand:
    """What kind of work the turn is, as far as its identity tells."""
    if turn.role.endswith("-reviewer") or turn.role == "judge":
        return Errand.REVIEW
    if turn.role.endswith("-author"):
        return Errand.WRITE if turn.iteration <= 1 else Errand.REVISE
    if turn.role == "implementer":
        return Errand.IMPLEMENT if turn.task else Errand.FIX
    if turn.role == "builder":
        return _BUILDING.get(turn.stage, Errand.LONE)
    return Errand.RETRO if turn.role == "retro-facilitator" else Errand.LONE


def turn_needs(kind: AgentKind, seed: int, errand: Errand, turn: TurnIdentity) -> TurnNeeds:
    habits, about = AGENTS[kind], (seed, errand.value, *turn)
    parallel = _between(habits.parallel, *about, "parallel")
    calls = whole(habits.calls[errand], *about, "calls")
    together = habits.together.median
    tools = round((calls - 1) * (1 + parallel * (together - 1)))
    work = TOOLWORK[errand]
    searches, changes, commands = (
        _rounded(part * tools, *about, name)
        for part, name in zip(work, ("searches", "changes", "commands"), strict=True)
    )
    files = max(0, tools - searches - changes - commands)
    seconds = turn_seconds(kind, seed, turn)
    kept = 1.0 if turn.iteration <= 1 else habits.steady_files
    return TurnNeeds(
        files=files,
        steady_files=math.ceil(files * kept),
        searches=tuple(_searches(habits, seed, turn, searches)),
        trusts_lists=share(*about, "trust") < LIST_TRUST,
        changes=changes,
        commands=commands,
        parallel=parallel,
        seconds=seconds,
        call_seconds=seconds / calls,
    )


def needed_files(
    seed: int, turn: TurnIdentity, needs: TurnNeeds, names: Sequence[str]
) -> list[str]:
    """The files that the turn must have seen, in the order in which it opens them.

    The steady ones are the same in every round of the same role; popular files are chosen more
    often. Files that others have added hardly change what else is chosen.
    """
    loop = turn._replace(iteration=0)
    known = sorted(set(names), key=lambda name: _place(seed, loop, name))
    steady = known[: needs.steady_files]
    others = sorted(known[len(steady) :], key=lambda name: _place(seed, turn, name))
    return [*steady, *others[: max(0, needs.files - len(steady))]]


def step_sizes(seed: int, turn: TurnIdentity, kind: AgentKind, parallel: float) -> Iterator[int]:
    """Number of tool calls of each step of a turn, without end."""
    number = 0
    while True:
        several = share(seed, *turn, "several", number) < parallel
        yield whole(AGENTS[kind].together, seed, *turn, "together", number) if several else 1
        number += 1


def loop_rounds(kind: AgentKind, seed: int, role: str, stage: str) -> int:
    """The round that ends a reviewer's loop, unless it is ended earlier."""
    drawn, sum_ = share(seed, role, stage, "rounds"), 0.0
    rounds = AGENTS[kind].rounds
    for number, part in enumerate(rounds, 1):
        sum_ += part
        if drawn < sum_:
            return number
    return len(rounds)


def turn_seconds(kind: AgentKind, seed: int, turn: TurnIdentity) -> float:
    """The turn's own duration."""
    habits = AGENTS[kind]
    if share(seed, *turn, "quick") < habits.quick_share:
        return habits.quick_seconds
    return _between(habits.slow_seconds, seed, *turn, "seconds")


def human_seconds(kind: AgentKind, seed: int, stage: str) -> float:
    """Seconds until a person answers at the gate of a stage."""
    return AGENTS[kind].human_seconds.at(share(seed, stage, "human"))


def _searches(habits: AgentHabits, seed: int, turn: TurnIdentity, count: int) -> Iterator[int]:
    """Numbers of the searches, mostly the same in every round."""
    for number in range(count):
        again = share(seed, *turn, "again", number) < habits.steady_files
        about = turn._replace(iteration=1) if again else turn
        yield int(SEARCHES * share(seed, *about, "search", number))


def _place(seed: int, turn: TurnIdentity, name: str) -> float:
    """Weighted sampling without replacement: the smallest places are taken first."""
    popularity = math.exp(NormalDist().inv_cdf(0.0005 + 0.999 * share(seed, name, "popular")))
    return -math.log(1 - share(seed, *turn, name, "place")) / popularity


def _rounded(mean: float, *parts: object) -> int:
    """A whole number whose mean is this."""
    return int(mean) + (share(*parts) < mean % 1)


def _between(span: tuple[float, float], *parts: object) -> float:
    return span[0] + (span[1] - span[0]) * share(*parts)
