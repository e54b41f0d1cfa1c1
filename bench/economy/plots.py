"""Plots of the tables, where the plotting library of the bench is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.economy.measure import BOUND, STRATEGIES, TYPED
from bench.economy.strategy import LARGE, OWN_LOOP
from bench.economy.tables import Results, dearer
from sparing.way import Lever

LIBRARY = "matplotlib"
GAPS = ("gaps 10-60 s", "gaps 1-4 min", "gaps 2-10 min", "gaps 6-15 min", "gaps 1-2 h")
ROUNDS = tuple(f"{number} rounds" for number in range(1, 6))
TASKS = ("4 tasks", "24 tasks", "48 tasks")
WORDS = {TYPED: "seeds as written"}
SHOWN = ("naive", "seed", "resume", "continuous", "fork", "adaptive", "adaptive-batched", BOUND)


def draw_plots(results: Results, folder: Path) -> str:
    """Returns what to say about it."""
    if importlib.util.find_spec(LIBRARY) is None:
        return f"no plots: {LIBRARY} is not installed (pip install {LIBRARY}); the JSON has it all"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [_strategies(results, folder), _levers(results, folder)]
    if results.kinds:
        drawn.append(_variants(results, folder))
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


def _strategies(results: Results, folder: Path) -> Path:
    figure, axes = _figure(2, 11, 4.6)
    names = [TYPED, *STRATEGIES, BOUND]
    for axis, client in zip(axes, (LARGE.name, OWN_LOOP.name), strict=True):
        costs = [results.main(client, name) / 1e6 for name in names]
        colours = ["#2a6f97" if name.startswith("adaptive") else "#b8c4cc" for name in names]
        shown = [WORDS.get(name, name) for name in names]
        axis.barh(shown[::-1], costs[::-1], color=colours[::-1])
        axis.set_title(client)
        axis.set_xlabel("million input-token equivalents a feature (simulated)")
        axis.axvline(results.main(client, BOUND) / 1e6, color="#c1121f", linewidth=1)
    return _save(figure, folder / "economy-strategies.svg")


def _levers(results: Results, folder: Path) -> Path:
    figure, axes = _figure(1, 7, 3.6)
    places = range(len(Lever))
    for shift, client in ((-0.2, LARGE.name), (0.2, OWN_LOOP.name)):
        values = [100 * dearer(results, client, lever) for lever in Lever]
        axes[0].bar([place + shift for place in places], values, 0.4, label=client)
    axes[0].set_xticks(list(places), [lever.value for lever in Lever], rotation=30)
    axes[0].set_ylabel("% dearer without it (simulated)")
    axes[0].legend()
    return _save(figure, folder / "economy-levers.svg")


def _variants(results: Results, folder: Path) -> Path:
    figure, axes = _figure(3, 12, 4)
    titles = ("pauses", "rounds of every loop", "tasks")
    for axis, title, kinds in zip(axes, titles, (GAPS, ROUNDS, TASKS), strict=True):
        names = [kind.removeprefix("gaps ").removesuffix(" rounds").removesuffix(" tasks")
                 for kind in kinds]  # fmt: skip
        for name in SHOWN:
            axis.plot(names, _costs(results, kinds, name), marker="o", label=name)
        axis.set_title(f"{OWN_LOOP.name}: {title}")
        axis.set_ylim(bottom=0)
        axis.tick_params(axis="x", rotation=30)
    axes[0].set_ylabel("million input-token equivalents (simulated)")
    axes[-1].legend(fontsize=7, loc="upper left")
    return _save(figure, folder / "economy-variants.svg")


def _costs(results: Results, kinds: Sequence[str], name: str) -> list[float]:
    return [results.mean(kind, OWN_LOOP.name, name) / 1e6 for kind in kinds]
