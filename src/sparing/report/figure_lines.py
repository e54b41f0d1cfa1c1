"""One figure on a terminal: a mark, what it says, and below it where it comes from."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.report.figures import Figure

MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


def figure_lines(figure: Figure) -> RenderableType:
    """Long lines are continued below their own beginning, not below the mark."""
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_row(Text(*MARKS[figure.holds]), Text(f"{figure.name}: {figure.said}"))
    rest = "; ".join(part for part in (figure.origin, figure.against) if part)
    return Group(line, Padding(Text(rest, "dim"), (0, 0, 0, 4), expand=False))
