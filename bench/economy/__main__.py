"""`python -m bench.economy`: all strategies on all seeds, tables, aims, JSON and plots.

With `--seeds N --few N` a quick look; 24 and 4 are what the published figures come from.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.economy.aims import aims
from bench.economy.feature import Feature
from bench.economy.measure import jobs, loaded, plain, rates, work_off
from bench.economy.pages import publish
from bench.economy.parameters import Parameters
from bench.economy.plots import draw_plots
from bench.economy.prompts import Composer
from bench.economy.run import Run
from bench.economy.strategy import OWN_LOOP, load
from bench.economy.tables import Results, all_tables
from bench.economy.wire import compare

OUT = Path(__file__).parent.parent / "out"
STORED = OUT / "economy.json"
WIRED_SEEDS = 2


def main() -> int:
    asked = argparse.ArgumentParser(prog="bench.economy")
    asked.add_argument("--seeds", type=int, default=24)
    asked.add_argument("--few", type=int, default=4)
    asked.add_argument("--processes", type=int, default=2)
    asked.add_argument("--stored", action="store_true", help="tables and plots of the last run")
    asked.add_argument("--publish", action="store_true", help="the last run into docs/economics.md")
    options = asked.parse_args()
    if options.stored or options.publish:
        return _show_again(publishing=options.publish)
    begin = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        results = Results(list(pool.map(work_off, jobs(options.seeds, options.few))))
    print(all_tables(results))
    wired = [_wired(seed) for seed in range(min(WIRED_SEEDS, options.seeds))]
    print("\n".join(wired))
    found = list(aims(results))
    print("\n" + "\n".join(aim.line for aim in found))
    void = sum(
        row.missing for one in results.all for table in one.rows.values() for row in table.values()
    )
    OUT.mkdir(exist_ok=True)
    data = {
        "parameters": Parameters().digest,
        "aims": [{**aim._asdict(), "met": aim.met} for aim in found],
        "wired": wired,
        "results": [plain(one) for one in results.all],
    }
    STORED.write_text(json.dumps(data), "utf-8")
    print(draw_plots(results, OUT))
    print(f"{time.perf_counter() - begin:.0f} s")
    return 1 if void or any("differ" in line for line in wired) else 0


def _show_again(*, publishing: bool) -> int:
    data = json.loads(STORED.read_text("utf-8"))
    results = Results([loaded(one) for one in data["results"]])
    if publishing:
        print(publish(results, data["wired"]))
        return 0
    print(all_tables(results))
    print("\n".join([*data["wired"], "", *(aim.line for aim in aims(results))]))
    print(draw_plots(results, OUT))
    return 0


def _wired(seed: int) -> str:
    """The same calls over HTTP."""
    composer = Composer(Feature(seed, Parameters()))
    parts: list[str] = []
    for name in ("adaptive", "seed"):
        ledger = Run(composer, load(name, OWN_LOOP), OWN_LOOP, rates(), keep_calls=True).go()
        found = compare(ledger.sent)
        same = not found.differing and found.usage == ledger.usage
        words = "equal to the token" if same else f"{found.differing} calls differ"
        parts.append(f"{name} {found.calls} calls, {words}")
    return f"over HTTP, seed {seed}: {'; '.join(parts)}"


if __name__ == "__main__":
    sys.exit(main())
