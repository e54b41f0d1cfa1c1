"""The aims, each with its figure. An aim that is missed is printed as such."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import NamedTuple

from bench.arms import ARMS, STOCK, Tools
from bench.economy.arm_tables import dearer_cells, of, row_name
from bench.economy.measure import BOUND, FLOWS
from bench.economy.parameters import PauseName
from bench.economy.results import Cell, Results
from sparing.double.agent_kinds import AgentKind

TYPICAL = AgentKind.TYPICAL.value
TIER_FLOWS = FLOWS[1:]
ASSUMES = frozenset(arm.name for arm in ARMS if arm.tools in (Tools.LOOK, Tools.OWN))
"""The bound is stated for the work that was drawn and the client's tools: other tools are fewer
tokens and fewer calls, and what a sheet spares is other work."""


class Aim(NamedTuple):
    words: str
    figure: float
    limit: float
    share: bool = False

    @property
    def met(self) -> bool:
        return self.figure <= self.limit

    @property
    def line(self) -> str:
        form = "{:.1%}" if self.share else "{:.4g}"
        told = f"{form.format(self.figure)} (aim ≤ {form.format(self.limit)})"
        return f"{'met   ' if self.met else 'MISSED'} {self.words}: {told}"


def aims(results: Results) -> Iterator[Aim]:
    cells = list(results.cells())
    medians = {cell: results.ratio(cell, "adaptive").median for cell in cells}
    drawn = Cell("feature", TYPICAL, PauseName.DRAWN.value)
    if results.rows(drawn, "adaptive"):
        figure = results.ratio(drawn, "adaptive").median
        yield Aim("feature flow, typical agents, pauses as drawn, of lean naive", figure, 0.75)
    tiers = [cell for cell in cells if cell.flow in TIER_FLOWS]
    if tiers:
        worst = max(tiers, key=lambda cell: medians[cell])
        words = f"L1-L3, dearest cell ({', '.join(worst)}), of lean naive"
        yield Aim(words, medians[worst], 1.0)
        typical = [medians[cell] for cell in tiers if cell.kind == TYPICAL]
        if typical:
            yield Aim("L1-L3, typical agents, dearest cell, of lean naive", max(typical), 0.9)
    for name, dearer in dearer_cells(results):
        words = f"{name}: cells dearer than lean naive by over 1 % (of {len(cells)})"
        yield Aim(words, len(dearer), 0)
    yield from _arms(results)
    yield from _choices(results, cells)
    yield Aim("lines hidden from somebody, in all runs", results.missing(), 0)
    yield Aim("runs below the lower bound", below_bound(results), 0)


def _arms(results: Results) -> Iterator[Aim]:
    """Those that tools of our own have; the client's tools are above."""
    cell = Cell("feature", TYPICAL, PauseName.DRAWN.value)
    tiers = [cell._replace(flow=flow) for flow in TIER_FLOWS]
    for arm in ARMS:
        name = row_name(arm)
        if name == "adaptive" or not arm.grid:
            continue
        if arm.of_lean and results.rows(cell, name):
            yield Aim(f"feature, {arm.name}, of lean naive", of(results, cell, name), arm.of_lean)
        if arm.of_stock and results.rows(cell, name):
            figure = of(results, cell, name, STOCK)
            yield Aim(f"feature, {arm.name}, of stock naive", figure, arm.of_stock)
        known = [one for one in tiers if results.rows(one, name)]
        if arm.tiers and known:
            worst = max(known, key=lambda one: of(results, one, name))
            words = f"{worst.flow}, {arm.name} (the dearest of L1-L3), of lean naive"
            yield Aim(words, of(results, worst, name), arm.tiers)


def _choices(results: Results, cells: list[Cell]) -> Iterator[Aim]:
    typical = [cell for cell in cells if cell.kind == TYPICAL]
    if typical:
        error = results.error([cell for cell in typical if cell.flow == "feature"] or typical)
        yield Aim("median error of predictions, typical, first feature", error, 0.2, share=True)
    regrets = {cell: results.regret(cell) for cell in cells}
    mean = statistics.fmean(regrets.values())
    yield Aim("regret against a cell's best fixed strategy, mean", mean, 0.02, share=True)
    worst = max(regrets, key=lambda cell: regrets[cell])
    words = f"the same in the worst cell ({', '.join(worst)}; best: {results.best(worst)})"
    yield Aim(words, regrets[worst], 0.02, share=True)


def below_bound(results: Results) -> int:
    """Runs that cost less than anything can: then the bound is wrong."""
    return sum(
        row.equivalents < rows[BOUND].equivalents
        for one in results.all
        for rows in one.cells.values()
        for name, row in rows.items()
        if name not in ASSUMES
    )
