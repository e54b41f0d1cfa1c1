"""Runs of one draw, as plain figures that can be written to a file and added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from bench.arms import ARMS, CLIENT_TOOLS, UNUSED
from bench.arms import LEAN as LEAN_ARM
from bench.arms import STOCK as STOCK_ARM
from bench.economy.agent import Agent
from bench.economy.bounds import lower_bound
from bench.economy.draws import composer_of, rates
from bench.economy.ledger import Ledger
from bench.economy.parameters import PAUSES, PauseName
from bench.economy.prompts import Composer
from bench.economy.run import Run
from bench.economy.strategy import (
    LEAN,
    STOCK,
    Client,
    Strategy,
    client_of,
    load,
    strategy_of,
)
from sparing.dispatch_policy import Lever
from sparing.double.agent_kinds import AgentKind
from sparing.economy.levers import SPARES

FLOWS = ("feature", "L1", "L2", "L3")
NAIVE, STOCK_NAIVE, BOUND = LEAN_ARM, STOCK_ARM, "lower bound"
FIXED = ("compose", "resume")
"""Fixed strategies in every cell, and `naive` beside them."""
BESIDE = ("fresh", "seed", "reference")
"""What else is run for typical agents."""
BATCHED, UNTRUSTED = "agents batch as they are asked", "no agent trusts a list of files"
"""Rows that ask what if."""
UNPROVEN = (*SPARES, Lever.SHEET)
"""Levers that a first feature goes without: their row switches them on."""
WHAT_IF = {BATCHED: {"batches": True}, UNTRUSTED: {"lists": False}}
LEVER_SEEDS = 6
LEVER_PAUSES = (PauseName.SECONDS, PauseName.LONGER)


@dataclass(frozen=True)
class Row:
    """One run, in input-token equivalents and counts."""

    equivalents: float
    calls: int = 0
    pings: int = 0
    primers: int = 0
    missing: int = 0
    read: int = 0
    input: int = 0
    output: int = 0
    choices: dict[str, int] = field(default_factory=dict[str, int])
    errors: tuple[float, ...] = ()
    """Of each prediction: how far the bill was from it, as a share of the bill."""
    by_role: dict[str, float] = field(default_factory=dict[str, float])
    """Input-token equivalents of each role's turns."""


class Job(NamedTuple):
    flow: str
    kind: AgentKind
    seed: int
    levers: bool = False
    """Each lever off alone, too."""


Rows = dict[str, Row]


class Result(NamedTuple):
    flow: str
    kind: str
    seed: int
    dispatches: int
    cells: dict[str, Rows]
    """By pause, then by strategy."""
    levers: dict[str, Rows]
    """By pause, then by the lever that is off, or by what is asked."""
    findings: int = 0
    """That opened a round and were settled: drawn, so equal in every row."""


def work_off(job: Job) -> Result:
    composer = composer_of(job.flow, job.kind, job.seed)
    merged = composer_of(job.flow, job.kind, job.seed, merged=True)
    pauses = [*PAUSES, *([PauseName.DRAWN] if job.kind is AgentKind.TYPICAL else [])]
    cells = {
        pause.value: {**_cell(composer, pause), **_arms(composer, merged, pause)}
        for pause in pauses
    }
    levers = {pause.value: _levers(composer, pause) for pause in LEVER_PAUSES if job.levers}
    count = len(composer.feature.dispatches)
    found = sum(len(one.step.findings) for one in composer.feature.dispatches)
    return Result(job.flow, job.kind.value, job.seed, count, cells, levers, found)


def _arms(composer: Composer, merged: Composer, pause: PauseName) -> Rows:
    """What both benches compare, by the arm's name. The client's tools are `adaptive`, and what
    the program costs is told under that name as well."""
    rows: Rows = {}
    for arm in ARMS:
        if arm.grid in ("naive", "seed") or arm.name == CLIENT_TOOLS:
            continue
        if arm.grid_kinds or composer.feature.kind is AgentKind.TYPICAL:
            whose = merged if arm.merged else composer
            found = run(whose, strategy_of(arm), client_of(arm), pause)
            rows[arm.name] = replace(found, by_role={}, errors=())
    return rows


