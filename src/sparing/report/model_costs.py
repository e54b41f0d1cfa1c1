"""What other models would have cost, for each group that shares a trunk.

Takes values, reads nothing. All of it is estimated: another model makes other calls, and may find
less.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject

WHO: Mapping[str, str] = MappingProxyType(
    {
        "author/documents": "writers of documents",
        "reviewer/documents": "reviewers of documents",
        "author/tasks": "implementers",
        "author/code": "roles that work on all of the code",
        "reviewer/code": "reviewers of code",
        "researcher/documents": "researchers, before documents",
        "researcher/code": "retrospectives",
    }
)
TITLE = "what other models would have saved or added"
NOTE = (
    "the difference, estimated for the calls that were made. Models share no cache, so a role "
    "that moves alone writes the shared prefix again. The price says nothing about what a model "
    "finds: sparing eval measures that."
)


class OnModel(NamedTuple):
    """A group on the model of another class."""

    model_class: str
    cost_usd: float
    alone_usd: float | None
    """Cost if only the group's most expensive role moved; None if it has one role."""


class ModelRow(NamedTuple):
    group: str
    roles: tuple[str, ...]
    """Most expensive first."""
    models: tuple[str, ...]
    turns: int
    cost_usd: float
    on: tuple[OnModel, ...]

    @property
    def who(self) -> str:
        return WHO.get(self.group, self.group)

    def change(self, model_class: str, *, alone: bool = False) -> str:
        """Difference such as `−$0.12`; empty if it would be the same model."""
        for one in self.on:
            cost = one.alone_usd if alone else one.cost_usd
            if one.model_class == model_class and cost is not None:
                return _signed(cost - self.cost_usd)
        return ""


class ModelCosts(NamedTuple):
    classes: tuple[tuple[str, str], ...] = ()
    """Name and model of each class."""
    rows: tuple[ModelRow, ...] = ()

    def dump(self) -> JsonObject:
        return {
            "origin": "estimated",
            "classes": dict(self.classes),
            "groups": [
                {**row._asdict(), "who": row.who, "on": [one._asdict() for one in row.on]}
                for row in self.rows
            ],
        }


def model_page(costs: ModelCosts) -> list[RenderableType]:
    """Empty where there is nothing to compare."""
    if not costs.rows:
        return []
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("who shares a prompt prefix", overflow="fold")
    names = [name for name, _ in costs.classes if any(row.change(name) for row in costs.rows)]
    for name in ("turns", "now", *names):
        table.add_column(name, justify="right", no_wrap=True)
    for row in costs.rows:
        now = [str(row.turns), f"${row.cost_usd:.3f}"]
        table.add_row(row.who, *now, *(row.change(name) for name in names))
        if len(row.models) > 1:
            table.add_row(Text(f"  on {' and '.join(row.models)}", "dim"))
        if len(row.roles) > 1:
            only = [row.change(name, alone=True) for name in names]
            table.add_row(Text(f"  {row.roles[0]} alone", "dim"), "", "", *only)
    models = ", ".join(f"{name} {model}" for name, model in costs.classes if name in names)
    return [Text(TITLE, "bold"), table, Text(f"now: billed; {models}: {NOTE}", "dim"), Text("")]


def _signed(amount: float) -> str:
    return f"{'−' if amount < 0 else '+'}${abs(amount):.3f}"
