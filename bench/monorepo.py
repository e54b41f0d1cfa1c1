"""What a start costs in a monorepo of 50,000 files, against the one package by itself.

`python -m bench.monorepo [FILES]` makes both repositories, runs a feature of the smallest tier with
a scripted agent to its first gate in each, and prints processor time and files in the worktree.
Figures of one run on one machine: the ratio is what counts.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

AIM = 2.0
PACKAGE = "packages/api"
IN_PACKAGE = 60
SCRIPT = """
[[turn]]
role = "builder"
reply = "planned, at length\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{folder}/plan.md"
text = '''# Plan

## Steps
1. Write the file.

## Done when
It is there, with its one line, and the repository's checks are as green as they were before.
'''
"""


class Start(NamedTuple):
    name: str
    seconds: float
    files: int
    """In the worktree."""


def package(root: Path) -> None:
    """One small Python package with a test."""
    (root / "tests").mkdir(parents=True)
    (root / "api").mkdir()
    (root / "Makefile").write_text("test:\n\tpython3 -m unittest discover -s tests\n")
    (root / "tests" / "test_api.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): pass\n"
    )
    for number in range(IN_PACKAGE):
        (root / "api" / f"part{number}.py").write_text(
            f"def part{number}():\n    return {number}\n"
        )


def others(root: Path, files: int) -> None:
    """Many packages that the feature has nothing to do with."""
    for number in range(files):
        folder = root / "packages" / f"p{number // 500:03d}" / f"d{number // 50 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"m{number}.py").write_text(f"VALUE_{number} = {number}\n" * 5)


def commit(root: Path) -> None:
    for words in (
        ("init", "-q", "-b", "main"), ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.com"), ("add", "-A"), ("commit", "-qm", "all"),
    ):  # fmt: skip
        subprocess.run(("git", *words), cwd=root, check=True, stdout=subprocess.DEVNULL)


def begun(name: str, repository: Path, folder: Path, *words: str, **more: str) -> Start:
    home = folder / f"home-{name.replace(' ', '-')}"
    home.mkdir()
    (home / "script.toml").write_text(SCRIPT)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(home / "script.toml"),
        "SPARING_ENGINE__POLL_SECONDS": "0.05",
        **more,
    }

    def say(*given: str) -> bytes:
        line = (sys.executable, "-m", "sparing", *given)
        done = subprocess.run(line, cwd=repository, env=environ, check=False, capture_output=True)
        if done.returncode not in (0, 2):
            raise SystemExit(done.stderr.decode())
        return done.stdout

    before = _seconds()
    feature = json.loads(say("start", "Make a file", "--flow", "L1", "--json", *words))["feature"]
    say("run", feature)
    taken = _seconds() - before
    (tree,) = home.glob(".local/state/sparing/*/worktrees/*-make-a-file")
    count = sum(len(names) for _, _, names in os.walk(tree))
    return Start(name, taken, count)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(files: int) -> None:
    with tempfile.TemporaryDirectory(prefix="sparing-monorepo-") as name:
        folder = Path(name)
        package(small := folder / "small")
        commit(small)
        package((large := folder / "large") / PACKAGE)
        others(large, files)
        commit(large)
        found = [begun("small", small, folder), *_large(large, folder)]
    print("processor time of start and run up to the first gate, measured, one run each")
    print(f"{'start of a feature':<28}{'cpu s':>8}{'ratio':>8}{'files':>8}")
    for one in found:
        ratio = one.seconds / found[0].seconds
        print(f"{one.name:<28}{one.seconds:>8.2f}{ratio:>8.2f}{one.files:>8}")
    if found[1].seconds > AIM * found[0].seconds:
        raise SystemExit(f"more than {AIM:g} times the processor time of a small repository")


def _large(large: Path, folder: Path) -> list[Start]:
    root = ("--root", PACKAGE)
    return [
        begun("large, of one package", large, folder, *root),
        begun("large, all files", large, folder, *root, SPARING_WORKSPACE__SPARSE="off"),
    ]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
