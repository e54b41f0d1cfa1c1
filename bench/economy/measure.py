"""Runs of one seed, as plain figures that can be written to a file and added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from bench.economy.bounds import lower_bound, typing_usage
from bench.economy.feature import Feature
from bench.economy.ledger import Ledger
from bench.economy.parameters import MODEL, PRICES, Parameters
from bench.economy.prompts import Composer
from bench.economy.run import Run
from bench.economy.strategy import CLAUDE_CODE, LARGE, OWN_LOOP, Client, Strategy, load
from sparing.economy.cost_model import Rates
from sparing.economy.prices import own_prices
from sparing.way import Lever

STRATEGIES = (
    "naive", "naive-diff", "lazy", "pruned", "seed", "resume", "continuous", "fork",
    "adaptive-plain", "adaptive", "oracle", "adaptive-trimmed", "adaptive-batched",
)  # fmt: skip
LIMITED = ("naive", "seed", "adaptive", "adaptive-batched")
COMPARED = (
    "naive", "pruned", "seed", "resume", "continuous", "fork", "adaptive", "adaptive-batched"
)  # fmt: skip
ABLATED_SEEDS = 8
BOUND, TYPED = "lower bound", "typed"
"""Rows that are no strategies: what can't be beaten, and naive with a model typing its prompts."""


@cache
def rates() -> Rates:
    return Rates.of(own_prices([PRICES])[MODEL])


@dataclass(frozen=True)
class Row:
    """One run, in input-token equivalents and counts."""

    equivalents: float
    calls: int = 0
    read: int = 0
    written: int = 0
    output: int = 0
    input: int = 0
    pings: int = 0
    handoffs: int = 0
    missing: int = 0
    peak: int = 0
    choices: dict[str, int] = field(default_factory=dict[str, int])
    errors: tuple[float, ...] = ()
    """Of each prediction: how far the bill was from it, as a share of the bill."""


class Job(NamedTuple):
    kind: str
    """`main`, or the name of a variant of the workload."""
    seed: int
    parameters: Parameters = Parameters()


class Result(NamedTuple):
    kind: str
    seed: int
    rows: dict[str, dict[str, Row]]
    """By client, then by strategy."""
    dispatches: int


def work_off(job: Job) -> Result:
    composer = Composer(Feature(job.seed, job.parameters))
    composer.feature.dispatches  # noqa: B018
    rows: dict[str, dict[str, Row]] = {}
    if job.kind == "main":
        for client in (OWN_LOOP, LARGE):
            rows[client.name] = _table(composer, client, STRATEGIES)
            if job.seed < ABLATED_SEEDS:
                rows[f"{client.name}, ablated"] = _ablation(composer, client)
        rows[CLAUDE_CODE.name] = _table(composer, CLAUDE_CODE, LIMITED)
    else:
        rows[OWN_LOOP.name] = _table(composer, OWN_LOOP, COMPARED)
    return Result(job.kind, job.seed, rows, len(composer.feature.dispatches))


def _table(composer: Composer, client: Client, names: Sequence[str]) -> dict[str, Row]:
    rows = {name: run(composer, load(name, client), client) for name in names}
    least = lower_bound(composer, client.base_tokens, rates())
    typing = rates().equivalents(rates().price(typing_usage(composer)))
    rows[BOUND] = Row(rates().equivalents(least))
    rows[TYPED] = Row(rows["naive"].equivalents + typing)
    return rows


def _ablation(composer: Composer, client: Client) -> dict[str, Row]:
    """Each lever off alone, beside adaptive; those that change a model's habits beside all."""
    plain, all_on = load("adaptive", client), load("adaptive-batched", client)
    rows: dict[str, Row] = {}
    for lever in Lever:
        whole = plain if lever in plain.levers else all_on
        rows[lever.value] = run(composer, whole.without(lever), client)
    return rows


def run(composer: Composer, strategy: Strategy, client: Client) -> Row:
    return row_of(Run(composer, strategy, client, rates()).go())


def row_of(ledger: Ledger) -> Row:
    usage = ledger.usage
    return Row(
        rates().equivalents(rates().price(usage)), ledger.calls, usage.read,
        usage.write_5m + usage.write_1h, usage.output, usage.input, ledger.pings, ledger.handoffs,
        ledger.missing, ledger.peak, dict(ledger.choices),
        tuple(round(abs(expected / real - 1), 3) for expected, real in ledger.predicted if real),
    )  # fmt: skip


def jobs(seeds: int, few: int) -> list[Job]:
    """All that is measured; the longest first."""
    plain = Parameters()
    variants = {
        "48 tasks": replace(plain, tasks=48),
        "24 tasks": replace(plain, tasks=24),
        "4 tasks": replace(plain, tasks=4),
        **{f"{n} rounds": replace(plain, fixed_rounds=n) for n in (5, 4, 3, 2, 1)},
        "calls x 3": replace(plain, calls_factor=3.0),
        "calls x 2": replace(plain, calls_factor=2.0),
        "calls x 0.5": replace(plain, calls_factor=0.5),
        "gaps 10-60 s": replace(plain, gap_seconds=(10, 60)),
        "gaps 1-4 min": replace(plain, gap_seconds=(60, 240)),
        "gaps 2-10 min": plain,
        "gaps 6-15 min": replace(plain, gap_seconds=(360, 900)),
        "gaps 1-2 h": replace(plain, gap_seconds=(3_700, 7_200)),
    }
    main = [Job("main", seed) for seed in range(seeds)]
    return [Job(name, seed, p) for name, p in variants.items() for seed in range(few)] + main


def loaded(data: dict[str, Any]) -> Result:
    """From JSON."""
    rows = {
        client: {name: Row(**fields) for name, fields in table.items()}
        for client, table in data["rows"].items()
    }
    return Result(data["kind"], data["seed"], rows, data["dispatches"])


def plain(result: Result) -> dict[str, object]:
    """For JSON."""
    rows = {
        client: {name: asdict(row) for name, row in table.items()}
        for client, table in result.rows.items()
    }
    return {**result._asdict(), "rows": rows}
