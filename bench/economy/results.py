"""What all runs came to together: ratios by cell, regret, errors."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench.economy.measure import FIXED, FLOWS, NAIVE, Result, Row
from bench.economy.parameters import PAUSES
from sparing.double.agent_kinds import AgentKind

GRID = tuple(pause.value for pause in PAUSES)


class Cell(NamedTuple):
    flow: str
    kind: str
    pause: str


class Spread(NamedTuple):
    """Of a ratio over the draws of a cell."""

    median: float
    worst: float


class Results:
    def __init__(self, results: Sequence[Result]) -> None:
        self.all = sorted(results, key=lambda one: (one.flow, one.kind, one.seed))

    def cells(self) -> Iterator[Cell]:
        """Of the grid, in its order."""
        known = {(one.flow, one.kind) for one in self.all}
        for flow in FLOWS:
            for kind in AgentKind:
                if (flow, kind.value) in known:
                    yield from (Cell(flow, kind.value, pause) for pause in GRID)

    def draws(self, flow: str, kind: str) -> list[Result]:
        return [one for one in self.all if (one.flow, one.kind) == (flow, kind)]

    @property
    def seeds(self) -> int:
        return len({one.seed for one in self.all})

    def rows(self, cell: Cell, name: str) -> list[Row]:
        found = (one.cells.get(cell.pause, {}).get(name) for one in self.draws(*cell[:2]))
        return [row for row in found if row is not None]

    def ratio(self, cell: Cell, name: str, than: str = NAIVE) -> Spread:
        """Draw by draw: what a strategy costs, as a share of another one."""
        pairs = zip(self.rows(cell, name), self.rows(cell, than), strict=True)
        ratios = [one.equivalents / other.equivalents for one, other in pairs]
        return Spread(statistics.median(ratios), max(ratios))

    def mean(self, cell: Cell, name: str) -> float:
        return statistics.fmean(row.equivalents for row in self.rows(cell, name))

    def regret(self, cell: Cell) -> float:
        """How much dearer adaptive was than the fixed strategy that was cheapest in the cell."""
        names = [name for name in (NAIVE, *FIXED) if self.rows(cell, name)]
        names += [name for name in ("reference", "fresh", "seed") if self.rows(cell, name)]
        return self.mean(cell, "adaptive") / min(self.mean(cell, name) for name in names) - 1

    def best(self, cell: Cell) -> str:
        names = [n for n in (NAIVE, *FIXED, "reference", "fresh", "seed") if self.rows(cell, n)]
        return min(names, key=lambda name: self.mean(cell, name))

    def error(self, cells: Sequence[Cell]) -> float:
        found = [one for cell in cells for row in self.rows(cell, "adaptive") for one in row.errors]
        return statistics.median(found) if found else 0.0

    def missing(self) -> int:
        """Lines that somebody could not know, in all runs together."""
        return sum(
            row.missing for one in self.all for rows in one.cells.values() for row in rows.values()
        )

    def of_kind(self, flow: str, kind: str) -> list[Cell]:
        return [cell for cell in self.cells() if cell[:2] == (flow, kind)]

    def by_role(self, flow: str, kind: str) -> list[tuple[str, float, float]]:
        """Role and turn, its share of lean naive's bill, adaptive as a share of naive."""
        sums = {name: Counter[str]() for name in (NAIVE, "adaptive")}
        for cell in self.of_kind(flow, kind):
            for name, total in sums.items():
                for row in self.rows(cell, name):
                    total.update({role: round(cost) for role, cost in row.by_role.items()})
        naive, ours = sums[NAIVE], sums["adaptive"]
        whole = sum(naive.values()) or 1
        rows = [(role, cost / whole, ours[role] / cost) for role, cost in naive.items() if cost]
        return sorted(rows, key=lambda row: row[1] * (row[2] - 1), reverse=True)

    def has_lever(self, name: str) -> bool:
        """Whether the runs switched it; they may be older than the lever."""
        return any(name in rows for one in self.all for rows in one.levers.values())

    def lever(self, flow: str, pause: str, name: str) -> float:
        """How much dearer it is without the lever."""
        draws = [one for one in self.draws(flow, AgentKind.TYPICAL.value) if one.levers]
        off = sum(one.levers[pause][name].equivalents for one in draws)
        on = sum(one.cells[pause]["adaptive"].equivalents for one in draws)
        return off / on - 1 if on else 0.0

    def what_if(self, flow: str, pause: str, name: str) -> float:
        """Adaptive as a share of lean naive, both with other agents."""
        draws = [one for one in self.draws(flow, AgentKind.TYPICAL.value) if one.levers]
        ours = sum(one.levers[pause][name].equivalents for one in draws)
        naive = sum(one.levers[pause][f"{NAIVE}, {name}"].equivalents for one in draws)
        return ours / naive if naive else 0.0
