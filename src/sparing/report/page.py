"""The report on a terminal: by default its first lines and what is open, in full all of it."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.percent import percent
from sparing.report.baseline import WHAT_IT_IS
from sparing.report.closing import closing_lines
from sparing.report.figures import (
    Figure,
    Report,
    effort_words,
    finding_lines,
    open_words,
    policy_words,
)  # fmt: skip
from sparing.report.lever_quality import lever_quality_page
from sparing.report.model_costs import model_page
from sparing.report.plain_words import counted_ways
from sparing.report.reviewers import ROLE_WIDTH, STAGE_WIDTH, reviewers_page
from sparing.report.savings_table import savings_page
from sparing.report.spending import dollars, tokens
from sparing.report.vendors import vendor_page

LOOP_NOTES = (
    "sent: characters of the prompts, system prompts not counted (measured)",
    "fresh: that as a share of all turns with the role's latest fresh prompt",
    f"naive: {WHAT_IT_IS}",
)
MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


def short_page(report: Report) -> RenderableType:
    """What follows `head_lines`, for a terminal of 80 columns: enough for a small feature."""
    more = "sparing report --full" if _whole(report) else f"sparing report {report.feature} --full"
    lines = [Text(open_words(report)), *_advice(report)]
    notes = (token_words(report), f"naive: {WHAT_IT_IS}", f"every figure: {more}")
    return Group(*lines, *(Text(line, "dim") for line in notes))


def full_page(report: Report) -> RenderableType:
    """What follows `head_lines`, for a terminal of 80 columns: every figure."""
    parts: list[RenderableType] = [Text(token_words(report), "dim")]
    told = (policy_words(report), effort_words(report))
    parts += [*(Text(words, "dim") for words in told if words), Text("")]
    if report.economy is not None and report.economy.turns:
        parts += [*savings_page(report.economy), Text("")]
    parts += model_page(report.models)
    if report.proof:
        parts += [Text("predictions", "bold")]
        parts += [*(figure_lines(one) for one in report.proof), Text("")]
    parts += reviewers_page(report.reviewers)
    parts += vendor_page(report.vendors, report.spending.origin)
    parts += lever_quality_page(report.levers)
    parts += _findings(report)
    if report.loops:
        parts += [Text("review loops", "bold"), _loop_table(report)]
        parts += [*(Text(line, "dim") for line in LOOP_NOTES), Text("")]
    for title, figures in (
        ("measures of the original workflow", report.asked),
        ("what the original workflow expected", report.claims),
    ):
        parts += [Text(title, "bold"), *(figure_lines(one) for one in figures), Text("")]
    return Group(*parts, *_advice(report))


def _whole(report: Report) -> bool:
    """Whether it is about all features of a repository."""
    return report.feature == "all"


def _advice(report: Report) -> list[Text]:
    return [Text(f"advice: {words}", "yellow") for words in report.advice]


def head_lines(report: Report) -> list[str]:
    """The name, then the bill in aligned columns, so that a caller can break long lines."""
    name = f"{report.feature} {report.title}".strip()
    whose = "all runs" if _whole(report) else "this run"
    return [name, *closing_lines(report.spending, report.economy, report.quality, whose)]


def token_words(report: Report) -> str:
    spent = report.spending
    usage = spent.usage
    share = f", {100 * usage.read // usage.input} % of them cached" if usage.input else ""
    return (
        f"{spent.turns} turn{'s' if spent.turns != 1 else ''}: {tokens(usage.input)} tokens sent"
        f"{share}, {tokens(usage.output)} answered ({spent.origin})"
    )


def _loop_table(report: Report) -> Table:
    costs = {(row.stage, row.role): row for row in report.spending.rows}
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("stage", overflow="fold", max_width=STAGE_WIDTH)
    table.add_column("role", overflow="fold", max_width=ROLE_WIDTH)
    table.add_column("sessions", overflow="fold")
    for name in ("sent", "fresh", "cost", "naive"):
        table.add_column(name, justify="right", no_wrap=True)
    previous = ""
    for loop in report.loops:
        bill = costs.get((loop.stage, loop.role))
        table.add_row(
            loop.stage if loop.stage != previous else "", loop.role, counted_ways(loop.ways),
            tokens(loop.sent_chars), percent(loop.share),
            bill.cost if bill else "unknown", dollars(bill.naive_usd if bill else None),
        )  # fmt: skip
        previous = loop.stage
    return table


def _findings(report: Report) -> list[Text]:
    lines = [Text(f"  {line}") for line in finding_lines(report)]
    return [Text("findings, as they stand", "bold"), *lines, Text("")] if lines else []


def figure_lines(figure: Figure) -> RenderableType:
    """A mark, what it says, and below it where it comes from; long lines are continued below their
    own beginning, not below the mark."""
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_row(Text(*MARKS[figure.holds]), Text(f"{figure.name}: {figure.said}"))
    rest = "; ".join(part for part in (figure.origin, figure.against) if part)
    return Group(line, Padding(Text(rest, "dim"), (0, 0, 0, 4), expand=False))
