"""The only user of the plotting library: how a chart looks, and how it gets into a page.

A drawing is an SVG that is inserted into a page as it is: no script, no font, nothing external.
Text is inserted only as text, and the library escapes it.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import re
from collections.abc import Callable
from typing import Any

LIBRARY = "matplotlib"
WIDE, HIGH = 9.6, 3.6
GREY, RED, BLUE, DARK = "#9aa5ae", "#b3453c", "#2a6f97", "#24323d"
PALE_RED, PALE_GREEN = "#e3d0cd", "#a9cbb7"
COLOURS = (
    "#2a6f97", "#d98c3f", "#5b9279", "#8a5a83", "#c9a227", "#5f7ea8", "#a0522d", "#b8c4cc",
)  # fmt: skip
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "sparing", "text.parse_math": False, "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY,
    "axes.labelcolor": DARK, "text.color": DARK, "xtick.color": DARK, "ytick.color": DARK,
    "axes.axisbelow": True, "legend.frameon": False, "figure.facecolor": "none",
    "axes.facecolor": "none", "axes.grid": True, "grid.color": "#e6eaed",
}  # fmt: skip


def can_draw() -> bool:
    return importlib.util.find_spec(LIBRARY) is not None


def drawn(
    draw: Callable[[Any], None], name: str, high: float = HIGH, *, stacked: bool = False
) -> str:
    """`stacked`: the legend follows the order of the stacked areas, the last on top."""
    library: Any = importlib.import_module(LIBRARY)
    figures: Any = importlib.import_module(f"{LIBRARY}.figure")
    with library.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = figures.Figure(figsize=(WIDE, high), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        handles, names = axes.get_legend_handles_labels()
        if names:
            way = -1 if stacked else 1
            figure.legend(handles[::way], names[::way], loc="outside right upper", fontsize=9)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(text.getvalue())


def _inline(svg: str) -> str:
    """The drawing alone: without its head, its size and the style that would reach the page."""
    found = svg[svg.index("<svg") :]
    found = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", found, flags=re.DOTALL)
    found = re.sub(r"<metadata>.*?</metadata>", "", found, flags=re.DOTALL)
    return re.sub(r'^<svg([^>]*?) width="[^"]*"', r"<svg\1", found, count=1).replace(
        ' height="', ' data-height="', 1
    )


def money(amount: float, _: int) -> str:
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.3g}"
