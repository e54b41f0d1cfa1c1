"""The tables of `make bench-client`. IE: input-token equivalents, answers included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.arms import BY_NAME
from bench.client_run import ClientResult
from bench.loop import INPUT_USD, OUTPUT_USD

OUTPUT_FACTOR = OUTPUT_USD / INPUT_USD
WIDTH = 30


def equivalents(usage: dict[str, int]) -> float:
    written = 1.25 * usage["write_5m"] + 2 * usage["write_1h"]
    return usage["uncached"] + written + usage["read"] / 10 + OUTPUT_FACTOR * usage["output"]


def table(found: Sequence[ClientResult], lean: str, stock: str) -> Iterator[str]:
    yield "features through Claude Code, drawn agents; bills are simulated, shares are of the"
    yield f"baseline that was run for the same draw: {lean} and {stock} (base: first request)"
    yield (
        f"{'flow':<9}{'agents':<9}{'draw':>4}  {'arm':<{WIDTH}}{'k IE':>8}{'$':>8}{'calls':>7}"
        f"{'turns':>7}{'resumed':>9}{'of lean':>9}{'of stock':>9}{'base':>9}{'hours':>7}"
        "  2nd meter  ledger"
    )
    for one in found:
        if one.case.arm in BY_NAME:
            yield _line(one, found, lean, stock)
    yield from _means(found, lean, stock)


def role_table(found: Sequence[ClientResult], lean: str) -> Iterator[str]:
    yield ""
    yield f"k IE by role, and of {lean} for the same draw"
    for one in found:
        base = _same(one, found, lean)
        if base is None or one is base:
            continue
        yield f"{one.case.flow}, draw {one.case.seed}, {one.case.arm}"
        for role, usage in sorted(one.roles.items(), key=lambda pair: -equivalents(pair[1])):
            before = base.roles.get(role)
            share = f"{equivalents(usage) / equivalents(before):>8.3f}" if before else "       –"
            yield f"  {role:<28}{equivalents(usage) / 1e3:>8,.0f}{share}"


def lever_table(found: Sequence[ClientResult], arm: str) -> Iterator[str]:
    """What each lever is worth: the run without it against the run with all."""
    yield ""
    yield f"each lever switched alone, against {arm} as it is: one in use is off (no-…; above 1: it"
    yield "saves), one that is off until it has shown its worth is on (below 1: it would save)"
    for one in found:
        base = _same(one, found, arm)
        if one.case.arm.startswith(f"{arm}, ") and base is not None:
            share = equivalents(one.bill) / equivalents(base.bill)
            yield f"  {one.case.arm:<28}{equivalents(one.bill) / 1e3:>8,.0f}{share:>8.3f}"


def _line(one: ClientResult, found: Sequence[ClientResult], lean: str, stock: str) -> str:
    cost = equivalents(one.bill)
    apart = equivalents(one.rebilled) / equivalents(one.usage) - 1
    verdict = "= bill" if one.agrees else "DIFFERS"
    done = "" if one.status == "completed" else f"  {one.status}"
    case, base = one.case, "/".join(f"{size / 1e3:.1f}" for size in one.base.values())
    return (
        f"{case.flow:<9}{case.kind:<9}{case.seed:>4}  {case.arm:<{WIDTH}}{cost / 1e3:>8,.0f}"
        f"{cost * INPUT_USD:>8.3f}{one.calls:>7}{one.dispatches:>7}{one.ways.get('resume', 0):>9}"
        f"{_share(one, found, lean)}{_share(one, found, stock)}{base:>9}{one.hours:>7.1f}"
        f"{apart:>10.2%}  {verdict}{done}"
    )


def _means(found: Sequence[ClientResult], lean: str, stock: str) -> Iterator[str]:
    """Over the draws of a flow that has several."""
    for flow, arm in dict.fromkeys((one.case.flow, one.case.arm) for one in found):
        own = [one for one in found if (one.case.flow, one.case.arm) == (flow, arm)]
        if len(own) > 1:
            cost = sum(equivalents(one.bill) for one in own) / len(own)
            shares = [f"{_mean(own, found, name):>9}" for name in (lean, stock)]
            calls = sum(one.calls for one in own) / len(own)
            yield (
                f"{flow:<9}{'':<9}mean  {arm:<{WIDTH}}{cost / 1e3:>8,.0f}"
                f"{cost * INPUT_USD:>8.3f}{calls:>7.0f}{'':>16}{''.join(shares)}"
            )


def _mean(own: Sequence[ClientResult], found: Sequence[ClientResult], arm: str) -> str:
    pairs = [(one, base) for one in own if (base := _same(one, found, arm))]
    if len(pairs) < len(own):
        return "–"
    cost = sum(equivalents(one.bill) for one, _ in pairs)
    return f"{cost / sum(equivalents(base.bill) for _, base in pairs):.3f}"


def _share(one: ClientResult, found: Sequence[ClientResult], arm: str) -> str:
    base = _same(one, found, arm)
    return f"{equivalents(one.bill) / equivalents(base.bill):>9.3f}" if base else f"{'–':>9}"


def _same(one: ClientResult, found: Sequence[ClientResult], arm: str) -> ClientResult | None:
    """The run of another arm for the same draw."""
    key = (one.case.flow, one.case.kind, one.case.seed, arm)
    known = ((x, (x.case.flow, x.case.kind, x.case.seed, x.case.arm)) for x in found)
    return next((other for other, its in known if its == key), None)
