"""The arms of both benches in process: shares of the baselines, with quality beside them.

An agent of the grid finds what was drawn for it, whatever it is told, so `per finding` is the bill
for each finding that opened a round: it moves with the bill alone. What a look finds and quotes on
the real client stands in that bench's table.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.arms import ARMS, CLIENT_TOOLS, LEAN, STOCK, Arm
from bench.economy.measure import FLOWS
from bench.economy.parameters import PauseName
from bench.economy.results import GRID, Cell, Results
from sparing.double.agent_kinds import AgentKind

TYPICAL = AgentKind.TYPICAL.value
DRAWN = PauseName.DRAWN.value
WIDTH = 28
DEARER = 1.01
UNNAMED = {CLIENT_TOOLS: "adaptive"}


def row_name(arm: Arm) -> str:
    """Under which name the grid keeps it."""
    return UNNAMED.get(arm.name, arm.name)


def arm_table(results: Results) -> str:
    flows = [flow for flow in FLOWS if results.draws(flow, TYPICAL)]
    first = Cell(flows[0], TYPICAL, DRAWN)
    heads = [flows[0], *GRID, *flows[1:]]
    lines = [
        f"arms, typical agents: of lean naive; {flows[0]} with pauses as drawn, then by pause; the",
        "other flows with pauses as drawn. Quality: k tokens for each finding that was settled,",
        "and lines hidden from somebody; what is found is drawn here, so it is equal in every row",
        f"{'arm':<{WIDTH}}{'k tokens':>9}{'calls':>6}"
        + "".join(f"{head:>9}" for head in heads)
        + f"{'of stock':>9}{'a finding':>10}{'hidden':>7}",
    ]
    lines += [_line(results, arm, first, flows[1:]) for arm in ARMS if arm.grid]
    return "\n".join(lines) + "\n"


def _line(results: Results, arm: Arm, first: Cell, others: list[str]) -> str:
    name = row_name(arm)
    cells = [first, *(first._replace(pause=pause) for pause in GRID)]
    cells += [first._replace(flow=flow) for flow in others]
    shares = "".join(f"{of(results, cell, name):>9.3f}" for cell in cells)
    rows = results.rows(first, name)
    mean = results.mean(first, name)
    found = statistics.fmean(one.findings for one in results.draws(first.flow, TYPICAL))
    each = f"{mean / found / 1e3:.0f}" if found else "–"
    hidden = sum(row.missing for cell in cells for row in results.rows(cell, name))
    return (
        f"{arm.name:<{WIDTH}}{mean / 1e3:>9,.0f}{statistics.fmean(r.calls for r in rows):>6.0f}"
        f"{shares}{of(results, first, name, STOCK):>9.3f}{each:>10}{hidden:>7}"
    )


def of(results: Results, cell: Cell, name: str, than: str = LEAN) -> float:
    """Of all draws together."""
    return results.mean(cell, name) / results.mean(cell, than)


def effect_table(results: Results) -> str:
    """Half and no effect of what is assumed of models: lists in one call, quoted lines."""
    groups = {
        "files that agents ask for in one call of our tools": (
            ("4 (full)", "own tools, 4 files a call"),
            ("2 (half)", "own tools, 2 files a call"),
            ("1 (none)", "own tools, 1 file a call"),
        ),
        "quoted files that agents leave unopened": (
            ("no sheet", "own tools, 4 files a call"),
            ("100 %", "+ sheet at 100 % effect"),
            ("50 %", "+ sheet at 50 % effect"),
            ("0 %", "+ sheet at 0 % effect"),
        ),
    }
    cell = Cell("feature", TYPICAL, DRAWN)
    lines = [
        "what rests on models, feature flow, typical agents, as drawn: of lean and stock naive"
    ]
    for words, rows in groups.items():
        told = [
            f"{label} {of(results, cell, name):.3f} / {of(results, cell, name, STOCK):.3f}"
            for label, name in rows
        ]
        lines.append(f"{words}: {', '.join(told)}")
    return "\n".join(lines) + "\n"


def dearer_cells(results: Results) -> Iterator[tuple[str, list[Cell]]]:
    """By arm: cells whose median is dearer than lean naive by over 1 %."""
    for arm in ARMS:
        name = row_name(arm)
        if arm.grid == "adaptive" and arm.grid_kinds:
            cells = [one for one in results.cells() if results.rows(one, name)]
            yield arm.name, [c for c in cells if results.ratio(c, name).median > DEARER]
