"""`make bench-client`: whole features under each policy, through the real Claude Code client, and
one small feature through each of the others (`bench/client_rows.py`).

The client, its requests and its sessions are real; agents are drawn (`double/agent_kinds.py`), the
model behind the client is the double, and its bills are simulated by the vendor's published rules.
A second meter bills every log again. The ledger must agree with the bill to the token, and no line
may be hidden from anybody. Arms that have run are kept and not run again, until `--again`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from itertools import count, islice
from pathlib import Path

from bench.arms import ARMS, CLIENT_TOOLS, LEAN, STOCK, UNUSED, Arm
from bench.client_kept import keep, kept_runs, read_run, renewed
from bench.client_pages import publish
from bench.client_rows import CLIENTS, find_programs, in_order, is_row, row_cases, row_table, untrue
from bench.client_run import Case, ClientResult
from bench.client_tables import (
    aim_lines,
    disagreeing,
    lever_table,
    report_table,
    role_table,
    table,
)
from bench.economy.measure import UNPROVEN
from bench.loop import alone
from sparing.dispatch_policy import Lever, off

OUT = Path(__file__).parent / "out" / "client"
ROWS = OUT / "rows"
"""Of each client."""
KINDS = ("light", "typical", "heavy")
FLOWS = ("feature", "L1", "L2", "L3")
LEVERED = CLIENT_TOOLS
"""The arm in which each lever is switched off alone."""
EQUAL = (Lever.HOUR, Lever.TRIM, Lever.KEEP_ALIVE, *UNUSED)
"""The client has one life for all entries and answers the model itself, on a counted clock nothing
is kept warm, and some levers find no occasion: a run without these is the same run."""
RUN = {arm.name: arm for arm in ARMS if arm.settings}
UNFINISHED = frozenset({3})
"""Draws in which a review of the feature flow ends at its cap: the run waits for a person, whatever
the policy, so that there is no whole run to compare."""
SHORT_FLOW = "L1"
"""What CI runs of it: the arms that say so."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.publish:
        return _publish()
    if not alone():
        return 1
    find_programs()
    if options.client:
        return _rows(options)
    begin = time.perf_counter()
    cases = list(_cases(options))
    with ThreadPoolExecutor(options.at_once) as pool:
        ask = partial(_known, again=options.again, stored=options.stored)
        found = [one for one in pool.map(ask, cases) if one]
    tables = [*table(found, LEAN, STOCK), *report_table(found, LEAN, STOCK)]
    print("\n".join([*tables, *aim_lines(found, LEAN, STOCK)]))
    if options.roles:
        print("\n".join(role_table(found, LEAN)))
    if options.levers:
        print("\n".join(lever_table(found, LEVERED)))
    print(f"{time.perf_counter() - begin:.0f} s; results and request logs are in {OUT}")
    for name in (wrong := disagreeing(found)):
        print(f"the report of {name} disagrees with its bill or bound")
    whole = options.stored or len(found) == len(cases)
    narrowed = options.short or options.flow or options.arm
    rows = 0 if narrowed else _rows(options)
    return 0 if whole and all(map(_good, found)) and not wrong and not rows else 1


def _publish() -> int:
    """What has been run here, and what was published before and not run again."""
    ran = [read_run(json.loads(one.read_text("utf-8"))) for one in (*_files(OUT), *_files(ROWS))]
    whole = renewed(kept_runs(), [one for one in ran if _good(one)])
    rows = [one for one in whole if is_row(one.case)]
    print(publish([one for one in whole if not is_row(one.case)], LEVERED, in_order(rows)))
    keep(whole)
    return 0


def _rows(options: argparse.Namespace) -> int:
    """A small feature through each client; 0 if all is well."""
    cases = list(row_cases(options.client or CLIENTS))
    ask = partial(_known, again=options.again, stored=options.stored, folder=ROWS)
    found = [one for one in map(ask, cases) if one]
    print("\n".join(row_table(found)))
    whole = options.stored or len(found) == len(cases)
    for one in (wrong := list(filter(untrue, found))):
        print(f"the report of {one.case.client} {one.case.arm} disagrees with its bill or bound")
    return 0 if whole and all(map(_good, found)) and not wrong else 1


