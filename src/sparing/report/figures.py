"""The figures of a feature's review loops: what the original asked for, beside what was billed.

Every figure says whether it was measured, simulated or estimated, and a percentage names what it
is a part of. Takes values, reads nothing; pages of other kinds are made from the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.money import dollars as nano_dollars
from sparing.money import to_usd
from sparing.report.spending import Spending, dollars, tokens

ROLE_WIDTH = 23
STAGE_WIDTH = 13


class Figure(NamedTuple):
    name: str
    value: float | None
    """None where nothing happened that it could be counted from."""
    said: str
    origin: str
    against: str = ""
    """What was asked for or claimed, and what a percentage is of."""
    holds: bool | None = None

    def dump(self) -> dict[str, Any]:
        return self._asdict()


@dataclass(frozen=True, slots=True)
class LoopRow:
    """All turns of one role in one stage."""

    stage: str
    role: str
    turns: int
    ways: dict[str, int]
    sent_chars: int
    fresh_chars: int
    """Of the same turns, each with the role's latest fresh prompt."""
    sent_tokens: int
    """Of the prompts, estimated."""
    full_tokens: int
    """Of the same prompts with every document in full, estimated."""

    @property
    def share(self) -> float | None:
        return self.sent_chars / self.fresh_chars if self.fresh_chars else None

    def dump(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "role": self.role,
            "turns": self.turns,
            "ways": self.ways,
            "prompt_chars": {"value": self.sent_chars, "origin": "measured"},
            "all_fresh_chars": {"value": self.fresh_chars, "origin": "estimated"},
            "prompt_tokens": {"value": self.sent_tokens, "origin": "estimated"},
            "full_injection_tokens": {"value": self.full_tokens, "origin": "estimated"},
        }


@dataclass(frozen=True, slots=True)
class YieldRow:
    """What a reviewer's looks brought for what they cost."""

    role: str
    looks: int
    raised: int
    """Blockers and warnings, each counted once."""
    settled: int
    nano_usd: int | None
    """None if the cost of no look is known."""

    @property
    def each(self) -> int | None:
        """What a settled finding cost."""
        return None if self.nano_usd is None or not self.settled else self.nano_usd // self.settled

    def dump(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "looks": self.looks,
            "raised": self.raised,
            "settled": self.settled,
            "cost_usd": _usd(self.nano_usd),
            "cost_per_settled_usd": _usd(self.each),
        }


@dataclass(frozen=True, slots=True)
class Report:
    feature: str
    title: str
    status: str
    spending: Spending
    loops: tuple[LoopRow, ...]
    asked: tuple[Figure, ...]
    """What the original wanted of its loops."""
    claims: tuple[Figure, ...]
    """What the original expected to save."""
    proof: tuple[Figure, ...]
    """What was predicted, and whether every prompt told all it had to."""
    findings: dict[str, dict[str, int]]
    """By severity, how many are new, repeated, … now."""
    yields: tuple[YieldRow, ...]
    advice: tuple[str, ...] = ()

    @property
    def bill(self) -> str:
        return self.spending.sentence


def report_json(report: Report) -> dict[str, Any]:
    spent = report.spending
    return {
        "feature": report.feature,
        "title": report.title,
        "status": report.status,
        "billed": {
            "origin": spent.origin,
            "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
            "tokens": spent.usage.total,
            "turns": spent.turns,
            "turns_without_an_end": spent.unknown,
        },
        "naive": {
            "origin": "simulated",
            "baseline": "every dispatch from nothing, every document in full",
            "cost_usd": None if spent.naive_usd is None else float(spent.naive_usd),
            "tokens": spent.naive_usage.total,
        },
        "loops": [loop.dump() for loop in report.loops],
        "asked": [figure.dump() for figure in report.asked],
        "claims": [figure.dump() for figure in report.claims],
        "proof": [figure.dump() for figure in report.proof],
        "findings": report.findings,
        "reviewers": {"origin": spent.origin, "rows": [row.dump() for row in report.yields]},
        "advice": list(report.advice),
    }


def report_page(report: Report) -> RenderableType:
    """For a terminal of 80 columns."""
    parts: list[RenderableType] = [
        Text(f"{report.feature} {report.title}".strip(), "bold"),
        Text(report.bill),
        Text(""),
    ]
    if report.loops:
        parts += [Text("review loops", "bold"), _loop_table(report), *_loop_notes(), Text("")]
    for title, figures in (
        ("what the original rules asked for", report.asked),
        ("what the original expected", report.claims),
        ("what was predicted, and told", report.proof),
    ):
        parts += [Text(title, "bold"), *(_figure(one) for one in figures), Text("")]
    parts += [*_findings(report), *_yields(report)]
    parts += [Text(f"advice: {words}", "yellow") for words in report.advice]
    return Group(*parts)


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
            loop.stage if loop.stage != previous else "", loop.role, _ways(loop.ways),
            tokens(loop.sent_chars), percent(loop.share),
            bill.cost if bill else "unknown", dollars(bill.naive_usd if bill else None),
        )  # fmt: skip
        previous = loop.stage
    return table


def _loop_notes() -> list[Text]:
    lines = (
        "sent: characters of the prompts (measured)",
        "fresh: that as a share of all turns with the role's latest fresh prompt",
        "naive: every dispatch from nothing, every document in full (simulated)",
    )
    return [Text(line, "dim") for line in lines]


def _ways(ways: dict[str, int]) -> str:
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


def _yields(report: Report) -> list[RenderableType]:
    if not report.yields:
        return []
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("reviewer", overflow="fold", max_width=ROLE_WIDTH)
    for name in ("looks", "raised", "settled", "cost", "each"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in report.yields:
        each = nano_dollars(row.each) if row.settled else ""
        table.add_row(
            row.role, str(row.looks), str(row.raised), str(row.settled),
            nano_dollars(row.nano_usd), each,
        )  # fmt: skip
    note = f"each: cost for a settled blocker or warning ({report.spending.origin})"
    return [Text("reviewers", "bold"), table, Text(note, "dim"), Text("")]


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _usd(nano: int | None) -> float | None:
    return None if nano is None else float(to_usd(nano))
