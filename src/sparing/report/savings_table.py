"""What was saved and by what, against two baselines, and how much was left to save.

Takes values, reads nothing. Amounts are dollars, or input tokens where a model has no price; a
saving is a positive amount. Every one says how it came about, every share what it is a part of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.report.baseline import WHAT_IT_IS
from sparing.report.spending import tokens

WORDS_WIDTH = 50


class BaselineName(NamedTuple):
    name: str
    words: str


BASELINES = {
    "naive": BaselineName("lean naive on the same client", WHAT_IT_IS),
    "seed": BaselineName(
        "policy seed", "documents by path; a session is resumed unless the change is long"
    ),
}
MINUS = "−"
SAME = 0.005
"""Costs that differ by less are called equal."""


class SavingRow(NamedTuple):
    lever: str
    words: str
    saved: float
    origin: str


class LadderRow(NamedTuple):
    """From a baseline to the run, a lever at a time."""

    baseline: str
    cost: float
    origin: str
    steps: tuple[SavingRow, ...]

    @property
    def name(self) -> str:
        return BASELINES[self.baseline].name

    @property
    def words(self) -> str:
        return BASELINES[self.baseline].words


@dataclass(frozen=True, slots=True)
class Economy:
    turns: int
    left_out: int
    """Turns that can't be replayed: their end or their calls are not known."""
    in_money: bool
    origin: str
    """Of the bill."""
    billed: float
    replayed: float
    """The same turns by the rules of the cache."""
    naive: LadderRow
    seed: LadderRow | None
    beyond: tuple[SavingRow, ...]
    typed: float
    bound: float
    best: float
    """Each turn the way that turned out to be the cheapest."""
    exact: bool
    untold: tuple[str, ...] = ()
    """Levers in use of which one run can't tell what they are worth."""
    off: dict[str, str] = field(default_factory=dict[str, str])
    """Levers that were not in use, and why."""

    @property
    def ladders(self) -> tuple[LadderRow, ...]:
        return (self.naive, self.seed) if self.seed else (self.naive,)

    @property
    def unexplained(self) -> float:
        """What the bill has above the replay: where it is not zero, the cache did otherwise."""
        return self.billed - self.replayed

    @property
    def differs(self) -> bool:
        return abs(self.unexplained) > SAME * self.billed

    @property
    def over_bound(self) -> float | None:
        return self.billed / self.bound if self.bound else None

    def amount(self, value: float, *, signed: bool = False) -> str:
        sign = "" if not signed else MINUS if value < 0 else "+"
        size = abs(value)
        if not self.in_money:
            return f"{sign}{tokens(round(size))}"
        return f"{sign}${size:,.2f}" if size >= 1 else f"{sign}${size:.3f}"

    def share(self, saved: float, ladder: LadderRow) -> str:
        """Of what the baseline costs; what makes a run cheaper has a minus."""
        if not ladder.cost:
            return ""
        part = round(100 * saved / ladder.cost)
        return f"{part:+d} %".replace("-", MINUS) if part else "0 %"

    @property
    def unit(self) -> str:
        return "US dollars" if self.in_money else "as many input tokens as would cost as much"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the figures."""
        told = [
            "a minus is saved, a plus was spent more; each share is of what its baseline costs",
            "simulated: the turns made the calls they made, only prompts and sessions differ",
            "estimated: they would have made other calls too, which is a guess",
        ]
        if self.left_out:
            one = self.left_out == 1
            turns = (
                "1 turn can't be replayed and is"
                if one
                else (f"{self.left_out} turns can't be replayed and are")
            )
            told.append(f"{turns} in none of these figures")
        if self.untold:
            told.append(f"in use, but one run can't tell what it saved: {', '.join(self.untold)}")
        told += [f"not in use: {lever}, {why}" for lever, why in self.off.items()]
        if not self.in_money:
            told.append("a model has no price: figures are input tokens that would cost as much")
        return tuple(told)

    def dump(self) -> JsonObject:
        return {
            "unit": "usd" if self.in_money else "input tokens",
            "turns": self.turns,
            "turns_left_out": self.left_out,
            "billed": {"value": self.billed, "origin": self.origin},
            "replayed": {"value": self.replayed, "origin": "simulated"},
            "against": [_dumped(ladder) for ladder in self.ladders],
            "beyond": [one._asdict() for one in self.beyond],
            "prompts_typed_by_a_model": {"value": self.typed, "origin": "estimated"},
            "lower_bound": {"value": self.bound, "origin": "simulated"},
            "best_in_hindsight": {"value": self.best, "origin": "simulated", "exact": self.exact},
            "levers_not_told_apart": list(self.untold),
            "levers_off": self.off,
        }


def _dumped(ladder: LadderRow) -> JsonObject:
    return {
        "baseline": ladder.baseline,
        "words": ladder.words,
        "value": ladder.cost,
        "origin": ladder.origin,
        "levers": [one._asdict() for one in ladder.steps],
    }


def limit_lines(economy: Economy) -> tuple[str, ...]:
    """How good that is: the bound, and what hindsight would have chosen."""
    lines: list[str] = []
    if economy.over_bound is not None:
        lines.append(
            f"The lower bound for the work that was done is {economy.amount(economy.bound)}"
            " (simulated), below every strategy that is compared here: this run cost"
            f" {economy.over_bound:.2f} times as much. It knows neither order nor time, so no run"
            " can reach it."
        )
    if economy.best:
        worse = economy.replayed / economy.best - 1
        how = "" if economy.exact else ", each turn looked at by itself"
        choice = "as the run chose" if abs(worse) < SAME else f"{100 * worse:.1f} % below the run"
        best = f"{economy.amount(economy.best)} (simulated{how})"
        lines.append(f"The best choices in hindsight: {best}, {choice}.")
    if economy.typed:
        lines.append(
            "A model that types every prompt, as the original has it, would add at least"
            f" {economy.amount(economy.typed)} of answers (estimated)."
        )
    return tuple(lines)


def ladder_table(economy: Economy, ladder: LadderRow) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(overflow="fold", width=WORDS_WIDTH)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_row(Text(ladder.name, "bold"), economy.amount(ladder.cost), "", ladder.origin)
    for step in ladder.steps:
        table.add_row(
            Text(f"  {step.words}"), economy.amount(-step.saved, signed=True),
            economy.share(-step.saved, ladder), step.origin,
        )  # fmt: skip
    if economy.differs:
        table.add_row(
            Text("  cache effects beyond the published rules"),
            economy.amount(economy.unexplained, signed=True),
            economy.share(economy.unexplained, ladder), economy.origin,
        )  # fmt: skip
    whole = economy.billed - ladder.cost
    share = economy.share(whole, ladder)
    table.add_row(Text("this run"), economy.amount(economy.billed), share, economy.origin)
    return table


def savings_page(economy: Economy) -> list[RenderableType]:
    parts: list[RenderableType] = [Text("what was saved, and by what", "bold")]
    for ladder in economy.ladders:
        parts += [ladder_table(economy, ladder), Text("")]
    for step in economy.beyond:
        spared = economy.amount(step.saved)
        parts.append(Text(f"beside that, {step.words}: about {spared} ({step.origin})"))
    parts += [Text(f"{one.name}: {one.words}", "dim") for one in economy.ladders]
    parts += [Text(note, "dim") for note in economy.notes]
    parts += [Text(""), Text("how good that is", "bold")]
    parts += [Text(line) for line in limit_lines(economy)]
    return parts


def joined(many: Sequence[Economy]) -> Economy | None:
    """Several features as one; those without a price are left out of money."""
    if not many:
        return None
    money = [one for one in many if one.in_money]
    used = money or list(many)
    without = sum(one.turns for one in many if one not in used)
    seeds = [one.seed for one in used if one.seed]
    return Economy(
        turns=sum(one.turns for one in used),
        left_out=sum(one.left_out for one in many) + without,
        in_money=bool(money),
        origin=" and ".join(sorted({word for one in used for word in one.origin.split(" and ")})),
        billed=sum(one.billed for one in used),
        replayed=sum(one.replayed for one in used),
        naive=_ladder([one.naive for one in used]),
        seed=_ladder(seeds) if len(seeds) == len(used) else None,
        beyond=_steps([step for one in used for step in one.beyond]),
        typed=sum(one.typed for one in used),
        bound=sum(one.bound for one in used),
        best=sum(one.best for one in used),
        exact=all(one.exact for one in used),
        untold=tuple(dict.fromkeys(name for one in used for name in one.untold)),
        off={lever: why for one in used for lever, why in one.off.items()},
    )


def _ladder(many: Sequence[LadderRow]) -> LadderRow:
    first = many[0]
    steps = _steps([step for one in many for step in one.steps])
    return LadderRow(first.baseline, sum(one.cost for one in many), first.origin, steps)


def _steps(many: Sequence[SavingRow]) -> tuple[SavingRow, ...]:
    found: dict[str, SavingRow] = {}
    for step in many:
        before = found.get(step.lever)
        found[step.lever] = step._replace(saved=step.saved + (before.saved if before else 0))
    return tuple(found.values())
