"""Charts of a run: the data, their units, and how the figures were obtained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sparing.report.drawing import (
    BLUE,
    COLOURS,
    GREY,
    PALE_GREEN,
    PALE_RED,
    RED,
    drawn,
    money,
)
from sparing.report.figures import Report
from sparing.report.turns import ReportedTurn
from sparing.usage import Usage

MOST_ROLES = 7
LONGEST_PAUSE = 900.0
STAGE_ROOM = 0.1
BUCKETS = (
    ("read from the cache", "read", PALE_GREEN),
    ("written, five minutes", "write_5m", "#2a6f97"),
    ("written, one hour", "write_1h", "#17415a"),
    ("sent uncached", "uncached", "#b8c4cc"),
    ("answered", "output", "#d98c3f"),
)


class Chart(NamedTuple):
    title: str
    note: str
    """What is shown, in which unit, and how the figures were obtained."""
    svg: str


CHARTS: tuple[str, ...] = ("spend", "tokens", "loops", "predictions", "limits")


def charts(report: Report) -> tuple[Chart, ...]:
    """All charts that have something to show."""
    made = (chart_named(report, name) for name in CHARTS)
    return tuple(chart for chart in made if chart is not None)


def chart_named(report: Report, name: str) -> Chart | None:
    """One of `CHARTS`; None if it has nothing to show."""
    drawers = (_spend, _tokens, _loops, _predictions, _limits)
    return dict(zip(CHARTS, drawers, strict=True))[name](report)


def _spend(report: Report) -> Chart | None:
    """Total spending up to each turn, by role."""
    turns = [turn for turn in report.turns if turn.cost_usd is not None]
    if not turns:
        return None
    roles, at = _largest(turns), _minutes(turns)

    def draw(axes: Any) -> None:
        sums = dict.fromkeys(roles, 0.0)
        layers: list[list[float]] = [[] for _ in roles]
        for turn in turns:
            sums[turn.role if turn.role in sums else roles[-1]] += turn.cost_usd or 0
            for layer, role in zip(layers, roles, strict=True):
                layer.append(sums[role])
        # The last sums need some width to be seen.
        ends = [*at, at[-1] + max(0.5, at[-1] * 0.04)]
        areas = [[*layer, layer[-1]] for layer in layers]
        axes.stackplot(ends, areas, labels=roles, colors=COLOURS, step="post")
        naive = _naive(turns)
        if naive:
            steps = [*naive, naive[-1]]
            axes.step(ends, steps, color=RED, linestyle="--", where="post", label="naive prompting")
        axes.set_xlabel("minutes since the first turn")
        axes.set_ylabel("added up")
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.yaxis.set_major_formatter(money)
        _mark_stages(axes, turns, at)

    note = (
        f"Cost: {report.spending.origin}. Naive prompting: the same turns, each from scratch with "
        "every document in full; simulated. Pauses of more than 15 minutes are drawn as 15."
    )
    return Chart("Spend over time, by role", note, drawn(draw, "spend", 3.9, stacked=True))


def _mark_stages(axes: Any, turns: Sequence[ReportedTurn], at: Sequence[float]) -> None:
    """Label the start of each stage, as long as there is room for the names."""
    begins: dict[str, float] = {}
    for turn, end in zip(turns, at, strict=True):
        begins.setdefault(turn.stage, max(0.0, end - turn.seconds / 60))
    room = at[-1] * STAGE_ROOM
    last = -room
    for stage, begin in begins.items():
        axes.axvline(begin, color=GREY, linewidth=0.6, linestyle=":")
        if begin - last >= room:
            place = axes.get_xaxis_transform()
            axes.text(begin, 1.01, f" {stage}", transform=place, fontsize=8, color=GREY)
            last = begin


def _largest(turns: Sequence[ReportedTurn]) -> list[str]:
    """Roles by spending; the smallest are combined into one."""
    sums: dict[str, float] = {}
    for turn in turns:
        sums[turn.role] = sums.get(turn.role, 0) + (turn.cost_usd or 0)
    names = sorted(sums, key=lambda role: -sums[role])
    return names if len(names) <= MOST_ROLES + 1 else [*names[:MOST_ROLES], "all others"]


def _minutes(turns: Sequence[ReportedTurn]) -> list[float]:
    """When each turn ended; long pauses, in which nothing is spent, are shortened."""
    at, before, found = 0.0, turns[0].started, list[float]()
    for turn in turns:
        end = turn.started + turn.seconds
        at += min(max(0.0, end - before), turn.seconds + LONGEST_PAUSE)
        before = max(before, end)
        found.append(at / 60)
    return found


def _naive(turns: Sequence[ReportedTurn]) -> list[float]:
    """Cumulative naive cost; empty if a price is unknown."""
    found, whole = list[float](), 0.0
    for turn in turns:
        if turn.naive_usd is None:
            return []
        whole += turn.naive_usd
        found.append(whole)
    return found


def _tokens(report: Report) -> Chart | None:
    """Tokens of each stage by cache outcome."""
    stages = list(dict.fromkeys(row.stage for row in report.spending.rows))
    used = {
        stage: sum((row.usage for row in report.spending.rows if row.stage == stage), Usage())
        for stage in stages
    }
    bars = {
        **used,
        "all": report.spending.usage,
        "all, naive prompting": report.spending.naive_usage,
    }
    if not report.spending.usage.total:
        return None

    def draw(axes: Any) -> None:
        names = list(bars)[::-1]
        left = [0.0] * len(names)
        for label, bucket, colour in BUCKETS:
            sizes = [getattr(bars[name], bucket) / 1000 for name in names]
            if any(sizes):
                axes.barh(names, sizes, left=left, color=colour, label=label, height=0.7)
                left = [before + size for before, size in zip(left, sizes, strict=True)]
        axes.set_xlabel("thousand tokens")
        axes.grid(visible=False, axis="y")

    note = (
        f"Tokens of all calls: {report.spending.origin}; naive prompting is simulated. Tokens read "
        "from the cache cost about a tenth, output tokens five times as much."
    )
    return Chart("Tokens by cache outcome", note, drawn(draw, "tokens", _high(len(bars))))


def _loops(report: Report) -> Chart | None:
    """The cost of every turn of each role that was asked more than once."""
    groups: dict[str, list[ReportedTurn]] = {}
    for turn in report.turns:
        if turn.cost_usd is not None and not turn.task:
            groups.setdefault(f"{turn.stage}: {turn.role}", []).append(turn)
    loops = {name: turns for name, turns in groups.items() if len(turns) > 1}
    if not loops:
        return None

    def draw(axes: Any) -> None:
        names = list(loops)[::-1]
        for number in range(max(map(len, loops.values()))):
            costs = [_cost(loops[name], number) for name in names]
            left = [sum(_cost(loops[name], before) for before in range(number)) for name in names]
            label = f"turn {number + 1}" if number < len(COLOURS) else None
            colour = COLOURS[number % len(COLOURS)]
            places = [place + 0.18 for place in range(len(names))]
            axes.barh(places, costs, 0.34, left=left, color=colour, label=label)
        naive = [sum(turn.naive_usd or 0 for turn in loops[name]) for name in names]
        places = [place - 0.18 for place in range(len(names))]
        axes.barh(places, naive, 0.34, color=PALE_RED, label="naive prompting")
        axes.set_yticks(range(len(names)), names)
        axes.xaxis.set_major_formatter(money)
        axes.grid(visible=False, axis="y")

    note = f"Cost of each turn: {report.spending.origin}. Naive prompting: simulated."
    return Chart("Loop by loop", note, drawn(draw, "loops", _high(len(loops) * 1.4 + 1)))


def _cost(turns: Sequence[ReportedTurn], number: int) -> float:
    return (turns[number].cost_usd or 0) if number < len(turns) else 0.0


def _predictions(report: Report) -> Chart | None:
    """One point per turn: on the line, the prediction was right."""
    turns = [turn for turn in report.turns if turn.predicted_usd and turn.cost_usd]
    if not turns:
        return None

    def draw(axes: Any) -> None:
        ways = list(dict.fromkeys(turn.way for turn in turns))
        for way, colour in zip(ways, COLOURS, strict=False):
            own = [turn for turn in turns if turn.way == way]
            axes.scatter(
                [turn.predicted_usd for turn in own], [turn.cost_usd for turn in own],
                color=colour, label=way, s=28, alpha=0.8, edgecolor="white", linewidth=0.5,
            )  # fmt: skip
        pairs = [(turn.predicted_usd or 0, turn.cost_usd or 0) for turn in turns]
        ends = [min(map(min, pairs)) / 1.5, max(map(max, pairs)) * 1.5]
        axes.plot(ends, ends, color=GREY, linewidth=1, label="as predicted")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("predicted (estimated)")
        axes.set_ylabel(f"billed ({report.spending.origin})")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(money)
            axis.set_minor_formatter(_blank)

    note = (
        "One point per turn; below the line a turn cost less than predicted. Until a role has "
        "worked once, its turns are expected to be as long as usual."
    )
    return Chart("Predicted and actual cost", note, drawn(draw, "predictions"))


def _limits(report: Report) -> Chart | None:
    """The run among the strategies it is compared with."""
    economy = report.economy
    if economy is None or not economy.turns:
        return None
    bars = [
        *((f"{one.name} ({one.origin})", one.cost, PALE_RED) for one in economy.ladders),
        (f"this run ({economy.origin})", economy.billed, BLUE),
        ("best choices in hindsight (simulated)", economy.best, GREY),
        ("lower bound (simulated)", economy.bound, PALE_GREEN),
    ]

    def draw(axes: Any) -> None:
        names, costs, colours = zip(*reversed(bars), strict=True)
        shown = axes.barh(names, costs, color=colours, height=0.62)
        labels = [f"{economy.amount(cost)}, {cost / economy.billed:.2f} ×" for cost in costs]
        axes.bar_label(shown, labels, padding=4)
        if economy.in_money:
            axes.xaxis.set_major_formatter(money)
        else:
            axes.set_xlabel(economy.unit)
        axes.margins(x=0.18)
        axes.grid(visible=False, axis="y")

    note = (
        "The same work; × is a multiple of this run's cost. The lower bound ignores order and "
        "time: every token is written once and read from then on."
    )
    return Chart("Distance from the lower bound", note, drawn(draw, "limits", _high(len(bars))))


def _blank(_amount: float, _: int) -> str:
    """No labels between powers of ten: there is no room for them."""
    return ""


def _high(bars: float) -> float:
    return max(2.2, 1.2 + 0.36 * bars)
