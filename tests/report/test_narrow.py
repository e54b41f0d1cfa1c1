"""Reports on a narrow terminal. Covers: K1, K3."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType

from sparing.report.figures import Figure
from sparing.report.page import figure_lines
from sparing.report.savings_table import ladder_table
from tests.report.test_closing import economy


def drawn(part: RenderableType, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(part)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_long_figure_is_continued_below_its_words() -> None:
    """K1: at 40 columns no line but the first begins at the edge."""
    figure = Figure("billed for the same loops", None, "1 resume has no fresh prompt", "simulated")
    assert drawn(figure_lines(figure), 40) == [
        "· billed for the same loops: 1 resume",
        "  has no fresh prompt",
        "    simulated",
    ]


def test_a_step_keeps_its_indent_in_every_line() -> None:
    """K3: what belongs to a baseline stays below it where the words don't fit one line."""
    found = economy()
    lines = drawn(ladder_table(found, found.naive), 44)
    inner = [
        line for line in lines if not line.startswith(("lean naive", "same client", "this run"))
    ]
    assert len(inner) > len(found.naive.steps), "no line was broken"
    assert all(line.startswith("  ") for line in inner), lines
