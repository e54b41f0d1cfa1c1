"""What was saved, lever by lever, recomputed from the recorded dispatches.

Two ladders lead to the run as it was: one from the naive baseline, one from the original rules.
Each step adds one lever, so the steps of a ladder add up to all that was saved against its
baseline. The lower bound and the best plan in hindsight are given beside it. Nothing here is a
measurement: bills are simulated if every turn makes the calls it made, and estimated if it would
have made others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparing.dispatch_policy import Lever, Policy, Way
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
    seed_inline,
    seed_sent,
    seed_sessions,
    without_paths,
)
from sparing.economy.cost_model import Rates
from sparing.usage import Origin, Usage

PANEL, MEMORY, TOOLS, SCOPE = "panel", "memory", "tools", "scope"
UNSHARED, BY_PATH, NEW_SESSION = "unshared", "by path", "new session"
"""Steps that are not levers one can switch off: two reviewers share one turn; what a session,
notes or a prompt has given is not opened again; tools are few and take lists; a prompt holds
what its role needs; it begins with the role and shares nothing; documents are named by path; or
a session is not resumed where that was expected to be cheaper."""
GUESSED = frozenset((PANEL, MEMORY, TOOLS))
"""Steps without which the turns would have made other calls."""
NAIVE, SEED = "naive", "seed"
EXPECTED = ", expected cheaper"
STEPS: Mapping[str, str] = {
    PANEL: "two reviewers of a document in one turn",
    MEMORY: "files already read are not read again",
    TOOLS: "fewer tools, and several files in one call",
    SCOPE: "prompts cut to the role, plus instructions",
    UNSHARED: f"no shared prefix{EXPECTED}",
    BY_PATH: f"documents by path{EXPECTED}",
    NEW_SESSION: "new sessions instead of resumed ones",
    Lever.INLINE: "documents in the prompt, not opened by tools",
    Lever.TRUNK: "shared prompt prefix, cached once",
    Lever.RESUME: f"sessions resumed{EXPECTED}",
    Lever.HOUR: "one-hour cache for what is used after pauses",
    Lever.PRIMER: "one-hour cache filled ahead of pauses",
    Lever.KEEP_ALIVE: "sessions of open loops kept warm",
    Lever.NOTES: "reviewers reminded of their earlier findings",
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
    """Cost of the whole run under the baseline."""
    origin: Origin
    steps: tuple[SavingStep, ...]


class Hindsight(NamedTuple):
    """Each turn sent in the way that turned out to be the cheapest."""

    cost: float
    exact: bool
    """True if every plan was tried; otherwise each turn was considered separately."""


@dataclass(frozen=True, slots=True)
class Savings:
    turns: int
    replayed: float
    """The run as it was, by the rules of the cache."""
    bills: tuple[float, ...]
    """The same, turn by turn."""
    naive: Ladder
    seed: Ladder | None
    """None if the records do not show what the original would have sent."""
    beyond: tuple[SavingStep, ...]
    """Work that was not done at all: estimated one by one, and in neither sum."""
    typed: float
    """Output cost of a model that types every prompt itself, as in the original workflow."""
    bound: float
    """A cost for the work that was done which none of the strategies here could beat, with any
    order, any timing and any cache."""
    oracle: Hindsight


RatesOf = Callable[[str], Rates]
Spared = Mapping[Lever, Mapping[int, Sequence[int]]]
"""By lever and turn number: the calls that were saved, as the tokens that each adds."""


def savings(
    turns: Sequence[RecordedTurn],
    rates_of: RatesOf,
    policy: Policy,
    spared: Spared | None = None,
    naive: Sequence[Usage] | None = None,
) -> Savings:
    """Compute the savings of turns in the order of their start. `naive`: their bills under the
    naive baseline, if these turns are not the whole run."""

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
        _worded(seed, policy) if (seed := _from_seed(turns, cost, ours, policy)) else None,
        tuple(beyond),
        sum(tokens * price for tokens, price in zip(prompts, outputs, strict=True)),
        *_limits(turns, rates_of, whole),
    )


def _worded(ladder: Ladder, policy: Policy) -> Ladder:
    """Drop "expected" from the wording unless the policy is `adaptive`: others predict nothing."""
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
        *_fresh_steps(turns, sent),
        *ours,
    ]
    guessed = any(one.guessed for one in naive_turns(turns))
    origin = Origin.ESTIMATED if guessed else Origin.SIMULATED
    return Ladder(NAIVE, naive, origin, _steps(naive, costs))


def _fresh_steps(
    turns: Sequence[RecordedTurn], sent: Callable[[Pick], float]
) -> list[tuple[str, float]]:
    """From one block of documents to prompts as the run composed them. If it shared no prefix at
    all, sharing is not a step."""
    shared = [(str(Lever.TRUNK), sent(all_inline))]
    return [
        *(shared if any(turn.way is not Way.PLAIN for turn in _told(turns)) else []),
        (UNSHARED, sent(without_paths)),
        (BY_PATH, sent(all_fresh)),
    ]


def _from_seed(
    turns: Sequence[RecordedTurn], cost: Cost, ours: Sequence[tuple[str, float]], policy: Policy
) -> Ladder | None:
    if not turns or not all(turn.seed or turn.follows or turn.ping for turn in turns):
        return None
    seed = cost(replay_bills(turns, _bare(seed_sent)))
    if policy is Policy.SEED:
        return Ladder(SEED, seed, Origin.ESTIMATED, _steps(seed, ours, guess=True))

    def sent(pick: Pick) -> float:
        return cost(replay_bills(turns, _bare(seed_sessions(pick))))

    (resume, chosen), *others = ours
    resumed = any(turn.way in (Way.RESUME, Way.FORK) for turn in _told(turns))
    costs = [
        (Lever.INLINE, cost(replay_bills(turns, _bare(seed_inline)))),
        *_fresh_steps(turns, sent),
        (resume if resumed else NEW_SESSION, chosen),
        *others,
    ]
    return Ladder(SEED, seed, Origin.ESTIMATED, _steps(seed, costs, guess=True))


def _steps(
    start: float, costs: Sequence[tuple[str, float]], *, guess: bool = False
) -> tuple[SavingStep, ...]:
    """The savings of successive levers, without those that changed nothing."""
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
    """The same work under every strategy that is compared here."""
    picks: list[Pick] = [as_recorded, all_fresh, without_paths, all_inline]
    if all(turn.seed or turn.follows or turn.ping for turn in turns):
        fresh = (all_inline, without_paths, all_fresh)
        picks += [seed_sent, seed_inline, *map(seed_sessions, fresh)]
    plain = (naive_runs(naive_turns(turns)), naive_runs(scoped_turns(turns)))
    return [*(replay_runs(turns, ReplayRules(pick, pings=False)) for pick in picks), *plain]


def _only(run: Sequence[RunTurn]) -> list[Way]:
    return [way for turn in run for way in turn.ways]
