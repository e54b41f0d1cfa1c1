"""How our own tools compare with the client's on small coding tasks, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject

ARMS = {"own": "Sparing's own tools", "client": "the client's own tools"}


class CodingRow(NamedTuple):
    """One set of tools, over all its tasks."""

    arm: str
    tasks: int
    passed: int
    calls: int
    tokens: int
    cost_usd: float | None
    origin: str
    seconds: float
    failed: tuple[tuple[str, str], ...]
    """Tasks whose hidden test did not pass, and why."""

    @property
    def each(self) -> float | None:
        return None if self.cost_usd is None or not self.passed else self.cost_usd / self.passed

    def dump(self) -> JsonObject:
        return {
            "tools": self.arm,
            "tasks": self.tasks,
            "passed": self.passed,
            "model_calls": self.calls,
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "cost_per_pass_usd": self.each,
            "origin": self.origin,
            "seconds": round(self.seconds, 1),
            "failed": [{"task": task, "why": why} for task, why in self.failed],
        }


def coding_page(rows: Sequence[CodingRow], asked: int, done: int) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tools")
    for name in ("tests passed", "model calls", "tokens", "cost", "each", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("cost is")
    for row in rows:
        table.add_row(
            row.arm, f"{row.passed} of {row.tasks}", str(row.calls), f"{row.tokens:,}",
            _usd(row.cost_usd), _usd(row.each), f"{row.seconds:.0f}", row.origin,
        )  # fmt: skip
    parts: list[RenderableType] = [table, Text("")]
    for row in rows:
        parts.append(Text(f"{row.arm}: {ARMS[row.arm]}", "dim"))
        parts += [Text(f"  not passed: {task}: {why}", "dim") for task, why in row.failed]
    parts.append(Text("each: for one task whose hidden test passes"))
    if done < asked:
        parts.append(Text(f"ended early: {done} of {asked} tasks were tried", "yellow"))
    return Group(*parts)


def _usd(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.3f}"
