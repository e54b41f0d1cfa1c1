"""What the demo costs against another checkout with a virtual environment of its own.

`python -m bench.compare FOLDER [ROUNDS]`: both take turns, so that a busy moment hits them alike.
What is compared is processor time, of the program and of all that it starts; wall time counts
only on a machine that does nothing else.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROUNDS = 3
AIM = 0.6
HERE = Path(__file__).parent.parent
OUT = Path(__file__).parent / "out" / "compare.json"


class Cost(NamedTuple):
    cpu: float
    wall: float


def main(arguments: list[str]) -> int:
    other = Path(arguments[0]).resolve()
    rounds = int(arguments[1]) if arguments[1:] else ROUNDS
    places = {"there": other, "here": HERE}
    costs: dict[str, list[Cost]] = {name: [] for name in places}
    for _ in range(rounds):
        for name, place in places.items():
            costs[name].append(_demo(place))
    medians = {
        name: Cost(*(statistics.median(column) for column in zip(*found, strict=True)))
        for name, found in costs.items()
    }
    for name, place in places.items():
        cpu, wall = medians[name]
        print(f"demo {name:<6} {cpu:5.1f} s processor, {wall:5.1f} s wall, median of {rounds}"
              f" (measured): {place}")  # fmt: skip
    ratio = medians["here"].cpu / medians["there"].cpu
    print(f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} processors meanwhile")
    print(f"{ratio:.2f} × the processor time; aim ≤ {AIM:g} × ({_word(ratio <= AIM)})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"ratio": ratio, "costs": costs}, indent=2))
    return 0 if ratio <= AIM else 1


def _word(met: bool) -> str:
    return "met" if met else "missed"


def _demo(place: Path) -> Cost:
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    argv = (place / ".venv" / "bin" / "sparing", "demo", "--json")
    spent, begin = _children(), time.perf_counter()
    subprocess.run(argv, cwd=place, env=environ, check=True, capture_output=True)
    return Cost(_children() - spent, time.perf_counter() - begin)


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