def _good(one: ClientResult) -> bool:
    whole = one.status == "completed" and not one.missing and not one.refused
    return one.agrees and whole


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.client",
        description="Whole features through real clients, with drawn agents.",
    )
    add = parser.add_argument
    add("--short", action="store_true", help="two minutes: L1 under three arms")
    add("--flow", action="append", choices=FLOWS, help="only this flow; may be repeated")
    add("--arm", action="append", choices=list(RUN), help="only this arm; may be repeated")
    add("--client", action="append", choices=CLIENTS, help="only the rows of this client")
    add("--kind", choices=KINDS, default="typical", help="of the agents (default typical)")
    add("--draws", type=int, help="of the feature flow (default: as the arm says, mostly 3)")
    add("--levers", action="store_true", help="also adaptive with each lever off, one draw")
    add("--roles", action="store_true", help="also what each role cost")
    add("--at-once", type=int, default=2, help="runs at the same time (default 2)")
    add(
        "--publish", action="store_true", help="what has been run into README and docs/economics.md"
    )
    add("--stored", action="store_true", help="only what has been run already")
    add("--again", action="store_true", help="run what has been run once more")
    return parser


def _cases(options: argparse.Namespace) -> Iterator[Case]:
    flows = options.flow or FLOWS
    arms = [RUN[name] for name in options.arm or RUN]
    if options.short:
        flows, arms = [SHORT_FLOW], [arm for arm in arms if arm.short]
    for flow in flows:
        most = max(_draws(options, flow, arm) for arm in arms)
        for number, seed in enumerate(islice(_seeds(), most), 1):
            for arm in arms:
                if number <= _draws(options, flow, arm) and _differs(flow, arm):
                    yield _case(arm.name, flow, options.kind, seed, arm.settings)
    for lever in Lever if options.levers else ():
        if lever not in EQUAL:
            yield _switched(lever, flows[0], options.kind)


def _seeds() -> Iterator[int]:
    return (seed for seed in count(1) if seed not in UNFINISHED)


def _differs(flow: str, arm: Arm) -> bool:
    return flow == "feature" or arm.small


def _draws(options: argparse.Namespace, flow: str, arm: Arm) -> int:
    return (options.draws or arm.draws) if flow == "feature" else 1


def _switched(lever: Lever, flow: str, kind: str) -> Case:
    """With that lever off; one that is off until it has shown its worth is switched on instead."""
    names = ["all", lever.value] if lever in UNPROVEN else ["all", off(lever)]
    settings = {**RUN[LEVERED].settings, "economy.levers": names}
    return _case(f"{LEVERED}, {names[-1]}", flow, kind, 1, settings)


def _case(arm: str, flow: str, kind: str, seed: int, settings: Mapping[str, object]) -> Case:
    return Case(arm=arm, flow=flow, kind=kind, seed=seed, settings=dict(settings))


def _known(
    case: Case, *, again: bool, stored: bool = False, folder: Path = OUT
) -> ClientResult | None:
    """What it cost, from its file or from a run; None if the run failed, or is not stored."""
    arm = case.arm.replace(",", "").replace(" %", "").replace(" ", "-")
    client = f"{case.client}-" if folder == ROWS else ""
    name = f"{client}{case.flow}-{case.kind}-{case.seed}-{arm}"
    path = folder / f"{name}.json"
    if path.exists() and not again:
        return read_run(json.loads(path.read_text("utf-8")))
    if stored:
        return None
    begin = time.perf_counter()
    told = json.dumps({"case": asdict(case), "log": str(folder / f"{name}.jsonl.xz")})
    argv = (sys.executable, "-m", "bench.client_run")
    done = subprocess.run(argv, input=told, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        print(f"{name} failed after {seconds:.0f} s", file=sys.stderr)
        return None
    found = read_run(json.loads(done.stdout))
    print(f"{name}: {found.status} after {seconds:.0f} s", file=sys.stderr, flush=True)
    if found.status == "completed":
        path.write_text(json.dumps(asdict(found), indent=1))
    return found


if __name__ == "__main__":
    sys.exit(main())