def _cell(composer: Composer, pause: PauseName) -> Rows:
    rows = {
        NAIVE: run(composer, load("naive"), LEAN, pause),
        STOCK_NAIVE: run(composer, load("naive", STOCK), STOCK, pause),
        "adaptive": run(composer, load("adaptive"), LEAN, pause),
    }
    more = BESIDE if composer.feature.kind is AgentKind.TYPICAL else BESIDE[:1]
    for name in (*FIXED, *more):
        rows[name] = replace(run(composer, load(name), LEAN, pause), by_role={}, errors=())
    least = lower_bound(composer, LEAN, rates())
    rows[BOUND] = Row(rates().equivalents(least))
    return rows


def _levers(composer: Composer, pause: PauseName) -> Rows:
    """Each lever off alone; and agents that would work otherwise, under naive as well."""
    whole = load("adaptive")
    rows = {
        lever.value: run(composer, whole.without(lever), LEAN, pause)
        for lever in Lever
        if lever in whole.levers and lever not in UNUSED
    }
    for lever in UNPROVEN:
        rows[lever.value] = run(composer, whole.having(lever), LEAN, pause)
    feature = composer.feature
    for words, change in WHAT_IF.items():
        other = Agent(feature.kind, feature.seed)._replace(**change)
        rows[words] = run(composer, whole, LEAN, pause, other)
        rows[f"{NAIVE}, {words}"] = run(composer, load("naive"), LEAN, pause, other)
    return {name: replace(row, by_role={}, errors=(), choices={}) for name, row in rows.items()}


def run(
    composer: Composer, strategy: Strategy, client: Client, pause: PauseName,
    agent: Agent | None = None,
) -> Row:  # fmt: skip
    return row_of(Run(composer, strategy, client, rates(), pause, agent=agent).go())


def row_of(ledger: Ledger) -> Row:
    usage, unit = ledger.usage, rates()
    return Row(
        equivalents=unit.equivalents(unit.price(usage)), calls=ledger.calls, pings=ledger.pings,
        primers=ledger.primers,
        missing=ledger.missing, read=usage.read, input=usage.input, output=usage.output,
        choices=dict(ledger.choices),
        errors=tuple(round(abs(told / real - 1), 3) for told, real in ledger.predicted if real),
        by_role={role: round(unit.equivalents(cost)) for role, cost in ledger.by_role.items()},
    )  # fmt: skip


def jobs(flows: Sequence[str], kinds: Sequence[AgentKind], seeds: int) -> list[Job]:
    """All that is measured; the longest first."""
    found = [
        Job(flow, kind, seed, levers=kind is AgentKind.TYPICAL and seed < LEVER_SEEDS)
        for flow in flows
        for kind in kinds
        for seed in range(seeds)
    ]
    order = {AgentKind.HEAVY: 0, AgentKind.TYPICAL: 1, AgentKind.LIGHT: 2}
    return sorted(found, key=lambda job: (job.flow != "feature", order[job.kind], job.seed))


def loaded(data: Mapping[str, Any]) -> Result:
    """From JSON."""
    tables = {
        part: {
            pause: {name: Row(**fields) for name, fields in rows.items()}
            for pause, rows in data[part].items()
        }
        for part in ("cells", "levers")
    }
    return Result(
        data["flow"], data["kind"], data["seed"], data["dispatches"],
        tables["cells"], tables["levers"], data["findings"],
    )  # fmt: skip


def plain(result: Result) -> dict[str, object]:
    """For JSON."""
    tables = {
        part: {
            pause: {name: asdict(row) for name, row in rows.items()}
            for pause, rows in found.items()
        }
        for part, found in (("cells", result.cells), ("levers", result.levers))
    }
    return {**result._asdict(), **tables}
