"""What each reviewer found for its cost, and what to do about one that finds little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.money import dollars, usd_or_none
from sparing.panel import ENOUGH_LOOKS, SECOND

ROLE_WIDTH = 23
STAGE_WIDTH = 13


@dataclass(frozen=True, slots=True)
class YieldRow:
    """Reviews by one role, with one model, in one stage."""

    role: str
    model: str
    stage: str
    looks: int
    blockers: int
    accepted: int
    """Blockers that were settled and not dismissed."""
    settled: int
    """Number of warnings settled."""
    nano_usd: int | None
    """None if no review's cost is known."""
    each: int | None
    """Cost per accepted blocker."""

    def dump(self) -> JsonObject:
        return {
            "role": self.role,
            "model": self.model,
            "stage": self.stage,
            "looks": self.looks,
            "blockers": self.blockers,
            "accepted_blockers": self.accepted,
            "settled_warnings": self.settled,
            "cost_usd": usd_or_none(self.nano_usd),
            "cost_per_accepted_blocker_usd": usd_or_none(self.each),
        }


@dataclass(frozen=True, slots=True)
class SecondReviewer:
    """The phase-reviewer: what it found on its own, and what a merged turn could have missed."""

    looks: int = 0
    accepted: int = 0
    """Blockers of its own that were accepted."""
    apart: int = 0
    """Number of reviews in a separate turn, over all features."""
    missed: int = 0
    """Those of them with a blocker that had not been raised before."""
    quiet: int = 0
    """Number of separate reviews since the last of those."""

    def dump(self) -> JsonObject:
        return {
            "looks": self.looks,
            "accepted_blockers": self.accepted,
            "looks_apart": self.apart,
            "found_apart": self.missed,
            "looks_apart_since_last_find": self.quiet,
        }

    @property
    def words(self) -> str:
        """Empty if there were no separate reviews."""
        if not self.apart:
            return ""
        return (
            f"{SECOND}: {self.missed} of {self.apart} separate reviews found a blocker of its own, "
            f"which a merged panel may have missed; none in the last {self.quiet} "
            f'(review.panel "auto" merges the two at {ENOUGH_LOOKS})'
        )


@dataclass(frozen=True, slots=True)
class Reviewers:
    rows: tuple[YieldRow, ...]
    """By role, model and stage."""
    roles: tuple[YieldRow, ...]
    """By role alone."""
    advice: tuple[str, ...]
    origin: str
    second: SecondReviewer = SecondReviewer()

    @property
    def together(self) -> list[YieldRow]:
        """Rows grouped by role, roles in the order in which they first appear."""
        roles = [row.role for row in self.roles]
        return sorted(self.rows, key=lambda row: roles.index(row.role))

    def dump(self) -> JsonObject:
        return {
            "origin": self.origin,
            "rows": [row.dump() for row in self.rows],
            "roles": [row.dump() for row in self.roles],
            "advice": list(self.advice),
            "second_reviewer": self.second.dump(),
        }


def reviewers_page(found: Reviewers) -> list[RenderableType]:
    if not found.rows:
        return []
    several = len({row.model for row in found.rows}) > 1
    note = "each: cost per accepted blocker, that is one fixed and not dismissed"
    return [
        Text("reviewers", "bold"),
        _table(found.together, models=several),
        Text(f"{note} ({found.origin})", "dim"),
        *([Text(found.second.words, "dim")] if found.second.words else []),
        *(Text(f"advice: {words}", "yellow") for words in found.advice),
        Text(""),
    ]


def _table(rows: Sequence[YieldRow], *, models: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("reviewer", overflow="fold", max_width=ROLE_WIDTH)
    table.add_column("stage", overflow="fold", max_width=STAGE_WIDTH)
    for name in ("reviews", "blockers", "accepted", "cost", "each"):
        table.add_column(name, justify="right", no_wrap=True)
    previous = ""
    for row in rows:
        who = "" if row.role == previous and not models else row.role
        name = f"{who}\n{row.model}" if models else who
        table.add_row(
            Text(name), Text(row.stage), str(row.looks), str(row.blockers), str(row.accepted),
            dollars(row.nano_usd), dollars(row.each) if row.accepted else "",
        )  # fmt: skip
        previous = row.role
    return table
