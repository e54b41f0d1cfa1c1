"""What was saved, lever by lever, recomputed from the recorded dispatches.

Two ladders lead to what the run was: one from the naive way, one from the original rules. Each
step adds one lever, so the steps of a ladder add up to all that was saved against its baseline.
The lower bound and the best plan in hindsight stand beside it. Nothing here is a measurement:
bills are simulated where every turn makes the calls it made, and estimated where it would have
made others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparing.economy.comparison.bound import RunTurn, lower_bound, oracle
from sparing.economy.comparison.naive import naive_runs, naive_usage, together
from sparing.economy.comparison.naive_replay import (
    equipped_turns,
    naive_turns,
    remembering_turns,
    scoped_turns,
)
from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.economy.comparison.replay import (
    Pick,
    ReplayRules,
    all_fresh,
    all_inline,
    as_recorded,
    open_turns,
    replay_bills,
    replay_runs,
    seed_in_our_order,
    seed_inline,
    seed_sent,
)
from sparing.economy.cost_model import Rates
from sparing.usage import Origin, Usage
from sparing.way import Lever, Policy, Way

PANEL, MEMORY, TOOLS, SCOPE, BY_PATH = "panel", "memory", "tools", "scope", "by path"
"""No levers that can be switched off by themselves: two reviewers look in one turn, what a session,
notes or a prompt has given is not opened again, tools are few and take lists, a prompt holds what
its role needs, and documents are named by their path where that was expected to be cheaper."""
GUESSED = frozenset((PANEL, MEMORY, TOOLS))
"""Without these the turns would have made other calls."""
NAIVE, SEED = "naive", "seed"
EXPECTED = " if expected to be cheaper"
STEPS: Mapping[str, str] = {
    PANEL: "two reviewers of a document in one turn",
    MEMORY: "files already read are not read again",
    TOOLS: "fewer tools, and several files in one call",
    SCOPE: "prompts cut to the role, plus instructions",
    BY_PATH: f"documents named by path{EXPECTED}",
    Lever.INLINE: "documents in the prompt, not opened by tools",
    Lever.TRUNK: "shared prompt prefix, cached once",
    Lever.RESUME: f"sessions resumed{EXPECTED}",
    Lever.HOUR: "one-hour cache for what is used after pauses",
    Lever.PRIMER: "one-hour cache filled ahead of pauses",
    Lever.KEEP_ALIVE: "sessions of open loops kept warm",
    Lever.NOTES: "reviewers are reminded of their earlier findings",
    Lever.PRELOAD: "files named in the prompt are included",
    Lever.MAP: "a map of the repository, less looking around",
    Lever.SHEET: "lines quoted for others, fewer files opened",
    Lever.TRIM: "tool results shortened before they are sent",
}


class SavingStep(NamedTuple):
    lever: str
    words: str
    saved: float
    """In the unit of the rates; negative where it made the run more expensive."""
    origin: Origin


class Ladder(NamedTuple):
    baseline: str
    cost: float
    """Of the whole run the baseline's way."""
    origin: Origin
    steps: tuple[SavingStep, ...]


class Hindsight(NamedTuple):
    """Each turn the way that turned out to be the cheapest."""

    cost: float
    exact: bool
    """Whether every plan was tried; otherwise each turn was looked at by itself."""


@dataclass(frozen=True, slots=True)
class Savings:
    turns: int
    replayed: float
    """The run as it was, by the rules of the cache."""
    bills: tuple[float, ...]
    """The same, turn by turn."""
    naive: Ladder
    seed: Ladder | None
    """None where the records do not tell what the original would have sent."""
    beyond: tuple[SavingStep, ...]
    """Work that was not done at all: estimated one by one, and in neither sum."""
    typed: float
    """What a model would cost that types every prompt, as the original has it; its answers only."""
    bound: float
    """For the work that was done: below what any of the strategies here could bring it to, with
    any order, any timing and any cache."""
    oracle: Hindsight


RatesOf = Callable[[str], Rates]
Spared = Mapping[Lever, Mapping[int, Sequence[int]]]
"""By lever, for a turn's number: calls that it was spared, with the tokens that each adds."""


def savings(
    turns: Sequence[RecordedTurn],
    rates_of: RatesOf,
    policy: Policy,
    spared: Spared | None = None,
    naive: Sequence[Usage] | None = None,
) -> Savings:
    """Of turns in the order of their start. `naive`: their bills the naive way, where these turns
    are not all there were."""

    def cost(bills: Sequence[Usage]) -> float:
        pairs = zip(turns, bills, strict=True)
        return sum(rates_of(turn.model).price(bill) for turn, bill in pairs)

    recorded = replay_bills(turns, ReplayRules(as_recorded))
    whole = cost(recorded)
    ours = [
        (Lever.RESUME, cost(replay_bills(turns, _bare(as_recorded)))),
        (Lever.HOUR, cost(replay_bills(turns, _bare(as_recorded)._replace(hours=True)))),
        (Lever.PRIMER, cost(replay_bills(turns, ReplayRules(as_recorded, pings=False)))),
        (Lever.KEEP_ALIVE, whole),
    ]
    beyond = [
        _step(
            lever,
            cost(replay_bills(turns, ReplayRules(as_recorded, looked_up=looked))),
            whole,
            guess=True,
        )
        for lever, looked in (spared or {}).items()
        if looked
    ]
    prompts = (
        sum(block.tokens for block in turn.ways[Way.COMPOSE].blocks) for turn in _told(turns)
    )
    outputs = (rates_of(turn.model).output for turn in _told(turns))
    return Savings(
        len(turns),
        whole,
        tuple(rates_of(one.model).price(bill) for one, bill in zip(turns, recorded, strict=True)),
        _worded(
            _from_naive(turns, cost(naive or naive_usage(naive_turns(turns))), cost, ours), policy
        ),
        _from_seed(turns, cost, ours, policy),
        tuple(beyond),
        sum(tokens * price for tokens, price in zip(prompts, outputs, strict=True)),
        *_limits(turns, rates_of, whole),
    )


