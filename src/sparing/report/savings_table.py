"""What was saved and how, against two baselines, and how much was left to save.

Takes values, reads nothing. Amounts are dollars, or input tokens if a model has no price; a saving
is a positive amount. Each says how it was obtained, and each share what it is a part of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.percent import percent
from sparing.report.baseline import WHAT_IT_IS
from sparing.report.plain_words import lever_words
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
"""Relative difference below which costs are called equal."""


class SavingRow(NamedTuple):
    lever: str
    words: str
    saved: float
    origin: str


class LadderRow(NamedTuple):
    """The steps from a baseline to the run, one lever at a time."""

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
    """Origin of the bill."""
    billed: float
    replayed: float
    """Cost of the same turns according to the cache rules."""
    naive: LadderRow
    seed: LadderRow | None
    beyond: tuple[SavingRow, ...]
    typed: float
    bound: float
    best: float
    """Cost if each turn had been sent in the way that turned out cheapest."""
    exact: bool
    untold: tuple[str, ...] = ()
    """Levers in use whose value can't be derived from one run."""
    off: dict[str, str] = field(default_factory=dict[str, str])
    """Levers that were not in use, and why."""

    @property
    def ladders(self) -> tuple[LadderRow, ...]:
        return (self.naive, self.seed) if self.seed else (self.naive,)

    @property
    def unexplained(self) -> float:
        """Bill minus replay: if it is not zero, the cache behaved differently than the rules."""
        return self.billed - self.replayed

    @property
    def differs(self) -> bool:
        return abs(self.unexplained) > SAME * self.billed

    @property
    def over_bound(self) -> float | None:
        return self.billed / self.bound if self.bound else None

    def amount(self, value: float, *, signed: bool = False) -> str:
        size = abs(value)
        if self.in_money:
            shown, nothing = f"${size:,.2f}" if size >= 1 else f"${size:.3f}", "$0.000"
        else:
            shown, nothing = tokens(round(size)), "0"
        sign = "" if not signed or shown == nothing else MINUS if value < 0 else "+"
        return f"{sign}{shown}"

    def share(self, saved: float, ladder: LadderRow) -> str:
        """Share of the baseline's cost, signed; a minus means that the run was cheaper."""
        if not ladder.cost:
            return ""
        part = round(100 * saved / ladder.cost)
        return f"{part:+d} %".replace("-", MINUS) if part else "0 %"

    @property
    def unit(self) -> str:
        return "US dollars" if self.in_money else "input tokens that would cost as much"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about the figures."""
        told = [
            "minus: saved; plus: spent in addition; each share is of its baseline's cost",
            "simulated: the turns made the same calls, only prompts and sessions differ",
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
            names = ", ".join(map(lever_words, self.untold))
            told.append(f"switched on, but one run can't tell what it saved: {names}")
        told += [f"not in use: {lever_words(lever)}, {why}" for lever, why in self.off.items()]
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
    """How good the result is: the lower bound, and what hindsight would have chosen."""
    lines: list[str] = []
    if economy.over_bound is not None:
        lines.append(
            f"The lower bound for the work that was done is {economy.amount(economy.bound)}"
            " (simulated), below every strategy that is compared here: this run cost"
            f" {economy.over_bound:.2f} times as much. It ignores order and time, "
            "so no run can reach it."
        )
    if economy.best:
        less = 1 - economy.best / economy.replayed if economy.replayed else 0.0
        how = "" if economy.exact else ", each turn on its own"
        run = "the run"
        if economy.differs:
            run += f" by the published cache rules, {economy.amount(economy.replayed)}"
        choice = "as the run chose" if abs(less) < SAME else f"{percent(less, 1)} below {run}"
        best = f"{economy.amount(economy.best)} (simulated{how})"
        lines.append(f"The best choices in hindsight: {best}, {choice}.")
    if economy.typed:
        lines.append(
            "If a model wrote every prompt, as in the original workflow, that would add at least"
            f" {economy.amount(economy.typed)} of output (estimated)."
        )
    return tuple(lines)


def ladder_table(economy: Economy, ladder: LadderRow) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    # Padded, so that ladders are aligned; on a narrow screen the words give way, no figure does.
    table.add_row(
        Text(ladder.name.ljust(WORDS_WIDTH), "bold"), economy.amount(ladder.cost), "", ladder.origin
    )
    for step in ladder.steps:
        table.add_row(
            _indented(step.words), economy.amount(-step.saved, signed=True),
            economy.share(-step.saved, ladder), step.origin,
        )  # fmt: skip
    if economy.differs:
        table.add_row(
            _indented("cache effects beyond the published rules"),
            economy.amount(economy.unexplained, signed=True),
            economy.share(economy.unexplained, ladder), economy.origin,
        )  # fmt: skip
    whole = economy.billed - ladder.cost
    share = economy.share(whole, ladder)
    table.add_row(Text("this run"), economy.amount(economy.billed), share, economy.origin)
    return table


def _indented(words: str) -> Padding:
    """Indented in every line of a narrow cell, not only in the first."""
    return Padding(Text(words), (0, 0, 0, 2), expand=False)


def savings_page(economy: Economy) -> list[RenderableType]:
    parts: list[RenderableType] = [Text("what was saved, and by what", "bold")]
    for ladder in economy.ladders:
        parts += [ladder_table(economy, ladder), Text("")]
    for step in economy.beyond:
        spared = economy.amount(step.saved)
        parts.append(Text(f"in addition, {step.words}: about {spared} ({step.origin})"))
    parts += [Text(f"{one.name}: {one.words}", "dim") for one in economy.ladders]
    parts += [Text(note, "dim") for note in economy.notes]
    parts += [Text(""), Text("how good that is", "bold")]
    parts += [Text(line) for line in limit_lines(economy)]
    return parts


def joined(many: Sequence[Economy]) -> Economy | None:
    """Several features combined; those without a price are left out of amounts in money."""
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
    origin = next((one.origin for one in many if one.origin == "estimated"), first.origin)
    return LadderRow(first.baseline, sum(one.cost for one in many), origin, steps)


def _steps(many: Sequence[SavingRow]) -> tuple[SavingRow, ...]:
    found: dict[str, SavingRow] = {}
    for step in many:
        before = found.get(step.lever)
        found[step.lever] = step._replace(saved=step.saved + (before.saved if before else 0))
    return tuple(found.values())
