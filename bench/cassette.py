"""Recorded runs as a workload: `python -m bench.cassette FILE...` plays each and prints a row.

Processor time is that of this program and its children while the run was played; what the agents
took then is not part of it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import Any


def played(file: str) -> tuple[float, dict[str, Any]]:
    before = _seconds()
    done = subprocess.run(
        (sys.executable, "-m", "sparing", "replay", file, "--json"),
        capture_output=True,
        check=False,
    )
    if not done.stdout:
        raise SystemExit(done.stderr.decode())
    return _seconds() - before, json.loads(done.stdout)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(files: list[str]) -> None:
    print(f"{'file':<32}{'turns':>7}{'prompts':>9}{'cpu s':>8}{'cpu s/turn':>12}  same")
    for file in files:
        seconds, found = played(file)
        same = [name for name in ("files", "bill") if found[f"same_{SAME[name]}"]]
        turns = max(1, found["turns"])
        print(
            f"{file[-31:]:<32}{found['turns']:>7}{found['same_prompts']:>9}{seconds:>8.1f}"
            f"{seconds / turns:>12.2f}  {' and '.join(same) or 'nothing'}"
        )


SAME = {"files": "tree", "bill": "bill"}

if __name__ == "__main__":
    main(sys.argv[1:])
