"""The tables of `make bench-client`. IE: input-token equivalents, answers included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.arms import BY_NAME, UNUSED
from bench.client_run import CLAUDE, ClientResult
from bench.loop import INPUT_USD, OUTPUT_USD

OUTPUT_FACTOR = OUTPUT_USD / INPUT_USD
WIDTH = 30
EXACT = 1e-6


def equivalents(usage: dict[str, int]) -> float:
    written = 1.25 * usage["write_5m"] + 2 * usage["write_1h"]
    return usage["uncached"] + written + usage["read"] / 10 + OUTPUT_FACTOR * usage["output"]


def table(found: Sequence[ClientResult], lean: str, stock: str) -> Iterator[str]:
    yield "features through Claude Code, drawn agents; bills are simulated, shares are of the"
    yield f"baseline that was run for the same draw: {lean} and {stock} (base: first request)"
    yield (
        f"{'flow':<9}{'agents':<9}{'draw':>4}  {'arm':<{WIDTH}}{'k IE':>8}{'$':>8}{'calls':>7}"
        f"{'turns':>7}{'resumed':>9}{'of lean':>9}{'of stock':>9}{'blockers':>9}{'$ each':>8}"
        f"{'quotes':>9}{'base':>9}{'hours':>7}  2nd meter  ledger"
    )
    for one in found:
        if one.case.arm in BY_NAME:
            yield _line(one, found, lean, stock)
    yield from _means(found, lean, stock)
    yield from commit_lines(found)


def commit_lines(found: Sequence[ClientResult]) -> Iterator[str]:
    """Which state of the program the rows are of; one line where it is the same."""
    by_commit: dict[str, list[str]] = {}
    for one in found:
        client = "" if one.case.client == CLAUDE else f"{one.case.client} "
        name = f"{client}{one.case.flow} {one.case.kind} {one.case.seed} {one.case.arm}"
        by_commit.setdefault(one.commit or "not known", []).append(name)
    if len(by_commit) == 1:
        yield f"all rows are of commit {next(iter(by_commit))}"
        return
    usual = max(by_commit, key=lambda commit: len(by_commit[commit]))
    yield f"rows are of commit {usual}, but for"
    for commit, names in by_commit.items():
        if commit != usual:
            yield f"  commit {commit}: {'; '.join(names)}"


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
    yield "saves), one that is off until it has shown its worth is on (below 1: it would save);"
    yield "hour, trim and keep-alive can't differ here: one cache life, the client's own tools, and"
    yield "a counted clock on which nothing is kept warm"
    for lever, why in UNUSED.items():
        yield f"{lever.value}: {why}"
    for one in found:
        base = _same(one, found, arm)
        if one.case.arm.startswith(f"{arm}, ") and base is not None:
            share = equivalents(one.bill) / equivalents(base.bill)
            who = f"{one.case.flow}, {one.case.kind}, draw {one.case.seed}"
            cost = f"{equivalents(one.bill) / 1e3:>8,.0f}"
            yield f"  {who:<26}{one.case.arm:<30}{cost}{share:>8.3f}{_quality(one)}"


def _line(one: ClientResult, found: Sequence[ClientResult], lean: str, stock: str) -> str:
    cost = equivalents(one.bill)
    apart = equivalents(one.rebilled) / equivalents(one.usage) - 1
    verdict = "= bill" if one.agrees else "DIFFERS"
    done = "" if one.status == "completed" else f"  {one.status}"
    case, base = one.case, "/".join(f"{size / 1e3:.1f}" for size in one.base.values())
    return (
        f"{case.flow:<9}{case.kind:<9}{case.seed:>4}  {case.arm:<{WIDTH}}{cost / 1e3:>8,.0f}"
        f"{cost * INPUT_USD:>8.3f}{one.calls:>7}{one.dispatches:>7}{one.ways.get('resume', 0):>9}"
        f"{_share(one, found, lean)}{_share(one, found, stock)}{_quality(one)}{base:>9}"
        f"{one.hours:>7.1f}"
        f"{apart:>10.2%}  {verdict}{done}"
    )


def _quality(one: ClientResult) -> str:
    """Blockers that were accepted, what the run cost for each, quotes that verify."""
    told = one.report.get("quality")
    if not told:
        return f"{'–':>9}{'–':>8}{'–':>9}"
    each, quotes = told["cost_per_accepted_blocker_usd"], told["quotes"]
    cost = f"{each:.3f}" if each is not None else "–"
    share = f"{told['quotes_that_verify']}/{quotes}" if quotes else "–"
    return f"{told['accepted_blockers']:>9}{cost:>8}{share:>9}"


def report_table(found: Sequence[ClientResult], lean: str, stock: str) -> Iterator[str]:
    """What `sparing report` says of each run beside what was billed, and beside the naive run."""
    yield ""
    yield "what sparing report says of each run: its bill, and its estimate of the naive way beside"
    yield f"the {lean} (or {stock}) that was run for the same draw; what that work costs at least"
    yield (
        f"{'flow':<9}{'draw':>4}  {'arm':<{WIDTH}}{'billed $':>9}{'report $':>9}{'naive ran':>10}"
        f"{'estimate':>9}{'off by':>8}{'at least':>9}"
    )
    for one in found:
        naive = stock if one.case.arm == stock else lean
        told, base = one.report, _same(one, found, naive)
        if not told or told["cost_usd"] is None or base is None:
            continue
        ran, guess = equivalents(base.bill) * INPUT_USD, told["naive_usd"]
        off = f"{guess / ran - 1:+.1%}" if guess is not None else "–"
        least = told["could_not_be_saved"]
        yield (
            f"{one.case.flow:<9}{one.case.seed:>4}  {one.case.arm:<{WIDTH}}"
            f"{equivalents(one.bill) * INPUT_USD:>9.3f}{told['cost_usd']:>9.3f}{ran:>10.3f}"
            f"{guess or 0.0:>9.3f}{off:>8}{least or 0.0:>9.3f}"
        )


def disagreeing(found: Sequence[ClientResult]) -> list[str]:
    """Runs whose report says another bill than the double, or a bound above a bill or naive."""
    bad: list[str] = []
    for one in found:
        told = one.report
        if not told or told["cost_usd"] is None:
            continue
        billed, least = equivalents(one.bill) * INPUT_USD, told["could_not_be_saved"]
        others = [cost for cost in (told["cost_usd"], told["naive_usd"]) if cost is not None]
        if abs(told["cost_usd"] / billed - 1) > EXACT or (least and least > min(others)):
            bad.append(f"{one.case.flow} {one.case.seed} {one.case.arm}")
    return bad


def aim_lines(found: Sequence[ClientResult], lean: str, stock: str) -> Iterator[str]:
    """The aims of `bench/arms.py`, over the draws that were run with typical agents."""
    yield ""
    for arm in BY_NAME.values():
        wanted = (("feature", lean, arm.of_lean), ("feature", stock, arm.of_stock))
        wanted += tuple((flow, lean, arm.tiers) for flow in ("L1", "L2", "L3"))
        for flow, base, limit in wanted:
            own = [
                one
                for one in found
                if (one.case.flow, one.case.arm, one.case.kind) == (flow, arm.name, "typical")
                and _same(one, found, base)
            ]
            if limit and own:
                figure = float(_mean(own, found, base))
                word = "met   " if figure <= limit else "MISSED"
                draws = f"{len(own)} draw{'s' if len(own) > 1 else ''}"
                yield f"{word} {flow}, {arm.name}, {draws}: {figure} of {base} (aim ≤ {limit})"


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


def shares(found: Sequence[ClientResult], arm: str, flow: str, base: str) -> list[float]:
    """Of the base that was run for the same draw, draw by draw."""
    own = [one for one in found if (one.case.arm, one.case.flow) == (arm, flow)]
    pairs = [(one, same) for one in own if (same := _same(one, found, base))]
    return [equivalents(one.bill) / equivalents(same.bill) for one, same in pairs]


def _share(one: ClientResult, found: Sequence[ClientResult], arm: str) -> str:
    base = _same(one, found, arm)
    return f"{equivalents(one.bill) / equivalents(base.bill):>9.3f}" if base else f"{'–':>9}"


def _same(one: ClientResult, found: Sequence[ClientResult], arm: str) -> ClientResult | None:
    """The run of another arm for the same draw."""
    key = (one.case.flow, one.case.kind, one.case.seed, arm)
    known = ((x, (x.case.flow, x.case.kind, x.case.seed, x.case.arm)) for x in found)
    return next((other for other, its in known if its == key), None)
