"""Who looked at what, when, and what came of it: iteration by reviewer, stage by stage.

Takes values, reads nothing. What a look cost is the sum of all its attempts, the turn included
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

ROLE_WIDTH = 23
CLASSES = ("new", "repeated", "regressed", "contested", "resolved")
LEGEND = (
    "b/w/s: how many blockers, warnings and suggestions were raised",
    "delta: characters of what had changed, where only that was sent",
    "overruled: it approves, but with findings that do not let it pass",
)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    stage: str
    iteration: int
    role: str
    decision: str
    """passed, refused, overruled, or no verdict."""
    severities: dict[str, int]
    classes: dict[str, int]
    """What became of findings with this look, by the words of `CLASSES`."""
    ways: tuple[str, ...]
    """Of each attempt, in order."""
    prompt_chars: int
    """Of the first attempt's prompt."""
    delta_chars: int | None
    """None where no delta was sent, or the prompt is not there any more."""
    nano_usd: int | None
    """None if no attempt's cost is known."""
    partial: bool
    """The cost of an attempt is missing from it."""
    origin: str
    commit: str = ""

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
        }


class DecidedRow(NamedTuple):
    """What followed from a look, and why."""

    stage: str
    iteration: int
    roles: tuple[str, ...]
    decision: str
    """ask, revise, accept or escalate."""
    reasons: tuple[str, ...]

    def dump(self) -> JsonObject:
        return {**self._asdict(), "roles": list(self.roles), "reasons": list(self.reasons)}


def reviews_page(rows: Sequence[ReviewRow], decided: Sequence[DecidedRow] = ()) -> RenderableType:
    """Fits 80 columns: a table a stage, and below it what followed from each look."""
    parts: list[RenderableType] = []
    for stage in dict.fromkeys(row.stage for row in rows):
        own = [row for row in rows if row.stage == stage]
        parts += [Text(f"{stage}, {_looks(own)}", "bold"), _table(own)]
        parts += [line for one in decided if one.stage == stage for line in _lines(one)]
        parts.append(Text(""))
    origins = sorted({word for row in rows for word in row.origin.split(" and ") if word})
    notes = (*LEGEND, f"cost: {' and '.join(origins) or 'unknown'}")
    return Group(*parts, *(Text(note, "dim") for note in notes))


def _lines(one: DecidedRow) -> list[RenderableType]:
    """Who passes is in the table already, and so is who was asked next."""
    told = (why for why in one.reasons if not why.startswith((*one.roles, "next: ")))
    who = f"{one.iteration} {', '.join(one.roles)}"
    return [
        Padding(Text(f"{who}: {one_line(why)}", "dim"), (0, 0, 0, 3), expand=False)
        for why in told
        if why != "accepted"
    ]


def one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _table(rows: Sequence[ReviewRow]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("reviewer", overflow="fold", width=ROLE_WIDTH)
    table.add_column("decision", no_wrap=True, min_width=len("no verdict"))
    table.add_column("b/w/s", justify="right", no_wrap=True)
    table.add_column("way", overflow="fold", min_width=len("reference"))
    table.add_column("delta", justify="right", no_wrap=True, min_width=len("99,999"))
    table.add_column("cost", justify="right", no_wrap=True, min_width=len("unknown"))
    previous = 0
    for row in rows:
        shown = str(row.iteration) if row.iteration != previous else ""
        delta = "" if row.delta_chars is None else f"{row.delta_chars:,}"
        table.add_row(
            shown, _who(row), Text(row.decision, _style(row)), row.counts, _way(row), delta,
            row.cost,
        )  # fmt: skip
        previous = row.iteration
    return table


def _who(row: ReviewRow) -> Text:
    text = Text(row.role)
    return text.append(f"\n{row.became}", "dim") if row.became else text


def _way(row: ReviewRow) -> str:
    """A way that failed stays visible before the one that was taken after it."""
    return " > ".join(dict.fromkeys(row.ways))


def _style(row: ReviewRow) -> str:
    return "green" if row.decision == "passed" else "yellow"


def _looks(rows: Sequence[ReviewRow]) -> str:
    iterations = len({row.iteration for row in rows})
    looks = f"{len(rows)} review{'s' if len(rows) != 1 else ''}"
    return f"{looks} in {iterations} iteration{'s' if iterations != 1 else ''}"
