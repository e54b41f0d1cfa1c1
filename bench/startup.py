"""How long the terminal takes to answer, as ratios of one run to bare Python.

`python -m bench.startup`: the commands take turns, so that a busy moment hits them all.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15
OUT = Path(__file__).parent / "out" / "startup.json"
COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "sparing --help": (sys.executable, "-m", "sparing", "--help"),
    "sparing status": (sys.executable, "-m", "sparing", "status"),
    "sparing": (sys.executable, "-m", "sparing"),
}
BARE = "python -c pass"
AIMS = {"sparing --help": 5.0, "sparing status": 8.0, "sparing": 8.0}
"""How many times as long as bare Python, in processor time: a busy machine stretches that least."""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        repository, environ = _prepare(Path(folder))
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(ROUNDS):
            for name, argv in COMMANDS.items():
                times[name].append(_seconds(argv, repository, environ))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:<16} {1000 * value:6.1f} ms processor time, median of {ROUNDS} (measured)")
    met = True
    for name, aim in AIMS.items():
        ratio = medians[name] / medians[BARE]
        met = met and ratio <= aim
        word = "met" if ratio <= aim else "missed"
        print(f"{name} is {ratio:.1f} × {BARE}; aim ≤ {aim:g} × ({word})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(
        json.dumps({"milliseconds": {n: 1000 * v for n, v in medians.items()}}, indent=2)
    )
    return 0 if met else 1


def _prepare(folder: Path) -> tuple[Path, dict[str, str]]:
    """A repository with one feature, and a private home."""
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environ |= {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    kept = folder / "demo"
    argv = (sys.executable, "-m", "sparing", "demo", "--tier", "L1", "--keep", str(kept), "--json")
    subprocess.run(argv, env=environ, check=True, capture_output=True)
    return kept / "wordtally", environ


def _seconds(argv: tuple[str, ...], where: Path, environ: dict[str, str]) -> float:
    begin = _children()
    subprocess.run(argv, cwd=where, env=environ, check=True, capture_output=True)
    return _children() - begin


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    sys.exit(main())