def _worded(ladder: Ladder, policy: Policy) -> Ladder:
    """Only `adaptive` expects anything; the others send as their rules say."""
    if policy is Policy.ADAPTIVE:
        return ladder
    steps = tuple(one._replace(words=one.words.removesuffix(EXPECTED)) for one in ladder.steps)
    return ladder._replace(steps=steps)


def _bare(pick: Pick) -> ReplayRules:
    """Without anything that only keeps entries alive."""
    return ReplayRules(pick, hours=False, pings=False, ahead=False)


def _told(turns: Sequence[RecordedTurn]) -> list[RecordedTurn]:
    return [turn for turn in turns if not turn.follows and not turn.ping]


Cost = Callable[[Sequence[Usage]], float]


def _from_naive(
    turns: Sequence[RecordedTurn], naive: float, cost: Cost, ours: Sequence[tuple[str, float]]
) -> Ladder:
    def sent(pick: Pick) -> float:
        return cost(replay_bills(turns, _bare(pick)))

    costs = [
        (PANEL, cost(naive_usage(together(naive_turns(turns))))),
        (MEMORY, cost(naive_usage(remembering_turns(turns)))),
        (TOOLS, cost(naive_usage(equipped_turns(turns)))),
        (SCOPE, cost(naive_usage(scoped_turns(turns)))),
        (Lever.TRUNK, sent(all_inline)),
        (BY_PATH, sent(all_fresh)),
        *ours,
    ]
    guessed = any(one.apart or one.calls != one.own_calls for one in naive_turns(turns))
    origin = Origin.ESTIMATED if guessed else Origin.SIMULATED
    return Ladder(NAIVE, naive, origin, _steps(naive, costs))


def _from_seed(
    turns: Sequence[RecordedTurn], cost: Cost, ours: Sequence[tuple[str, float]], policy: Policy
) -> Ladder | None:
    if not turns or not all(turn.seed or turn.follows or turn.ping for turn in turns):
        return None
    seed = cost(replay_bills(turns, _bare(seed_sent)))
    if policy is Policy.SEED:
        return Ladder(SEED, seed, Origin.ESTIMATED, _steps(seed, ours, guess=True))
    costs = [
        (Lever.INLINE, cost(replay_bills(turns, _bare(seed_inline)))),
        (Lever.TRUNK, cost(replay_bills(turns, _bare(seed_in_our_order)))),
        *ours,
    ]
    return Ladder(SEED, seed, Origin.ESTIMATED, _steps(seed, costs, guess=True))


def _steps(
    start: float, costs: Sequence[tuple[str, float]], *, guess: bool = False
) -> tuple[SavingStep, ...]:
    """Levers that changed nothing are left out."""
    before = [start, *(after for _, after in costs)]
    return tuple(
        _step(name, was, after, guess=guess or name in GUESSED)
        for was, (name, after) in zip(before, costs, strict=False)
        if was != after
    )


def _step(lever: str, before: float, after: float, *, guess: bool) -> SavingStep:
    origin = Origin.ESTIMATED if guess else Origin.SIMULATED
    return SavingStep(str(lever), STEPS[lever], before - after, origin)


class _Limits(NamedTuple):
    bound: float
    oracle: Hindsight


def _limits(turns: Sequence[RecordedTurn], rates_of: RatesOf, whole: float) -> _Limits:
    """Models share no cache, so each has limits of its own. The run is one of the plans too."""
    bound, best, exact = 0.0, 0.0, True
    for model in dict.fromkeys(turn.model for turn in turns):
        # What was sent ahead is one way to pay for the same work, and no work of its own.
        own = [turn for turn in turns if turn.model == model and not turn.ahead]
        runs, rates = open_turns(own), rates_of(model)
        found = oracle(runs, rates)
        hindsight = lower_bound(runs, found.plan, rates)
        strategies = (lower_bound(run, _only(run), rates) for run in _strategies(own))
        bound += min(hindsight, *strategies)
        best, exact = best + found.cost, exact and found.exact
    return _Limits(bound, Hindsight(min(best, whole), exact))


def _strategies(turns: Sequence[RecordedTurn]) -> list[list[RunTurn]]:
    """The same work in every way that is compared here."""
    picks: list[Pick] = [as_recorded, all_fresh, all_inline]
    if all(turn.seed or turn.follows or turn.ping for turn in turns):
        picks += [seed_sent, seed_inline, seed_in_our_order]
    plain = (naive_runs(naive_turns(turns)), naive_runs(scoped_turns(turns)))
    return [*(replay_runs(turns, ReplayRules(pick, pings=False)) for pick in picks), *plain]


def _only(run: Sequence[RunTurn]) -> list[Way]:
    return [way for turn in run for way in turn.ways]
