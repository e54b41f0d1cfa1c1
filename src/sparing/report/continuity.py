"""One session or several: how each stage of a tier began, and what either option was to cost.

Takes values, reads nothing. Predictions are labelled as such; bills say whether they were measured
or simulated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.report.figures import Figure
from sparing.report.page import figure_lines


@dataclass(frozen=True, slots=True)
class Entered:
    """How a stage began. Costs in US dollars; None if the model has no price."""

    stage: str
    go: str
    """`begin`, `continue` or `hand off`."""
    reason: str
    warm: bool
    judged: bool
    """True if the session that ended was asked for a handoff."""
    used_tokens: int
    window_tokens: int
    need_tokens: int
    continued_usd: float | None
    handed_off_usd: float | None
    continued_warm_usd: float | None
    continued_cold_usd: float | None
    handed_off_warm_usd: float | None
    handed_off_cold_usd: float | None
    billed_usd: float | None
    """Bill of the stage's author, including its handoff."""
    refused: bool = False
    """True if a handoff was proposed, but a person chose to continue the session."""

    @property
    def predicted_usd(self) -> float | None:
        return self.continued_usd if self.go == "continue" else self.handed_off_usd


@dataclass(frozen=True, slots=True)
class ContinuityReport:
    stages: tuple[Entered, ...]
    figures: tuple[Figure, ...]
    origin: str


def continuity_json(found: ContinuityReport | None) -> JsonObject | None:
    if found is None:
        return None
    return {
        "origin": {"predicted": "estimated", "billed": found.origin},
        "stages": [asdict(one) for one in found.stages],
        "figures": [one.dump() for one in found.figures],
    }


def continuity_page(found: ContinuityReport) -> RenderableType:
    """For a terminal of 80 columns."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("stage", no_wrap=True)
    table.add_column("began")
    for name in ("window", "continue", "hand off", "billed"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found.stages:
        table.add_row(
            one.stage, _began(one), _window(one), usd(one.continued_usd),
            usd(one.handed_off_usd), usd(one.billed_usd),
        )  # fmt: skip
    note = f"continue, hand off: predicted for this stage (estimated); billed: {found.origin}"
    lines = [figure_lines(one) for one in found.figures]
    head = Text("one session or several", "bold")
    return Group(head, table, Text(note, "dim"), *lines, Text(""))


def _began(one: Entered) -> str:
    if one.go == "begin":
        return "first"
    asked = ", asked" if one.judged else ", handoff refused" if one.refused else ""
    return f"{one.go}, {'warm' if one.warm else 'cold'}{asked}"


def _window(one: Entered) -> str:
    if not one.window_tokens:
        return ""
    lacks = one.window_tokens - one.used_tokens < one.need_tokens
    return f"{100 * one.used_tokens / one.window_tokens:.0f} %{', no room' if lacks else ''}"


def usd(value: float | None) -> str:
    return "" if value is None else f"${value:,.3f}"
