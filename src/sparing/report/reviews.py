"""Who reviewed what, when, and with what result: iteration by reviewer, stage by stage.

Takes values, reads nothing. The cost of a review is the sum of all its attempts, including the turn
in which a reply was put into shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.finding import Severity
from sparing.money import dollars, usd_or_none
from sparing.report.plain_words import WAYS_NOTE, ways_taken

ROLE_WIDTH, LEAST_ROLE_WIDTH, COLUMNS = 23, 11, 80
CLASSES = ("new", "repeated", "regressed", "contested", "resolved")
LEGEND = (
    "#: iteration; reviewers that follow one another each count their own; ✓: final validation",
    "b/w/s: how many blockers, warnings and suggestions were raised",
    "delta: characters of the change, if only that was sent",
    WAYS_NOTE,
)
OVERRULED = "overruled: it approves, but with findings that do not let it pass"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    stage: str
    iteration: int
    role: str
    decision: str
    """passed, refused, overruled, or no verdict."""
    severities: dict[str, int]
    classes: dict[str, int]
    """Number of findings by what became of them in this review, in the words of `CLASSES`."""
    ways: tuple[str, ...]
    """How each attempt was sent, in order."""
    prompt_chars: int
    """Size of the first attempt's prompt."""
    delta_chars: int | None
    """None if no delta was sent, or the prompt is no longer stored."""
    nano_usd: int | None
    """None if no attempt's cost is known."""
    partial: bool
    """True if the cost of an attempt is missing from it."""
    origin: str
    commit: str = ""
    final: bool = False
    """Everybody's last look at what has passed, with the number of the round before."""
    loop: int = 0
    """Number of the review loop within its stage."""
    again: str = ""
    """For the first review of a later loop: why it began."""

    @property
    def cost(self) -> str:
        return ("≥" if self.partial and self.nano_usd is not None else "") + dollars(self.nano_usd)

    @property
    def counts(self) -> str:
        return "/".join(str(self.severities.get(one, 0)) for one in Severity)

    @property
    def became(self) -> str:
        return ", ".join(f"{self.classes[one]} {one}" for one in CLASSES if self.classes.get(one))

    def dump(self) -> JsonObject:
        return {
            "stage": self.stage,
            "iteration": self.iteration,
            "role": self.role,
            "decision": self.decision,
            "findings": {one.value: self.severities.get(one, 0) for one in Severity},
            "classes": {one: self.classes.get(one, 0) for one in CLASSES},
            "way": self.ways[-1] if self.ways else None,
            "ways": list(self.ways),
            "prompt_chars": self.prompt_chars,
            "delta_chars": self.delta_chars,
            "cost_usd": usd_or_none(self.nano_usd),
            "cost_is_partial": self.partial,
            "origin": self.origin,
            "commit": self.commit,
            "final": self.final,
            "loop": self.loop,
            "again": self.again,
        }


class DecidedRow(NamedTuple):
    """The decision after a review, and why."""

    stage: str
    iteration: int
    roles: tuple[str, ...]
    decision: str
    """ask, revise, accept or escalate."""
    reasons: tuple[str, ...]
    final: bool = False
    loop: int = 0

    def dump(self) -> JsonObject:
        return {**self._asdict(), "roles": list(self.roles), "reasons": list(self.reasons)}


class Layout(NamedTuple):
    """The same for all tables of a page, so that their columns are aligned."""

    role: int
    session: int
    delta: bool


def _layout(rows: Sequence[ReviewRow], columns: int) -> Layout:
    """Where room is short, names are folded, and a column in which nothing stands is left out."""
    narrow = columns < COLUMNS
    delta = not narrow or any(row.delta_chars is not None for row in rows)
    session = len("resumed" if narrow else "reference")
    others = len("#  ") + len("  no verdict  b/w/s  ") + session + len("  unknown")
    rest = columns - others - (len("  99,999") if delta else 0)
    return Layout(min(ROLE_WIDTH, max(LEAST_ROLE_WIDTH, rest)), session, delta)


