"""What a check costs beside what it cost in another checkout of this repository.

`python -m bench.check_cost OLD`: the same checks on a small Python project and on an npm project
with an environment of 2,000 files, in both checkouts by turns, in one run. Processor time of a
check with all that surrounds it: the clean room, the sandbox, the runner. Both find the same
programs: the system's, and node wherever it is. A checkout is measured by its own copy of this
file, since modules get other names; one from before there was such a file ran checks in the
worktree itself (`git log --diff-filter=A -- '*/clean_room.py'` names the commit after it).
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS, CHECKS, AIM = 5, 3, 1.1
ROOT = Path(__file__).resolve().parent.parent
PROJECTS = {
    "python": {
        "app.py": "def one():\n    return 1\n",
        **{
            f"tests/test_{n}.py": "import json, unittest, app\n\n\nclass T(unittest.TestCase):\n"
            "    def test_one(self):\n        for _ in range(8000):\n"
            "            json.loads(json.dumps([app.one()] * 20))\n"
            for n in range(3)
        },
    },
    "npm": {
        "package.json": '{"scripts": {"test": "node --test"}}',
        "app.js": "exports.one = () => 1;\n",
        **{
            f"test/app{n}.test.js": "const test = require('node:test'), assert = require('assert');"
            "\ntest('one', () => assert.strictEqual(require('../app').one(), 1));\n"
            for n in range(3)
        },
    },
}
TIMES = """\
once()
began = spent()
for _ in range(count):
    once()
print(json.dumps((spent() - began) / count))
"""
"""How both scripts end: once to warm up, then as often as is asked."""
SCRIPT = (
    """
import json, os, resource, sys
from pathlib import Path
from sparing.workspace.checks.clean_room import clean_room
from sparing.workspace.checks.discover import find_checks
from sparing.workspace.checks.installed_packages import seal
from sparing.workspace.checks.run import CheckSandbox, run_check
from sparing.workspace.git.repository import find_repository
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import ensure_worktree

place, count = Path(sys.argv[1]), int(sys.argv[2])
repository = find_repository(place / "main")
commit = sys.argv[3]
worktree = ensure_worktree(repository, place / "worktrees" / "a", "feature/a", commit)
for n in range(2000 if (worktree.path / "package.json").exists() else 0):
    file = worktree.path / "node_modules" / f"p{n % 40}" / f"f{n}.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("exports.x = 1;" * 20)
try:
    from sparing.workspace.checks.installed_packages import left_beside
    from sparing.workspace.setup.environments import Environments
    left = left_beside(worktree, commit)
    kept = Environments(place / "environments").keep("one", worktree.path, left)
    seal(worktree.path, kept)
except ImportError:
    seal(worktree, commit)
(check,) = [one for one in find_checks(Snapshot(repository, commit)) if one.name == "test"]
def spent():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)
def once():
    sandbox = CheckSandbox(place / "scratch", repository.git_dir)
    with clean_room(worktree, commit):
        try:
            from sparing.workspace.git.own_git import own_git
            from sparing.workspace.sandbox.policy import ProcessLimits
            limits = ProcessLimits(tree_bytes=1 << 32, disk_bytes=1 << 33, memory_bytes=1 << 32)
            view = own_git(worktree, place / "histories")
            sandbox = sandbox._replace(git_dir=None, git=view, limits=limits)
        except ImportError:
            pass
        found = run_check(check, worktree.path, 120, {"PATH": sys.argv[4]}, sandbox)
        assert found.passed, found.output
"""
    + TIMES
)
WITHOUT_CLEAN_ROOM = (
    """
import json, resource, sys
from pathlib import Path
from sparing.workspace.checks import Walls, run_check
from sparing.workspace.discover import find_checks
from sparing.workspace.repository import find_repository
from sparing.workspace.worktree import ensure_worktree

place, count = Path(sys.argv[1]), int(sys.argv[2])
repository = find_repository(place / "main")
worktree = ensure_worktree(repository, place / "worktrees" / "a", "feature/a", sys.argv[3])
for n in range(2000 if (worktree.path / "package.json").exists() else 0):
    file = worktree.path / "node_modules" / f"p{n % 40}" / f"f{n}.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("exports.x = 1;" * 20)
(check,) = [one for one in find_checks(worktree.path) if one.name == "test"]
def spent():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)
def once():
    walls = Walls(place / "scratch", repository.git_dir)
    found = run_check(check, worktree.path, 120, {"PATH": sys.argv[4]}, walls)
    assert found.passed, found.output
"""
    + TIMES
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="another checkout, to compare with")
    old = parser.parse_args().old.resolve()
    met = True
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        for name, files in PROJECTS.items():
            before, now = _compared(Path(folder) / name, files, old)
            ratio = now / before
            good = ratio <= AIM
            met = met and good
            words = f"{1000 * now:.0f} ms, {1000 * before:.0f} ms before, {ratio:.2f} × (measured)"
            print(f"{name:<8} {words}; aim ≤ {AIM} × ({'met' if good else 'missed'})")
    return 0 if met else 1


def _compared(place: Path, files: dict[str, str], old: Path) -> tuple[float, float]:
    times: dict[Path, list[float]] = {old: [], ROOT: []}
    for number in range(ROUNDS):
        for checkout, taken in times.items():
            own = place / f"{number}-{len(taken)}-{checkout.name}"
            commit = _repository(own / "main", files)
            taken.append(_measured(checkout, own, commit))
    return statistics.median(times[old]), statistics.median(times[ROOT])


def _measured(checkout: Path, place: Path, commit: str) -> float:
    environ = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    own = _script_of(checkout)
    argv = [sys.executable, "-c", own, str(place), str(CHECKS), commit, _programs()]
    done = subprocess.run(argv, env=environ, stdout=subprocess.PIPE, text=True, check=True)
    return float(json.loads(done.stdout))


def _script_of(checkout: Path) -> str:
    bench = checkout / "bench" / "check_cost.py"
    if not bench.exists():
        return WITHOUT_CLEAN_ROOM
    return str(runpy.run_path(str(bench), run_name="bench")["SCRIPT"])


def _programs() -> str:
    node = shutil.which("node")
    return os.pathsep.join(("/usr/bin", "/bin", *([str(Path(node).parent)] if node else ())))


def _repository(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-C", str(folder))
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run((*git, *words), check=True)
    said = subprocess.run((*git, "rev-parse", "HEAD"), check=True, capture_output=True, text=True)
    return said.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
