"""A hundred features of one repository at once: worktrees made, written to and committed.

`python -m bench.features`: all begin at the same moment, in eight processes, as several doors
would. Commands of one repository wait for each other; none may fail and nothing may be lost.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.git.worktree import ensure_worktree
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit

FEATURES = 100
PROCESSES = 8
OUT = Path(__file__).parent / "out" / "features.json"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        checkout = make_repository(Path(folder) / "repository")
        numbers = [list(range(first, FEATURES, PROCESSES)) for first in range(PROCESSES)]
        begin = time.perf_counter()
        with ProcessPoolExecutor(PROCESSES) as pool:
            done = sum(pool.map(_work, [checkout] * PROCESSES, numbers))
        seconds = time.perf_counter() - begin
        worktrees = git(checkout, "worktree", "list").count("\n")
        complaints = git(checkout, "fsck", "--no-dangling", "--no-progress")
    print(f"{done} of {FEATURES} features committed in {worktrees} worktrees")
    print(f"{seconds:.1f} s (measured)")
    print(f"{1000 * seconds / FEATURES:.0f} ms a feature with {PROCESSES} processes at once,")
    print(f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} processors meanwhile")
    print(f"git fsck: {complaints or 'clean'}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"features": done, "seconds": seconds}, indent=2))
    return 0 if done == worktrees == FEATURES and not complaints else 1


def _work(checkout: Path, numbers: list[int]) -> int:
    with ThreadPoolExecutor(len(numbers)) as pool:
        return sum(pool.map(_feature, [checkout] * len(numbers), numbers))


def _feature(checkout: Path, number: int) -> bool:
    repo = find_repository(checkout)
    path, branch = checkout.parent / "many" / f"{number:03d}", f"feature/{number:03d}-x"
    worktree = ensure_worktree(repo, path, branch, head(repo).commit)
    write_files(worktree.path, {"n.txt": f"{number}\n"})
    change = commit(worktree)
    return not change.empty and worktree.tip() == change.commit


if __name__ == "__main__":
    sys.exit(main())
