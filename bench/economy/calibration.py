"""The same draws through the real client and in process: by how much does the grid flatter?

`make bench-client` leaves a file a run in `bench/out/client`: what was run, and the bill. Its clock
is a counted one, on which the program keeps no session warm; so that lever is off here as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from bench.arms import ARMS, CLIENT_TOOLS, STOCK, Arm
from bench.economy.draws import composer_of, rates
from bench.economy.measure import NAIVE, run
from bench.economy.parameters import PauseName
from bench.economy.prompts import Composer
from bench.economy.strategy import client_of, strategy_of
from sparing.dispatch_policy import Lever
from sparing.double.agent_kinds import AgentKind
from sparing.records.totals import RESUME_CHECK
from sparing.usage import Usage

CLIENT = Path(__file__).parent.parent / "out" / "client"
NEAR = 0.05
OTHERS = (NAIVE, STOCK, "seed")
ONCE = RESUME_CHECK
"""What is paid once per version of the client, and not by each feature: left out here."""
NOT_RUN = (
    "the real client: not run here (make bench-client, then python -m bench.economy --stored)\n"
)


class Case(NamedTuple):
    flow: str
    kind: str
    seed: int


class Pair(NamedTuple):
    """One arm of one draw, in input-token equivalents."""

    case: Case
    arm: str
    client: float
    here: float
    client_calls: int
    here_calls: int


class Billed(NamedTuple):
    equivalents: float
    calls: int


def read_client(folder: Path = CLIENT) -> dict[Case, dict[str, Billed]]:
    """By draw and arm; what is no run of the bench is passed over."""
    found: dict[Case, dict[str, Billed]] = {}
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        for one in _runs(json.loads(path.read_text("utf-8"))):
            told = cast("dict[str, Any]", one["case"])
            case = Case(told["flow"], told["kind"], int(told["seed"]))
            once = one.get("roles", {}).get(ONCE)
            paid = rates().price(Usage(**one["usage"]))
            paid -= rates().price(Usage(**once)) if once else 0.0
            cost = rates().equivalents(paid)
            found.setdefault(case, {})[_arm(told["arm"])] = Billed(cost, int(one["calls"]))
    return found


def _runs(data: object) -> Iterator[dict[str, Any]]:
    listed = cast("list[object]", data) if isinstance(data, list) else [data]
    for one in listed:
        if isinstance(one, dict):
            fields = cast("dict[str, Any]", one)
            if {"case", "usage", "calls"} <= fields.keys():
                yield fields


def _arm(name: str) -> str:
    return {"adaptive": CLIENT_TOOLS}.get(name, name)


def calibrate(client: dict[Case, dict[str, Billed]]) -> list[Pair]:
    return list(_pairs(client))


def _pairs(client: dict[Case, dict[str, Billed]]) -> Iterator[Pair]:
    for case, arms in client.items():
        for arm in ARMS:
            if arm.grid and arm.name in arms:
                composer = composer_of(
                    case.flow, AgentKind(case.kind), case.seed, merged=arm.merged
                )
                here, there = _here(composer, arm), arms[arm.name]
                yield Pair(
                    case=case, arm=arm.name, client=there.equivalents, here=here.equivalents,
                    client_calls=there.calls, here_calls=here.calls,
                )  # fmt: skip


def _here(composer: Composer, arm: Arm) -> Billed:
    strategy = strategy_of(arm).without(Lever.KEEP_ALIVE)
    found = run(composer, strategy, client_of(arm), PauseName.DRAWN)
    return Billed(found.equivalents, found.calls)


def calibration_table(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return NOT_RUN
    lines = [
        "the real client beside the grid: the same draws, pauses as drawn, nothing kept warm, "
        "without the check of resume",
        f"{'draw':<22}{'arm':<27}{'client k':>10}{'here k':>10}{'calls':>7}{'here':>6}"
        f"{'of lean naive':>15}{'here':>8}{'off by':>8}",
    ]
    naive = {one.case: one for one in pairs if one.arm == NAIVE}
    for one in pairs:
        case = f"{one.case.flow}, {one.case.kind}, {one.case.seed}"
        lines.append(
            f"{case:<22}{one.arm:<27}{one.client / 1e3:>10,.0f}{one.here / 1e3:>10,.0f}"
            f"{one.client_calls:>7}{one.here_calls:>6}" + _shares(one, naive.get(one.case))
        )
    return "\n".join([*lines, _verdict(pairs, naive)]) + "\n"


def _shares(one: Pair, naive: Pair | None) -> str:
    if naive is None:
        return ""
    there, here = one.client / naive.client, one.here / naive.here
    return f"{there:>15.3f}{here:>8.3f}{here / there - 1:>+8.1%}"


def _verdict(pairs: Sequence[Pair], naive: dict[Case, Pair]) -> str:
    ours = [one for one in pairs if one.arm not in OTHERS and one.case in naive]
    if not ours:
        return "no draw has both an arm of ours and lean naive"
    off = [
        (one.here / naive[one.case].here) / (one.client / naive[one.case].client) - 1
        for one in ours
    ]
    mean = sum(off) / len(off)
    if max(abs(part) for part in off) <= NEAR:
        return f"every arm of ours / lean naive agrees within {NEAR:.0%} in every shared draw"
    word = "flatters: it is lower" if mean < 0 else "is too severe: it is higher"
    far = [
        f"{one.case.flow} {one.arm}"
        for one, part in zip(ours, off, strict=True)
        if abs(part) > NEAR
    ]
    return (
        f"the grid {word} than the client by {abs(mean):.1%} on average, "
        f"{max(abs(part) for part in off):.1%} at most; over {NEAR:.0%} in {', '.join(far)}"
    )
