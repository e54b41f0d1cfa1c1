"""A row for each client in `make bench-client`: one small feature, adaptive against lean naive.

Every client is the real one, with the double of its vendor's API behind it. Lean naive is run on
the same client, so a share says what Sparing's prompts and sessions are worth there; what its own
tools save against a client's tools is in the table of Claude Code. Tokens are as the double
counts them, dollars by the price list.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.arms import LEAN
from bench.client_run import MODEL, MODELS, Case, ClientResult
from bench.client_tables import EXACT, commit_lines
from sparing.economy.prices import cost_usd
from sparing.usage import Usage

CLIENTS = ("claude", "codex", "api", "gemini", "opencode")
ADAPTIVE = "adaptive"
ARMS = {LEAN: {"review.policy": "naive"}, ADAPTIVE: {"review.policy": "adaptive"}}
OWN_TOOLS = {"claude": {"economy.tools": "own"}}
"""Of clients that leave the choice; the others have Sparing's tools only."""
FLOW, KIND = "L3", "light"
PROGRAMS = Path(__file__).parent.parent / ".clients" / "node_modules" / ".bin"


def row_cases(clients: Sequence[str] = CLIENTS) -> Iterator[Case]:
    for client in clients:
        for arm, told in ARMS.items():
            own = OWN_TOOLS.get(client, {}) if arm == ADAPTIVE else {}
            yield Case(
                arm=arm, flow=FLOW, kind=KIND, seed=1, settings={**told, **own}, client=client
            )


def is_row(case: Case) -> bool:
    """Whether it is a run for the table of clients; the other table has other arms and agents."""
    return (case.flow, case.kind) == (FLOW, KIND) and case.arm in ARMS


def in_order(found: Sequence[ClientResult]) -> list[ClientResult]:
    arms = list(ARMS)
    return sorted(found, key=lambda x: (CLIENTS.index(x.case.client), arms.index(x.case.arm)))


def find_programs() -> None:
    """Clients that `make clients` has installed go before others."""
    os.environ["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"


def row_table(found: Sequence[ClientResult]) -> Iterator[str]:
    yield f"one feature ({FLOW}, {KIND} agents, draw 1) through each real client; tokens as the"
    yield "double counts them, bills simulated by list prices; shares: of lean naive there;"
    yield "estimate: by how much the naive way in sparing report is off the one that ran"
    yield (
        f"{'client':<10}{'model':<18}{'arm':<12}{'k in':>7}{'cached':>8}{'k out':>7}{'$':>8}"
        f"{'calls':>7}{'turns':>7}{'resumed':>9}{'of lean':>9}{'estimate':>10}{'2nd meter':>11}"
        "  ledger"
    )
    for one in found:
        yield _line(one, found)
    yield from commit_lines(found)


def dollars(one: ClientResult) -> float | None:
    """By the price list; None where the model is in none."""
    price = cost_usd(model_of(one.case), Usage(**one.bill), {})
    return None if price is None else float(price)


def model_of(case: Case) -> str:
    return MODELS.get(case.client, MODEL)


def share(one: ClientResult, found: Sequence[ClientResult]) -> float | None:
    mine, theirs = dollars(one), _naive(one, found)
    return mine / theirs if mine is not None and theirs else None


def untrue(one: ClientResult) -> bool:
    """Its report says another bill, or a bound above it."""
    told, cost = one.report, dollars(one)
    if not told or cost is None:
        return False
    least = told["could_not_be_saved"] or 0.0
    return abs(told["cost_usd"] / cost - 1) > EXACT or least > cost * (1 + EXACT)


def _naive(one: ClientResult, found: Sequence[ClientResult]) -> float | None:
    same = (x for x in found if (x.case.client, x.case.arm) == (one.case.client, LEAN))
    base = next(same, None)
    return dollars(base) if base else None


def _estimate(one: ClientResult, found: Sequence[ClientResult]) -> str:
    told, ran = one.report.get("naive_usd"), _naive(one, found)
    return f"{told / ran - 1:+.1%}" if told and ran else "–"


def _line(one: ClientResult, found: Sequence[ClientResult]) -> str:
    bill, case = Usage(**one.bill), one.case
    cost, part = dollars(one), share(one, found)
    apart = Usage(**one.rebilled).total / Usage(**one.usage).total - 1
    money = "unknown" if cost is None else f"{cost:.3f}"
    return (
        f"{case.client:<10}{model_of(case):<18}{case.arm:<12}{bill.input / 1e3:>7.0f}"
        f"{bill.read / bill.input:>8.0%}{bill.output / 1e3:>7.1f}{money:>8}{one.calls:>7}"
        f"{one.dispatches:>7}{one.ways.get('resume', 0):>9}"
        f"{'–' if part is None else f'{part:.3f}':>9}{_estimate(one, found):>10}{apart:>11.2%}"
        f"  {'= bill' if one.agrees else 'DIFFERS'}"
    )
