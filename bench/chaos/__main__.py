"""`make chaos`: everything that can happen to a run, and it must end as if nothing had.

Each outcome is written down, so a run that was stopped goes on; `--part` takes one part, `--flow`
one flow, `--short` what CI runs, `--stride N` every N-th case of each part, `--again` tries
everything anew.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.chaos.parts import Case, clock, disk, engines, kills, points, signals
from bench.chaos.scene import FLOWS, Verdict

OUT = Path(__file__).parents[1] / "out" / "chaos.jsonl"
PARTS = ("points", "kills", "signals", "clock", "disk", "engines")


def main() -> None:
    options = _options()
    known = {} if options.again or options.short else _known()
    began = time.monotonic()
    rows: list[dict[str, Any]] = []
    for case in _cases(options):
        name = f"{case.part} {case.name}"
        row = known.get(name) or _attempt(case, name)
        rows.append(row)
        if options.minutes and time.monotonic() - began > 60 * options.minutes:
            print(f"stopped after {options.minutes} min; the same command goes on")
            break
    sys.exit(report(rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--flow", choices=FLOWS, action="append")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0)
    return parser.parse_args()


def _cases(options: argparse.Namespace) -> Iterator[Case]:
    made = {
        "points": points, "kills": kills, "signals": signals, "clock": clock, "disk": disk,
        "engines": engines,
    }  # fmt: skip
    for part in options.part or PARTS:
        flows = tuple(f"{one} " for one in options.flow or FLOWS)
        cases = [one for one in made[part]() if one.name.startswith(flows)]
        for number, case in enumerate(cases):
            if case.short if options.short else number % options.stride == 0:
                yield case


def _known() -> dict[str, dict[str, Any]]:
    lines = OUT.read_text().splitlines() if OUT.exists() else []
    rows = [json.loads(line) for line in lines]
    return {row["name"]: row for row in rows if row["good"]}


def _attempt(case: Case, name: str) -> dict[str, Any]:
    began = time.monotonic()
    try:
        found = case.attempt()
    except subprocess.TimeoutExpired as late:
        found = Verdict(False, f"no end after {late.timeout:.0f} s: {' '.join(late.cmd)}")
    seconds = round(time.monotonic() - began, 1)
    row: dict[str, Any] = {
        "name": name, "part": case.part, "seconds": seconds, **found._asdict(),
    }  # fmt: skip
    OUT.parent.mkdir(exist_ok=True)
    with OUT.open("a") as file:
        file.write(json.dumps(row) + "\n")
    mark = "ok  " if found.good else "FAIL"
    print(f"{mark} {seconds:6.1f} s  {name}  {found.words}", flush=True)
    return row


def report(rows: list[dict[str, Any]]) -> int:
    print(f"\n{'part':10} {'cases':>6} {'held':>6} {'failed':>7} {'of them not passed':>19}")
    for part in dict.fromkeys(row["part"] for row in rows):
        of_part = [row for row in rows if row["part"] == part]
        held = sum(row["good"] for row in of_part)
        idle = sum("not passed" in row["words"] for row in of_part)
        print(f"{part:10} {len(of_part):6} {held:6} {len(of_part) - held:7} {idle:19}")
    bad = [row for row in rows if not row["good"]]
    for row in bad:
        print(f"  {row['name']}: {row['words']}")
    return int(bool(bad))


if __name__ == "__main__":
    main()
