"""The aims, each with its figure. An aim that is missed is printed as such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bench.economy.measure import BOUND, TYPED, Row
from bench.economy.strategy import LARGE, OWN_LOOP
from bench.economy.tables import ROUNDS, TASKS, Results, growth

OTHERS = ("naive", "lazy", "pruned", "seed", "resume", "continuous", "fork")
CLIENTS = (LARGE.name, OWN_LOOP.name)


class Aim(NamedTuple):
    words: str
    figure: float
    limit: float
    at_most: bool = True
    share: bool = False

    @property
    def met(self) -> bool:
        return self.figure <= self.limit if self.at_most else self.figure >= self.limit

    @property
    def line(self) -> str:
        form = "{:.1%}" if self.share else "{:.3g}"
        sign = "≤" if self.at_most else "≥"
        aim = f"aim {sign} {form.format(self.limit)}"
        return (
            f"{'met   ' if self.met else 'MISSED'} {self.words}: {form.format(self.figure)} ({aim})"
        )


def aims(results: Results) -> Iterator[Aim]:
    for client, limit in zip(CLIENTS, (0.46, 0.42), strict=True):
        yield _cheaper(results, client, "adaptive", "naive", limit)
    for client, limit in zip(CLIENTS, (0.58, 0.54), strict=True):
        yield _cheaper(results, client, "adaptive-batched", "naive", limit)
    for client, limit in zip(CLIENTS, (1.55, 1.60), strict=True):
        ratio = results.main(client, "adaptive") / results.main(client, BOUND)
        yield Aim(f"adaptive to the lower bound, {client}", ratio, limit)
    for client in CLIENTS:
        ratio = results.main(client, "adaptive-batched") / results.main(client, BOUND)
        yield Aim(f"batched to the lower bound, {client}", ratio, 1.25)
    for client in CLIENTS:
        yield _cheaper(results, client, "adaptive", TYPED, 0.78)
    for client in CLIENTS:
        regret = results.main(client, "adaptive") / results.main(client, "oracle") - 1
        yield Aim(f"adaptive dearer than in hindsight, {client}", regret, 0.01, share=True)
    yield Aim("runs in which another strategy was cheaper than adaptive", _beaten(results), 0)
    if results.kinds:
        yield from _slopes(results)


def _slopes(results: Results) -> Iterator[Aim]:
    for words, span, limit in (("round", ROUNDS, 0.45), ("task", TASKS, 0.42)):
        ratio = growth(results, "adaptive", *span) / growth(results, "naive", *span)
        yield Aim(f"one more {words}, adaptive to naive", ratio, limit)
    short, long = (
        results.mean(kind, OWN_LOOP.name, "adaptive") for kind in ("gaps 10-60 s", "gaps 6-15 min")
    )
    yield Aim("adaptive with gaps of 6-15 min to gaps under 1 min", long / short, 1.06)


def _cheaper(results: Results, client: str, name: str, than: str, limit: float) -> Aim:
    saved = 1 - results.main(client, name) / results.main(client, than)
    baseline = "the seeds as written" if than == TYPED else than
    return Aim(f"{name} cheaper than {baseline}, {client}", saved, limit, at_most=False, share=True)


def _beaten(results: Results) -> int:
    count = 0
    for one in results.all:
        for table in one.rows.values():
            if "adaptive" in table:
                others = [table[name] for name in OTHERS if name in table]
                count += min(_cost(row) for row in others) < _cost(table["adaptive"])
    return count


def _cost(row: Row) -> float:
    return row.equivalents
