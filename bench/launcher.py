"""What the launcher costs, against a bare spawn in the same run, and what it holds.

`python -m bench.launcher`: both take turns, so that a busy moment hits them alike. The time of
the launcher includes making and removing its private folder.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sparing.workspace.sandbox.launcher import level_reached, wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy
from tests.workspace.damage import attack_all, table

ROUNDS = 40
AIM_MILLISECONDS = 30.0
OUT = Path(__file__).parent / "out" / "launcher.json"
PROGRAM = ("/bin/true",)
# The floor: what it takes to start the interpreter that the launcher is written for.
PYTHON = (os.path.realpath(sys.executable), "-I", "-S", "-c", "pass")
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def main() -> int:
    reach = level_reached()
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        place = Path(folder)
        print(table(attack_all(place / "hostile")))
        medians = _measure(place)
    print(f"level: {reach.words}")
    print(f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} processors meanwhile\n")
    for name, value in medians.items():
        print(f"{name:<16} {value:6.1f} ms median of {ROUNDS} (measured)")
    met = True
    for name in ("agent", "check"):
        cost = medians[name] - medians["bare spawn"]
        met = met and cost <= AIM_MILLISECONDS
        word = "met" if cost <= AIM_MILLISECONDS else "missed"
        print(f"{name} costs {cost:.1f} ms more; aim ≤ {AIM_MILLISECONDS:g} ms ({word})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"milliseconds": medians, "level": reach.level.name}, indent=2))
    return 0 if met else 1


def _measure(place: Path) -> dict[str, float]:
    worktree = place / "worktree"
    worktree.mkdir()
    agent = SandboxPolicy(SandboxAccess.AUTHOR, worktree, ENVIRONMENT, ports=frozenset({443}))
    check = SandboxPolicy(SandboxAccess.AUTHOR, worktree, ENVIRONMENT, messages=False)
    kinds: dict[str, Callable[[], None]] = {
        "bare spawn": lambda: _bare(worktree, PROGRAM),
        "bare python": lambda: _bare(worktree, PYTHON),
        "agent": lambda: _launched(agent, place),
        "check": lambda: _launched(check, place),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, run in kinds.items():
            begin = time.perf_counter()
            run()
            times[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(values) for name, values in times.items()}


def _bare(worktree: Path, argv: tuple[str, ...]) -> None:
    subprocess.run(argv, cwd=worktree, env=ENVIRONMENT, check=True, capture_output=True)


def _launched(policy: SandboxPolicy, place: Path) -> None:
    wrapped = wrap(policy, PROGRAM, place / "scratch")
    subprocess.run(
        wrapped.argv,
        cwd=policy.worktree,
        env=wrapped.env,
        pass_fds=wrapped.pass_fds,
        check=True,
        capture_output=True,
    )
    wrapped.cleanup()


if __name__ == "__main__":
    sys.exit(main())
