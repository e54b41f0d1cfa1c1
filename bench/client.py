"""`make bench-client`: one whole feature under each policy, through the real Claude Code client.

The client, its requests and its sessions are real; the model behind it is the double, which also
bills. It does little in a turn, so this shows that prompts, marks and sessions reach the cache as
they are meant to, not how much a feature costs: for that there is `make bench`. The ledger must
agree with the bill to the token, and no line may be hidden from anybody.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from bench.loop import INPUT_USD, OUTPUT_USD, alone, ours
from bench.loop_workload import Figures

OUT = Path(__file__).parent / "out" / "client.json"
OUTPUT_FACTOR = OUTPUT_USD / INPUT_USD
BASELINE = "fresh"


def main() -> int:
    if not alone():
        return 1
    begin = time.perf_counter()
    runs = ours()
    print("one feature from idea to merge through Claude Code, billed by the double (simulated)")
    print(f"{'policy':<10}{'pause':>7}{'k tokens':>10}{'$':>8}{'of fresh':>10}{'calls':>7}", end="")
    print(f"{'hits':>7}{'resumed':>9}{'recall':>9}  ledger = bill")
    for run in runs:
        print(_line(run, runs))
    off = next(run["off"] for run in runs if run["off"] or run["policy"] == "adaptive")
    print(f"\noff with this client: {', '.join(f'{name} ({why})' for name, why in off.items())}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(runs, indent=2))
    print(f"{time.perf_counter() - begin:.0f} s")
    return 0 if all(run["agrees"] and not run["missing"] for run in runs) else 1


def _line(run: dict[str, Any], runs: list[dict[str, Any]]) -> str:
    found = Figures(*run["whole"]["figures"])
    naive = next(one for one in runs if (one["policy"], one["gap"]) == (BASELINE, run["gap"]))
    share = _cost(found) / _cost(Figures(*naive["whole"]["figures"]))
    hits = found.read / max(1, found.read + found.write)
    recall = "100 %" if not run["missing"] else f"{run['missing']} gone"
    return (
        f"{run['policy']:<10}{run['gap']:>5} s{_cost(found) / 1e3:>10,.0f}"
        f"{_cost(found) * INPUT_USD:>8.2f}{share:>10.3f}{found.calls:>7}{hits:>7.1%}"
        f"{run['whole']['resumed']:>9}{recall:>9}  {'yes' if run['agrees'] else 'NO'}"
    )


def _cost(found: Figures) -> float:
    """Input-token equivalents, answers included."""
    return found.equivalents + OUTPUT_FACTOR * found.output


if __name__ == "__main__":
    sys.exit(main())
