"""Tables in plain text, every ratio with the name of what it is a ratio to."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence

from bench.economy.measure import BOUND, LIMITED, STRATEGIES, TYPED, Result, Row, rates
from bench.economy.strategy import CLAUDE_CODE, LARGE, OWN_LOOP, load
from sparing.way import Lever

MILLION = 1_000_000
TITLES = {
    BOUND: "lower bound (can't be reached)",
    TYPED: "seeds as written: naive, a model types the prompts",
}


class Results:
    def __init__(self, results: Sequence[Result]) -> None:
        self.all = sorted(results, key=lambda one: (one.kind, one.seed))

    def rows(self, kind: str, client: str, name: str) -> list[Row]:
        found = (one.rows.get(client, {}).get(name) for one in self.all if one.kind == kind)
        return [row for row in found if row is not None]

    def mean(
        self,
        kind: str,
        client: str,
        name: str,
        value: Callable[[Row], float] = lambda row: row.equivalents,
    ) -> float:
        return statistics.fmean(value(row) for row in self.rows(kind, client, name))

    def main(self, client: str, name: str) -> float:
        return self.mean("main", client, name)

    @property
    def seeds(self) -> int:
        return sum(one.kind == "main" for one in self.all)

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(one.kind for one in self.all if one.kind != "main"))


def main_table(results: Results, client: str, names: Sequence[str]) -> str:
    naive, least = results.main(client, "naive"), results.main(client, BOUND)
    lines = [
        f"{client}, {results.seeds} features (simulated)",
        f"{'strategy':<58}{'k tokens':>9}{'$':>7}{'of naive':>9}{'x bound':>8}{'calls':>6}"
        f"{'hits':>7}{'recall':>8}",
    ]
    for name in (TYPED, *names, BOUND):
        mean = results.main(client, name)
        cost = mean * rates().input / MILLION
        ratios = f"{mean / naive:>9.3f}{mean / least:>8.2f}"
        head = f"{_title(name):<58}{mean / 1e3:>9,.0f}{cost:>7.2f}{ratios}"
        lines.append(head + _counts(results.rows("main", client, name)))
    return "\n".join(lines) + "\n"


def _counts(rows: Sequence[Row]) -> str:
    if not any(row.calls for row in rows):
        return ""
    calls = statistics.fmean(row.calls for row in rows)
    hits = sum(row.read for row in rows) / sum(row.input for row in rows)
    missing = sum(row.missing for row in rows)
    return f"{calls:>6.0f}{hits:>7.1%}{'100 %' if not missing else 'VOID':>8}"


def _title(name: str) -> str:
    return TITLES.get(name) or load(name, LARGE).title


def ablation_table(results: Results) -> str:
    clients = (LARGE.name, OWN_LOOP.name)
    count = len(results.rows("main", f"{LARGE.name}, ablated", Lever.TRUNK.value))
    lines = [
        f"one lever off at a time, {count} features: dearer by",
        "(trim and batch beside adaptive-batched, the others beside adaptive)",
        f"{'lever':<14}" + "".join(f"{client:>16}" for client in clients),
    ]
    for lever in Lever:
        cells = "".join(f"{dearer(results, client, lever):>+16.1%}" for client in clients)
        lines.append(f"{lever.value:<14}{cells}")
    return "\n".join(lines) + "\n"


def dearer(results: Results, client: str, lever: Lever) -> float:
    off = results.rows("main", f"{client}, ablated", lever.value)
    beside = "adaptive" if lever in load("adaptive", LARGE).levers else "adaptive-batched"
    whole = results.rows("main", client, beside)[: len(off)]
    return sum(row.equivalents for row in off) / sum(row.equivalents for row in whole) - 1


def sensitivity_table(results: Results, names: Sequence[str]) -> str:
    client = OWN_LOOP.name
    lines = [
        f"{client}: ratio to naive of the same variant (simulated)",
        f"{'variant':<16}{'naive k':>9}"
        + "".join(f"{name[:11]:>12}" for name in names)
        + f"{'bound':>8}",
    ]
    for kind in results.kinds:
        naive = results.mean(kind, client, "naive")
        cells = "".join(f"{results.mean(kind, client, name) / naive:>12.3f}" for name in names)
        bound = results.mean(kind, client, BOUND) / naive
        lines.append(f"{kind:<16}{naive / 1e3:>9,.0f}{cells}{bound:>8.3f}")
    return "\n".join(lines) + "\n"


def growth(results: Results, name: str, kinds: tuple[str, str], steps: int) -> float:
    """Input-token equivalents that one more costs."""
    client = OWN_LOOP.name
    less, more = (results.mean(kind, client, name) for kind in kinds)
    return (more - less) / steps


ROUNDS = ("1 rounds", "5 rounds"), 4
TASKS = ("4 tasks", "48 tasks"), 44


def growth_table(results: Results, names: Sequence[str]) -> str:
    lines = [f"{'one more costs, in k tokens':<30}{'round of each loop':>20}{'task':>8}"]
    for name in (*names, BOUND):
        by_round, by_task = growth(results, name, *ROUNDS), growth(results, name, *TASKS)
        lines.append(f"{name:<30}{by_round / 1e3:>20,.0f}{by_task / 1e3:>8,.0f}")
    return "\n".join(lines) + "\n"


def choices_line(results: Results, client: str) -> str:
    rows = results.rows("main", client, "adaptive")
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.choices)
    shown = ", ".join(f"{name} {count / len(rows):.0f}" for name, count in sorted(total.items()))
    errors = sorted(error for row in rows for error in row.errors)
    median = statistics.median(errors) if errors else 0.0
    pings = statistics.fmean(row.pings for row in rows)
    told = f"pings {pings:.0f}; median error of predictions {median:.0%}"
    return f"adaptive, {client}: {shown}, {told}\n"


def all_tables(results: Results) -> str:
    parts = [main_table(results, client.name, STRATEGIES) for client in (LARGE, OWN_LOOP)]
    parts.append(main_table(results, CLAUDE_CODE.name, LIMITED))
    off = ", ".join(f"{one.lever} ({one.why})" for one in load("adaptive-batched", CLAUDE_CODE).off)
    parts.append(f"off with {CLAUDE_CODE.name}: {off}\n")
    parts += [choices_line(results, client.name) for client in (LARGE, OWN_LOOP)]
    parts.append(ablation_table(results))
    names = ("pruned", "seed", "resume", "continuous", "fork", "adaptive", "adaptive-batched")
    if results.kinds:
        parts.append(sensitivity_table(results, names))
        parts.append(growth_table(results, ("naive", *names)))
    return "\n".join(parts)
