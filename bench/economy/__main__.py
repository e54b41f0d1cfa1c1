"""`python -m bench.economy`: the grid, its tables, aims, JSON and plots.

Flows × kinds of agents × pauses × draws, in process. `--short` is the part for every day: all
flows, two draws. 24 draws are what the published figures come from.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.economy import parameters
from bench.economy.aims import aims, below_bound
from bench.economy.calibration import calibrate, calibration_table, read_client
from bench.economy.draws import composer_of, rates
from bench.economy.measure import FLOWS, Job, Result, jobs, loaded, plain, work_off
from bench.economy.pages import publish
from bench.economy.parameters import PauseName
from bench.economy.plots import draw_plots
from bench.economy.results import Results
from bench.economy.run import Run
from bench.economy.store import DrawStore, made_of
from bench.economy.strategy import LEAN, load
from bench.economy.tables import all_tables
from bench.economy.wire import compare
from sparing.double import agent_kinds
from sparing.double.agent_kinds import AgentKind

OUT = Path(__file__).parent.parent / "out"
STORED, DRAWS = OUT / "economy.json", OUT / "economy-draws.jsonl"
SHORT_DRAWS = 2
NICE = 5
"""Others may be working on the machine."""


def main() -> int:
    options = _options().parse_args()
    if options.stored or options.publish:
        return _show_again(publishing=options.publish)
    begin = time.perf_counter()
    draws = SHORT_DRAWS if options.short else options.draws
    flows = options.flows.split(",")
    kinds = [AgentKind(name) for name in options.kinds.split(",")]
    store = DrawStore(DRAWS, made_of())
    if options.again:
        store.clear()
    results = Results(list(_worked_off(jobs(flows, kinds, draws), options.processes, store)))
    wired = _wired()
    calibration = calibration_table(calibrate(read_client()))
    _print(results, calibration, wired)
    OUT.mkdir(exist_ok=True)
    _store(results, wired)
    print(draw_plots(results, OUT))
    print(f"{time.perf_counter() - begin:.0f} s")
    bad = results.missing() or below_bound(results) or "differ" in wired
    return 1 if bad else 0


def _options() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="bench.economy")
    asked.add_argument("--draws", type=int, default=24, help="features a cell")
    asked.add_argument("--short", action="store_true", help=f"{SHORT_DRAWS} draws a cell")
    asked.add_argument("--flows", default=",".join(FLOWS))
    asked.add_argument("--kinds", default=",".join(AgentKind))
    asked.add_argument("--processes", type=int, default=2)
    asked.add_argument("--again", action="store_true", help="run what has been run once more")
    asked.add_argument("--stored", action="store_true", help="tables and plots of the last run")
    asked.add_argument("--publish", action="store_true", help="the last run into docs/economics.md")
    return asked


def _worked_off(asked: list[Job], processes: int, store: DrawStore) -> Iterator[Result]:
    """What an earlier run left is taken over; what is new is kept at once."""
    begin, known = time.perf_counter(), store.read()
    left = [job for job in asked if job not in known]
    if len(left) < len(asked):
        sys.stderr.write(f"{len(asked) - len(left)} draws are from an earlier run of this code\n")
    yield from (known[job] for job in asked if job in known)
    with ProcessPoolExecutor(processes, initializer=os.nice, initargs=(NICE,)) as pool:
        for number, (job, result) in enumerate(zip(left, pool.map(work_off, left), strict=True), 1):
            store.add(job, result)
            if number % 10 == 0 or number == len(left):
                seconds = time.perf_counter() - begin
                sys.stderr.write(f"{number} of {len(left)} draws, {seconds:.0f} s\n")
            yield result


def _print(results: Results, calibration: str, wired: str) -> None:
    print(all_tables(results))
    print(calibration)
    print(wired)
    print("\n" + "\n".join(aim.line for aim in aims(results)))


def _store(results: Results, wired: str) -> None:
    data = {
        "assumed": parameters.digest(),
        "agents": agent_kinds.digest(),
        "aims": [{**aim._asdict(), "met": aim.met} for aim in aims(results)],
        "wired": wired,
        "results": [plain(one) for one in results.all],
    }
    STORED.write_text(json.dumps(data), "utf-8")


def _show_again(*, publishing: bool) -> int:
    data = json.loads(STORED.read_text("utf-8"))
    results = Results([loaded(one) for one in _listed(data["results"])])
    calibration = calibration_table(calibrate(read_client()))
    if publishing:
        print(publish(results, calibration, [data["wired"]]))
        return 0
    _print(results, calibration, data["wired"])
    print(draw_plots(results, OUT))
    return 0


def _listed(values: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    return list(values)


def _wired() -> str:
    """The same calls over HTTP, to the double's server."""
    composer = composer_of("feature", AgentKind.LIGHT, 0)
    parts: list[str] = []
    for name in ("adaptive", "naive"):
        run = Run(composer, load(name), LEAN, rates(), PauseName.DRAWN, keep_calls=True)
        ledger = run.go()
        found = compare(ledger.sent)
        same = not found.differing and found.usage == ledger.usage
        words = "equal to the token" if same else f"{found.differing} calls differ"
        parts.append(f"{name} {found.calls} calls, {words}")
    return f"over HTTP, a light feature: {'; '.join(parts)}"


if __name__ == "__main__":
    sys.exit(main())
