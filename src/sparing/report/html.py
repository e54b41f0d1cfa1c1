"""The report as one self-contained page: no script, no font, no picture.

Everything that a model or a user wrote is escaped by the template; only the charts are inserted as
drawn. The page has its own content policy that forbids everything else.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import jinja2

from sparing.codec import JsonObject
from sparing.money import dollars as nano_dollars
from sparing.printable import printable
from sparing.report.charts import Chart
from sparing.report.figures import Figure, Report, finding_lines
from sparing.report.page import token_words
from sparing.report.reviewers import YieldRow
from sparing.report.savings_table import limit_lines
from sparing.report.spending import Spending, SpendingRow, dollars, tokens

NO_CHARTS = (
    "This page has no charts: the library that draws them is not installed. "
    "sparing report --html says how to add it."
)
MARKS = {True: "✓", False: "✗", None: "·"}
ORIGINAL = "It counts characters; the bill is next to them."


class Card(NamedTuple):
    name: str
    value: str
    note: str


class Group(NamedTuple):
    title: str
    note: str
    figures: tuple[Figure, ...]
    marks: dict[bool | None, str] = MARKS


def report_html(report: Report, charts: tuple[Chart, ...] = (), *, drawn: bool = True) -> str:
    """`drawn` is false where the charts could not be made."""
    economy = report.economy if report.economy and report.economy.turns else None
    return _template().render(
        report=report,
        style=_text("report.css"),
        kind="Report on a feature" if report.feature != "all" else "Report on a repository",
        heading=f"{report.feature} {report.title}".strip(),
        cards=_cards(report),
        economy=economy,
        unit="" if economy is None else economy.unit,
        notes=() if economy is None else economy.notes,
        limits=() if economy is None else limit_lines(economy),
        charts=charts,
        missing="" if drawn else NO_CHARTS,
        spending=[_spending(row) for row in report.spending.rows],
        reviewers=[_reviewer(row) for row in report.reviewers.together],
        models=len({row.model for row in report.reviewers.rows}) > 1,
        findings=finding_lines(report),
        figures=(
            Group("Predictions", "", report.proof),
            Group("Measures of the original workflow", ORIGINAL, report.asked),
            Group("What the original workflow expected", "", report.claims),
        ),
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    return environment.from_string(_text("report.html.j2"))


def _safe(value: object) -> object:
    """Keep text of a model or a user from reversing or hiding the words around it."""
    return printable(value) if type(value) is str else value


def _text(name: str) -> str:
    return (files("sparing.report") / name).read_text("utf-8")


def _cards(report: Report) -> list[Card]:
    spent, economy = report.spending, report.economy
    turns = f"{spent.turns} turn{'s' if spent.turns != 1 else ''}"
    cards = [
        Card("spent", spent.cost, f"{spent.origin}, {turns}"),
        Card(spent.baseline.name, spent.naive, _naive_note(spent)),
        Card("tokens", tokens(spent.usage.total), token_words(report).split(": ", 1)[1]),
    ]
    saved = _saved(report)
    if saved:
        cards.insert(
            2, Card("saved", saved, f"of what {spent.baseline.name} costs ({spent.naive_origin})")
        )
    if economy is not None and economy.over_bound is not None:
        over = f"{economy.over_bound:.2f} ×"
        bound = f"{economy.amount(economy.bound)}, simulated"
        cards.append(Card("of the lower bound", over, bound))
    cards += [Card("quality", f"{report.quality.accepted} blockers fixed", _quality(report))]
    return cards


def _naive_note(spent: Spending) -> str:
    return f"{spent.naive_origin}: {spent.baseline.words}"


def _quality(report: Report) -> str:
    return "; ".join(one.strip().removeprefix("quality: ") for one in report.quality.words)


def _saved(report: Report) -> str:
    spent, naive = report.spending.cost_usd, report.spending.naive_usd
    if spent is None or not naive:
        return ""
    return f"{round(100 * (1 - spent / naive))} %"


def _spending(row: SpendingRow) -> JsonObject:
    used = row.usage
    return {
        "stage": row.stage,
        "role": row.role,
        "turns": row.dispatches,
        "resumed": row.resumed or "",
        "input": tokens(used.input),
        "cached": f"{100 * used.read // used.input} %" if used.input else "",
        "output": tokens(used.output),
        "cost": row.cost,
        "naive": dollars(row.naive_usd),
    }


def _reviewer(row: YieldRow) -> JsonObject:
    return {
        "role": row.role,
        "stage": row.stage,
        "model": row.model,
        "looks": row.looks,
        "blockers": row.blockers,
        "accepted": row.accepted,
        "settled": row.settled,
        "cost": nano_dollars(row.nano_usd),
        "each": nano_dollars(row.each) if row.accepted else "",
    }
