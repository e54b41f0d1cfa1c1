"""Plots of the tables, where the plotting library of the bench is installed."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from bench.arms import ARMS, LEAN
from bench.economy.arm_tables import of, row_name
from bench.economy.measure import BOUND, FLOWS, LEVER_PAUSES, NAIVE
from bench.economy.parameters import PauseName
from bench.economy.results import GRID, Cell, Results
from bench.economy.strategy import load
from sparing.dispatch_policy import Lever
from sparing.double.agent_kinds import AgentKind

LIBRARY = "matplotlib"
TYPICAL = AgentKind.TYPICAL.value
SHOWN = ("fresh", "compose", "resume", "reference", "seed", "adaptive", BOUND)


def draw_plots(results: Results, folder: Path) -> str:
    """Returns what to say about it."""
    if importlib.util.find_spec(LIBRARY) is None:
        return f"no plots: {LIBRARY} is not installed (pip install {LIBRARY}); the JSON has it all"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [_grid(results, folder)]
    if results.draws("feature", TYPICAL):
        drawn.append(_strategies(results, folder))
        drawn.append(_arms(results, folder))
    if any(one.levers for one in results.draws("feature", TYPICAL)):
        drawn.append(_levers(results, folder))
    return f"plots: {', '.join(str(path) for path in drawn)}"


def _figure(columns: int, wide: float, high: float) -> tuple[Any, Any]:
    library: Any = importlib.import_module(LIBRARY)
    library.use("Agg")
    library.rcParams.update({"svg.hashsalt": "sparing", "font.size": 9})
    pyplot: Any = importlib.import_module(f"{LIBRARY}.pyplot")
    figure, axes = pyplot.subplots(1, columns, figsize=(wide, high), squeeze=False)
    return figure, axes[0]


def _save(figure: Any, path: Path) -> Path:
    figure.tight_layout()
    # Without a date the same figures give the same file.
    figure.savefig(path, metadata={"Date": None})
    return path


def _grid(results: Results, folder: Path) -> Path:
    figure, axes = _figure(len(FLOWS), 13, 3.8)
    for axis, flow in zip(axes, FLOWS, strict=True):
        for kind in AgentKind:
            cells = results.of_kind(flow, kind.value)
            if cells:
                ratios = [results.ratio(cell, "adaptive").median for cell in cells]
                axis.plot(GRID, ratios, marker="o", label=f"{kind.value} agents")
        axis.axhline(1.0, color="#c1121f", linewidth=1)
        axis.set_title(flow)
        axis.tick_params(axis="x", rotation=30)
    axes[0].set_ylabel("adaptive / lean naive (simulated)")
    axes[0].legend(fontsize=7)
    return _save(figure, folder / "economy-grid.svg")


def _strategies(results: Results, folder: Path) -> Path:
    figure, axes = _figure(1, 7.5, 4)
    for name in SHOWN:
        cells = [Cell("feature", TYPICAL, pause) for pause in GRID]
        ratios = [results.mean(cell, name) / results.mean(cell, NAIVE) for cell in cells]
        axes[0].plot(GRID, ratios, marker="o", label=name, linewidth=3 if name == "adaptive" else 1)
    axes[0].axhline(1.0, color="#c1121f", linewidth=1)
    axes[0].set_ylim(bottom=0)
    axes[0].set_title("feature flow, typical agents")
    axes[0].set_ylabel("share of lean naive (simulated)")
    axes[0].legend(fontsize=7, loc="lower right")
    return _save(figure, folder / "economy-strategies.svg")


def _arms(results: Results, folder: Path) -> Path:
    figure, axes = _figure(1, 8, 4)
    cell = Cell("feature", TYPICAL, PauseName.DRAWN.value)
    shown = [arm for arm in ARMS if arm.grid and arm.name != LEAN]
    for place, arm in enumerate(reversed(shown)):
        value = of(results, cell, row_name(arm))
        axes[0].barh(place, value, color="#457b9d")
        axes[0].text(value, place, f" {value:.3f}", va="center", fontsize=7)
    axes[0].set_yticks(range(len(shown)), [arm.name for arm in reversed(shown)])
    axes[0].axvline(1.0, color="#c1121f", linewidth=1)
    axes[0].set_xlabel("share of lean naive, feature flow, typical agents (simulated)")
    return _save(figure, folder / "economy-arms.svg")


def _levers(results: Results, folder: Path) -> Path:
    figure, axes = _figure(1, 8, 3.6)
    switched = load("adaptive").levers
    levers = [lever for lever in Lever if lever in switched and results.has_lever(lever.value)]
    columns = [(flow, pause.value) for flow in ("feature", "L3") for pause in LEVER_PAUSES]
    known = [one for one in columns if any(r.levers for r in results.draws(one[0], TYPICAL))]
    wide = 0.8 / max(1, len(known))
    for number, column in enumerate(known):
        values = [100 * results.lever(*column, lever.value) for lever in levers]
        places = [place + number * wide for place in range(len(levers))]
        axes[0].bar(places, values, wide, label=" ".join(column))
    axes[0].set_xticks(range(len(levers)), [lever.value for lever in levers], rotation=30)
    axes[0].axhline(0.0, color="black", linewidth=0.5)
    axes[0].set_ylabel("% dearer without it (simulated)")
    axes[0].legend(fontsize=7)
    return _save(figure, folder / "economy-levers.svg")
