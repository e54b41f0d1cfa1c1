"""A hundred features at once in one engine, with the scripted agent and no checks.

`python -m bench.engine_features [COUNT]`: all are started, then one process takes them to their
end. Each has its own worktree, branch and commits; what is measured is that process: how much
memory it held at most, and how many dispatches a second went through it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sparing.cli.run.run_loop import Mode, run_features
from sparing.desk.features import view
from sparing.desk.gates import answers
from sparing.desk.office import open_office
from sparing.feature import FeatureStatus
from tests.engine.small import SCRIPT
from tests.repositories import make_repository

FEATURES = 100
FLOW = "L1"
AIM_MB = 400.0
AIM_DISPATCHES = 50.0
BEGAN = 1_767_225_600.0
OUT = Path(__file__).parent / "out" / "engine_features.json"


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--inside"]:
        print(json.dumps(run(Path(arguments[1]), int(arguments[2]))))
        return 0
    count = int(arguments[0]) if arguments else FEATURES
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        argv = (sys.executable, "-m", "bench.engine_features", "--inside", folder, str(count))
        done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    rate = found["dispatches"] / found["seconds"]
    print(f"{found['completed']} of {count} features completed, {found['dispatches']} dispatches")
    print(
        f"{found['seconds']:.1f} s, of which {found['cpu_seconds']:.1f} s processor of the engine"
    )
    print(f"and {found['children_seconds']:.1f} s of git and agents (measured);")
    print(f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} processors meanwhile")
    met = found["mb"] <= AIM_MB, rate >= AIM_DISPATCHES
    words = ["met" if one else "missed" for one in met]
    print(f"{found['mb']:.0f} MB at most; aim ≤ {AIM_MB:g} MB ({words[0]})")
    print(f"{rate:.1f} dispatches/s; aim ≥ {AIM_DISPATCHES:g} ({words[1]})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(found, indent=2))
    return 0 if all(met) and found["completed"] == count else 1


def run(folder: Path, count: int) -> dict[str, float]:
    """In a process of its own, so that its memory is the engine's."""
    checkout = make_repository(folder / "repository")
    script = folder / "script.toml"
    script.write_text(SCRIPT)
    flags = {"engine.poll_seconds": 0.05, "state.folder": str(folder / "state")}
    office = open_office(checkout, flags)
    own = {
        "agent.backend": "scripted",
        "agent.script": str(script),
        "engine.clock": "counted",
    }
    rows = [answers.start(office, f"Feature {n}", FLOW, own, BEGAN) for n in range(count)]
    before, begin = _spent(), time.perf_counter()
    run_features(office, rows, Mode.YES, quiet=True)
    seconds = time.perf_counter() - begin
    ended = [view.reload(office, row) for row in rows]
    with office.database.read() as connection:
        dispatches = connection.execute("select count(*) from ledger").fetchone()[0]
    after = _spent()
    return {
        "completed": sum(row.status is FeatureStatus.COMPLETED for row in ended),
        "dispatches": dispatches,
        "seconds": seconds,
        "cpu_seconds": after[0] - before[0],
        "children_seconds": after[1] - before[1],
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _spent() -> tuple[float, float]:
    own, others = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