def reviews_page(
    rows: Sequence[ReviewRow], decided: Sequence[DecidedRow] = (), columns: int = COLUMNS
) -> RenderableType:
    """Fits 60 columns: a table for each stage, and below each review the decision that followed."""
    parts: list[RenderableType] = []
    layout = _layout(rows, columns)
    for stage in dict.fromkeys(row.stage for row in rows):
        own = [row for row in rows if row.stage == stage]
        parts.append(Text(f"{stage}, {_looks(own)}", "bold"))
        parts += _stage(own, [one for one in decided if one.stage == stage], layout)
        parts.append(Text(""))
    origins = sorted({word for row in rows for word in row.origin.split(" and ") if word})
    overruled = [OVERRULED] if any(row.decision == "overruled" for row in rows) else []
    notes = (*LEGEND, *overruled, f"cost: {' and '.join(origins) or 'unknown'}")
    return Group(*parts, *(Text(note, "dim") for note in notes))


def _stage(
    rows: Sequence[ReviewRow], decided: Sequence[DecidedRow], layout: Layout
) -> list[RenderableType]:
    """The rows of a stage, split after each decision and where the reviews began again."""
    parts: list[RenderableType] = []
    open_rows: list[ReviewRow] = []
    rest = list(decided)
    for row in rows:
        if row.again:
            parts += [_table(open_rows, layout, first=not parts)] if open_rows else []
            parts.append(Padding(Text(one_line(row.again)), (0, 0, 0, 3), expand=False))
            open_rows = []
        open_rows.append(row)
        followed = [one for one in rest if _ends(one, row, rows)]
        rest = [one for one in rest if one not in followed]
        lines = [line for one in followed for line in _lines(one)]
        if lines:
            parts += [_table(open_rows, layout, first=not parts), *lines]
            open_rows = []
    if open_rows:
        parts.append(_table(open_rows, layout, first=not parts))
    return [*parts, *(line for one in rest for line in _lines(one))]


def _ends(one: DecidedRow, row: ReviewRow, rows: Sequence[ReviewRow]) -> bool:
    """Whether the row is the last of those that led to the decision."""
    own = [
        at for at in rows
        if (at.loop, at.iteration, at.final) == (one.loop, one.iteration, one.final)
        and at.role in one.roles
    ]  # fmt: skip
    return bool(own) and own[-1] is row


def _lines(one: DecidedRow) -> list[RenderableType]:
    """Leaves out who passed and who was asked next: the table already shows both."""
    told = (why for why in one.reasons if not why.startswith((*one.roles, "next: ")))
    who = f"{'✓' if one.final else one.iteration} {', '.join(one.roles)}"
    return [
        Padding(Text(f"{who}: {one_line(why)}", "dim"), (0, 0, 0, 3), expand=False)
        for why in told
        if why != "accepted"
    ]


def one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _table(rows: Sequence[ReviewRow], layout: Layout, *, first: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", show_header=first)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("reviewer", overflow="fold", width=layout.role)
    table.add_column("decision", no_wrap=True, min_width=len("no verdict"))
    table.add_column("b/w/s", justify="right", no_wrap=True)
    table.add_column("session", overflow="fold", min_width=layout.session)
    if layout.delta:
        table.add_column("delta", justify="right", no_wrap=True, min_width=len("99,999"))
    table.add_column("cost", justify="right", no_wrap=True, min_width=len("unknown"))
    previous = ""
    for row in rows:
        number = "✓" if row.final else str(row.iteration)
        shown = number if number != previous else ""
        delta = "" if row.delta_chars is None else f"{row.delta_chars:,}"
        size = (delta,) if layout.delta else ()
        decision = Text(row.decision, _style(row))
        table.add_row(shown, _who(row), decision, row.counts, _way(row), *size, row.cost)
        previous = number
    return table


def _who(row: ReviewRow) -> Text:
    text = Text(row.role)
    return text.append(f"\n{row.became}", "dim") if row.became else text


def _way(row: ReviewRow) -> str:
    """How it was sent; a way that failed stays visible before the one used after it."""
    return " > ".join(ways_taken(row.ways))


def _style(row: ReviewRow) -> str:
    return "green" if row.decision == "passed" else "yellow"


def _looks(rows: Sequence[ReviewRow]) -> str:
    iterations = len({(row.loop, row.iteration) for row in rows})
    looks = f"{len(rows)} review{'s' if len(rows) != 1 else ''}"
    return f"{looks} in {iterations} iteration{'s' if iterations != 1 else ''}"
