"""What one of our commits costs, beside one `git add` and `git commit` in the same run.

`python -m bench.commit`: both take turns in worktrees of one repository, so that a busy moment
hits them alike. Ours looks for what changed, refuses what must not get in, syncs objects, the
ref and their folders, and moves the ref only from where it stood; plain git does it its own way,
once as it comes and once told to sync.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sparing.workspace.git.commit import changed_paths
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree

ROUNDS = 40
FILES = 500
AIM_MILLISECONDS = 60.0
SYNCED = ("-c", "core.fsync=committed,reference")
OUT = Path(__file__).parent / "out" / "commit.json"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        medians = _measure(Path(folder))
    print(f"a commit of one changed and one new file, repository of {FILES} files")
    print(f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} processors meanwhile\n")
    for name, value in medians.items():
        print(f"{name:<24} {value:6.1f} ms median of {ROUNDS} (measured)")
    ours = medians["sparing"]
    for name in ("git commit", "git commit, synced"):
        print(f"{ours / medians[name]:.1f} times one {name}")
    met = ours <= AIM_MILLISECONDS
    print(f"aim ≤ {AIM_MILLISECONDS:g} ms ({'met' if met else 'missed'})")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"milliseconds": medians}, indent=2))
    return 0 if met else 1


def _measure(place: Path) -> dict[str, float]:
    files = {f"src/part{number // 50}/file{number}.py": "x = 1\n" for number in range(FILES)}
    checkout = make_repository(place / "repository", files)
    worktree = make_worktree(checkout)
    for name in ("plain", "synced"):
        git(checkout, "worktree", "add", "--quiet", "-b", name, str(place / name))
    kinds: dict[str, tuple[Path, Callable[[str], None]]] = {
        "sparing": (worktree.path, lambda step: commit(worktree, step=step) and None),
        "sparing, look and commit": (
            worktree.path,
            lambda step: (
                commit(worktree, *changed_paths(worktree, worktree.tip()), step=step) and None
            ),
        ),
        "git commit": (place / "plain", lambda step: _plain(place / "plain", step)),
        "git commit, synced": (
            place / "synced",
            lambda step: _plain(place / "synced", step, SYNCED),
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(ROUNDS):
        for name, (where, act) in kinds.items():
            step = f"{name}-{number}"
            write_files(where, {"src/part0/file0.py": f"x = '{step}'\n", f"new/{step}.py": "y\n"})
            begin = time.perf_counter()
            act(step)
            times[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(values) for name, values in times.items()}


def _plain(where: Path, subject: str, options: tuple[str, ...] = ()) -> None:
    git(where, *options, "add", "--all")
    git(where, *options, "commit", "--quiet", "-m", subject)


if __name__ == "__main__":
    sys.exit(main())
