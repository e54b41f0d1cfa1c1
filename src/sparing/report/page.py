"""The report on a terminal: first what it cost and what was saved, last the original's measures."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.report.baseline import WHAT_IT_IS
from sparing.report.closing import closing_lines
from sparing.report.figures import Figure, Report, effort_words, percent
from sparing.report.lever_quality import lever_quality_page
from sparing.report.model_costs import model_page
from sparing.report.reviewers import ROLE_WIDTH, STAGE_WIDTH, reviewers_page
from sparing.report.savings_table import savings_page
from sparing.report.spending import dollars, tokens
from sparing.report.vendors import vendor_page

LOOP_NOTES = (
    "sent: characters of the prompts (measured)",
    "fresh: that as a share of all turns with the role's latest fresh prompt",
    f"naive: {WHAT_IT_IS}",
)


def report_page(report: Report) -> RenderableType:
    """For a terminal of 80 columns."""
    parts: list[RenderableType] = [*_head(report), Text("")]
    if report.economy is not None and report.economy.turns:
        parts += [*savings_page(report.economy), Text("")]
    parts += model_page(report.models)
    if report.proof:
        parts += [Text("predictions", "bold")]
        parts += [*(_figure(one) for one in report.proof), Text("")]
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
        parts += [Text(title, "bold"), *(_figure(one) for one in figures), Text("")]
    parts += [Text(f"advice: {words}", "yellow") for words in report.advice]
    return Group(*parts)


def _head(report: Report) -> list[Text]:
    name = f"{report.feature} {report.title}".strip()
    lines = closing_lines(report.spending, report.economy, report.quality)
    efforts = effort_words(report)
    more = [Text(efforts, "dim")] if efforts else []
    return [Text(name, "bold"), *map(Text, lines), Text(token_words(report), "dim"), *more]


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
    table.add_column("ways", overflow="fold")
    for name in ("sent", "fresh", "cost", "naive"):
        table.add_column(name, justify="right", no_wrap=True)
    previous = ""
    for loop in report.loops:
        bill = costs.get((loop.stage, loop.role))
        table.add_row(
            loop.stage if loop.stage != previous else "", loop.role, way_words(loop.ways),
            tokens(loop.sent_chars), percent(loop.share),
            bill.cost if bill else "unknown", dollars(bill.naive_usd if bill else None),
        )  # fmt: skip
        previous = loop.stage
    return table


def way_words(ways: dict[str, int]) -> str:
    return ", ".join(f"{count} {way}" for way, count in ways.items())


def _figure(figure: Figure) -> RenderableType:
    mark = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[figure.holds]
    text = Text.assemble(mark, f" {figure.name}: {figure.said}")
    rest = "; ".join(part for part in (figure.origin, figure.against) if part)
    return Group(text, Padding(Text(rest, "dim"), (0, 0, 0, 4), expand=False))


def _findings(report: Report) -> list[Text]:
    lines = [
        Text(f"  {severity}s: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
        for severity, counts in report.findings.items()
        if counts
    ]
    return [Text("findings, as they stand", "bold"), *lines, Text("")] if lines else []
