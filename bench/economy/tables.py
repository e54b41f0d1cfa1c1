"""Tables in plain text, every ratio with the name of what it is a ratio to."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.arms import UNUSED
from bench.economy.arm_tables import arm_table, effect_table
from bench.economy.draws import rates
from bench.economy.measure import (
    BOUND,
    FLOWS,
    LEVER_PAUSES,
    NAIVE,
    STOCK_NAIVE,
    UNPROVEN,
    WHAT_IF,
)
from bench.economy.parameters import PauseName
from bench.economy.results import GRID, Cell, Results
from bench.economy.strategy import LEAN, STOCK, load
from sparing.dispatch_policy import Lever
from sparing.double.agent_kinds import AgentKind

MILLION = 1_000_000
TYPICAL = AgentKind.TYPICAL.value
ORDER = (NAIVE, STOCK_NAIVE, "adaptive", "fresh", "compose", "resume", "reference", "seed", BOUND)
TITLES = {
    NAIVE: "lean naive: every document in full, always fresh",
    STOCK_NAIVE: "stock naive: the same, client as installed",
    BOUND: "lower bound (can't be reached)",
}
MOST_ROLES = 12


def heading(results: Results) -> str:
    return (
        f"All figures are simulated, in process; {results.seeds} draws a cell.\n"
        f"lean: {LEAN.reader_tokens:,} tokens of tools before a reader's prompt and "
        f"{LEAN.writer_tokens:,} before a writer's; stock: {STOCK.reader_tokens:,} before each.\n"
    )


def grid_table(results: Results) -> str:
    """The one table: what the program costs, of what lean naive costs."""
    lines = [
        "adaptive / lean naive: median of the draws (dearest draw)",
        f"{'flow, agents':<18}"
        + "".join(f"{pause:>16}" for pause in GRID)
        + f"{'of stock':>10}{'regret':>8}{'best fixed':>12}{'error':>7}{'recall':>8}",
    ]
    for flow in FLOWS:
        for kind in AgentKind:
            cells = results.of_kind(flow, kind.value)
            if cells:
                lines.append(_grid_line(results, cells))
    return "\n".join(lines) + "\n"


def _grid_line(results: Results, cells: list[Cell]) -> str:
    spreads = [results.ratio(cell, "adaptive") for cell in cells]
    shown = "".join(f"{f'{one.median:.3f} ({one.worst:.2f})':>16}" for one in spreads)
    stock = statistics.fmean(results.ratio(cell, "adaptive", STOCK_NAIVE).median for cell in cells)
    regret = statistics.fmean(results.regret(cell) for cell in cells)
    best = statistics.mode(results.best(cell) for cell in cells)
    missing = sum(row.missing for cell in cells for row in results.rows(cell, "adaptive"))
    name = f"{cells[0].flow}, {cells[0].kind}"
    return (
        f"{name:<18}{shown}{stock:>10.3f}{regret:>8.1%}{best:>12}{results.error(cells):>7.0%}"
        f"{'100 %' if not missing else 'VOID':>8}"
    )


def strategy_table(results: Results, flow: str) -> str:
    """Typical agents: every strategy, with pauses as drawn and in the grid."""
    drawn = Cell(flow, TYPICAL, PauseName.DRAWN.value)
    lines = [
        f"{flow}, typical agents: of lean naive in each column (simulated)",
        f"{'strategy':<60}{'k tokens':>9}{'$':>7}{'calls':>6}{'as drawn':>9}"
        + "".join(f"{pause:>10}" for pause in GRID)
        + f"{'of stock':>9}",
    ]
    for name in ORDER:
        if not results.rows(drawn, name):
            continue
        lines.append(_strategy_line(results, drawn, name))
    return "\n".join(lines) + "\n"


def _strategy_line(results: Results, drawn: Cell, name: str) -> str:
    mean = results.mean(drawn, name)
    calls = statistics.fmean(row.calls for row in results.rows(drawn, name))
    cells = (drawn._replace(pause=pause) for pause in GRID)
    ratios = "".join(f"{_of(results, cell, name):>10.3f}" for cell in cells)
    return (
        f"{_title(name):<60}{mean / 1e3:>9,.0f}{mean * rates().input / MILLION:>7.2f}"
        f"{f'{calls:.0f}' if calls else '':>6}{_of(results, drawn, name):>9.3f}{ratios}"
        f"{mean / results.mean(drawn, STOCK_NAIVE):>9.3f}"
    )


def _of(results: Results, cell: Cell, name: str) -> float:
    return results.mean(cell, name) / results.mean(cell, NAIVE)


def _title(name: str) -> str:
    return TITLES.get(name) or load(name).title


def lever_table(results: Results) -> str:
    flows = [flow for flow in FLOWS if any(one.levers for one in results.draws(flow, TYPICAL))]
    count = sum(bool(one.levers) for one in results.draws(flows[0], TYPICAL)) if flows else 0
    columns = [(flow, pause.value) for flow in flows for pause in LEVER_PAUSES]
    head = "".join(f"{f'{flow} {pause}':>17}" for flow, pause in columns)
    lines = [
        f"one lever switched at a time, typical agents, {count} draws: adaptive is dearer by (a",
        "minus: cheaper). Those in use are switched off; those that a first feature goes without",
        f"are switched on, the sheet at half effect\n{'lever':<38}{head}",
    ]
    off = {one.lever: one.why for one in load("adaptive").off}
    for lever in Lever:
        if lever in off and lever not in UNPROVEN:
            lines.append(f"{lever.value:<38}  off with this client: {off[lever]}")
            continue
        if not results.has_lever(lever.value):
            why = UNUSED.get(lever, "not in this run of the grid")
            lines.append(f"{lever.value:<38}  {why}")
            continue
        cells = "".join(f"{results.lever(*column, lever.value):>+17.1%}" for column in columns)
        name = f"{lever.value}, switched on" if lever in UNPROVEN else lever.value
        lines.append(f"{name:<38}{cells}")
    lines.append("what if (adaptive / lean naive, both with such agents)")
    for name in WHAT_IF:
        cells = "".join(f"{results.what_if(*column, name):>17.3f}" for column in columns)
        lines.append(f"{name:<38}{cells}")
    return "\n".join(lines) + "\n"


def role_table(results: Results, flow: str) -> str:
    """Where it is lost and won: the dearest turns first."""
    rows = results.by_role(flow, TYPICAL)
    shown = rows[:MOST_ROLES] + rows[-5:] if len(rows) > MOST_ROLES + 5 else rows
    lines = [
        f"{flow}, typical agents, by role and turn: what costs most beside lean naive comes first",
        f"{'role, turn':<42}{'of naive bill':>14}{'adaptive / naive':>18}",
    ]
    lines += [f"{role:<42}{part:>14.1%}{ratio:>18.3f}" for role, part, ratio in shown]
    return "\n".join(lines) + "\n"


def choices_line(results: Results) -> str:
    found: list[str] = []
    for flow in FLOWS:
        rows = [
            row for cell in results.of_kind(flow, TYPICAL) for row in results.rows(cell, "adaptive")
        ]
        if rows:
            ways = {way for row in rows for way in row.choices}
            told = ", ".join(
                f"{way} {statistics.fmean(row.choices.get(way, 0) for row in rows):.1f}"
                for way in sorted(ways)
            )
            pings = statistics.fmean(row.pings for row in rows)
            primers = statistics.fmean(row.primers for row in rows)
            found.append(f"{flow}: {told}, keep-alive calls {pings:.1f}, primers {primers:.1f}")
    return "ways taken a feature, typical agents: " + "; ".join(found) + "\n"


def all_tables(results: Results) -> str:
    return "\n".join(_tables(results))


def _tables(results: Results) -> Iterator[str]:
    yield heading(results)
    yield grid_table(results)
    if any(results.draws(flow, TYPICAL) for flow in FLOWS):
        yield arm_table(results)
    if results.draws("feature", TYPICAL):
        yield effect_table(results)
    for flow in FLOWS:
        if results.draws(flow, TYPICAL):
            yield strategy_table(results, flow)
    if any(one.levers for one in results.all):
        yield lever_table(results)
    if results.draws("feature", TYPICAL):
        yield role_table(results, "feature")
    yield choices_line(results)
