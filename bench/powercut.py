"""The power goes off: what we had said is done must be there afterwards.

`sudo python -m bench.powercut`: a disk in a file (ext4, its journal written every 30 s only)
holds a repository and our state. While a program works on it, all of it is stopped at a random
moment and the file is copied: that copy is what a disk has when the power fails, for nothing that
was only in memory is in it. The copy is mounted in the disk's place and looked at.

Three kinds of runs: commits and records by our own calls; the same by plain git, to show that
this finds losses; and with `--whole N` the demo, which is cut, mounted and continued to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import sparing.cli
from sparing.feature import Feature, FeatureStatus
from sparing.records import events, features
from sparing.records.features import FeatureRow
from sparing.records.folder import open_folder
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import BRANCH, commit, make_worktree

CUTS = 20
DEMO = "demo"
MEGABYTES = 96
SCRIPT = Path(sparing.cli.__file__).with_name("sample") / "script.toml"
OUT = Path(__file__).parent / "out" / "powercut.json"


class Cut(NamedTuple):
    """What was acknowledged before the power went, and how much of it was there afterwards."""

    acknowledged: int
    commits: int
    records: int
    sound: bool
    """No complaint of `git fsck`; for the demo: the same end as an undisturbed run."""

    @property
    def lost(self) -> int:
        return self.acknowledged - min(self.commits, self.records)


class Disk:
    def __init__(self, folder: Path) -> None:
        self.image, self.place = folder / "disk.img", folder / "disk"

    def make(self) -> None:
        self.image.unlink(missing_ok=True)
        with self.image.open("wb") as file:
            file.truncate(MEGABYTES * 2**20)
        _run("mkfs.ext4", "-q", str(self.image))
        self.mount()

    def mount(self) -> None:
        self.place.mkdir(exist_ok=True)
        _run("mount", "-o", "loop,commit=30", str(self.image), str(self.place))

    def umount(self) -> None:
        while self.place.is_mount():
            _run("umount", str(self.place))

    def fail(self, worker: subprocess.Popen[str]) -> None:
        """Stop everything, keep what the disk has, and put that in the disk's place."""
        stopped = _stop(worker.pid)
        after = self.image.with_suffix(".cut")
        shutil.copyfile(self.image, after)
        for process in stopped:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        worker.wait()
        time.sleep(0.2)
        self.umount()
        after.replace(self.image)
        self.mount()


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True)


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            found.setdefault(int(parent), []).append(int(entry.name))
    return found


def _stop(first: int) -> list[int]:
    """The process and whatever it has started, until nobody is left to start another."""
    stopped: list[int] = []
    todo = [first]
    while todo:
        for process in todo:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
            stopped.append(process)
        children = _children()
        todo = [c for p in stopped for c in children.get(p, []) if c not in stopped]
    return stopped


def _row() -> FeatureRow:
    feature = Feature("k", 1, "demo", "Demo", "feature", "repository", "main", "", 0.0)
    return FeatureRow(feature, FeatureStatus.ACTIVE, {}, 0, 0, {}, "", running=False, updated=0.0)


def work(place: Path, plain: bool) -> None:
    """Commit and record, one after the other, and say so each time: the worker's side."""
    worktree = make_worktree(place / "repository")
    database = open_folder(place / "state", "key").database()
    with database.write() as tx:
        features.create(tx, _row())
    for number in range(10_000):
        write_files(worktree.path, {f"file{number % 7}": f"{number}\n", f"new{number}": "x\n"})
        if plain:
            git(worktree.path, "add", "--all")
            git(worktree.path, "commit", "--quiet", "-m", str(number))
            made = git(worktree.path, "rev-parse", "HEAD")
        else:
            made = commit(worktree, step=f"s{number}").commit
        with database.write() as tx:
            events.add(tx, events.Event(f"k.{number}", "k", float(number), "commit"))
        print(made, flush=True)


def cut_commits(disk: Disk, seed: int, plain: bool) -> Cut:
    disk.make()
    make_repository(disk.place / "repository")
    os.sync()
    argv = (sys.executable, "-m", "bench.powercut", "--work", str(disk.place))
    worker = subprocess.Popen(
        (*argv, *(["--plain"] if plain else [])), stdout=subprocess.PIPE, text=True
    )
    moment = random.Random(seed)
    said = _hear(worker, moment.randint(3, 12))
    time.sleep(moment.random() * 0.1)
    os.set_blocking(worker.stdout.fileno() if worker.stdout else -1, False)
    disk.fail(worker)
    said += _rest(worker)
    return _look(disk, said)


def _hear(worker: subprocess.Popen[str], count: int) -> list[str]:
    assert worker.stdout is not None
    said = [worker.stdout.readline().strip() for _ in range(count)]
    assert all(said), "the worker ended by itself"
    return said


def _rest(worker: subprocess.Popen[str]) -> list[str]:
    """What was said between the last line we heard and the end."""
    assert worker.stdout is not None
    with worker.stdout:
        return [line.strip() for line in worker.stdout if line.endswith("\n")]


def _look(disk: Disk, said: list[str]) -> Cut:
    repository = disk.place / "repository"
    there = git(repository, "rev-list", BRANCH, ok=False).split()
    complaints = git(repository, "fsck", "--no-dangling", "--no-progress", ok=False)
    database = open_folder(disk.place / "state", "key").database()
    with database.read() as connection:
        records = len(events.since(connection, 0))
    disk.umount()
    commits = len(set(said) & set(there))
    sound = not complaints and bool(there)
    return Cut(len(said), commits, min(records, len(said)), sound)


def cut_demo(disk: Disk, seed: int, whole: str) -> Cut:
    """The product itself: cut somewhere, mounted again, continued to its end."""
    disk.make()
    folder = disk.place / "demo"
    env = {**os.environ, "XDG_STATE_HOME": str(disk.place / "state")}
    demo = (sys.executable, "-m", "sparing", "demo", "--keep", str(folder))
    worker = subprocess.Popen(
        demo, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = _commits_told(worker, random.Random(seed).randint(1, 15))
    disk.fail(worker)
    repository = folder / "wordtally"
    # What the stand-in for a model reads is no part of what we promise.
    shutil.copyfile(SCRIPT, folder / "script.toml")
    there = git(repository, "rev-list", "--all", "--abbrev-commit", "--abbrev=10", ok=False).split()
    again = subprocess.run(
        (sys.executable, "-m", "sparing", "run", "--yes"),
        cwd=repository,
        env={**env, "SPARING_ENGINE__POLL_SECONDS": "0.02"},
        capture_output=True,
        text=True,
        check=False,
    )
    end = git(repository, "rev-parse", "main", ok=False)
    disk.umount()
    kept = len(set(said) & set(there))
    if end != whole:
        print(again.stderr[-2000:])
    return Cut(len(said), kept, kept, end == whole)


def _commits_told(worker: subprocess.Popen[str], count: int) -> list[str]:
    """Ids that the demo has told a person; each was acknowledged before."""
    assert worker.stderr is not None
    said: list[str] = []
    for line in worker.stderr:
        words = line.split()
        if words[:1] == ["+"]:
            said.append(words[1])
        if len(said) == count:
            break
    return said


def _undisturbed(folder: Path) -> str:
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    argv = (sys.executable, "-m", "sparing", "demo", "--keep", str(folder / "demo"))
    subprocess.run(argv, env=env, check=True, capture_output=True)
    return git(folder / "demo" / "wordtally", "rev-parse", "main")


@contextmanager
def _disk() -> Generator[Disk]:
    with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
        disk = Disk(Path(folder))
        try:
            yield disk
        finally:
            disk.umount()


def _tell(name: str, cuts: list[Cut]) -> None:
    whole = sum(cut.lost == 0 and cut.sound for cut in cuts)
    said = sum(cut.acknowledged for cut in cuts)
    commits, records = sum(cut.commits for cut in cuts), sum(cut.records for cut in cuts)
    kept = f"{commits} of {said} commits"
    if name == DEMO:
        tail = f"{kept} survived, {sum(c.sound for c in cuts)} ended with the same last commit"
    else:
        tail = f"{kept} and {records} of {said} records survived"
    print(f"{name:<10} {whole:>3} of {len(cuts)} cuts lost nothing; {tail} (measured)")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.powercut", description=__doc__)
    parser.add_argument("--cuts", type=int, default=CUTS)
    parser.add_argument("--whole", type=int, default=0, help="so many cuts of the whole demo")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(asked.work, asked.plain)
        return 0
    if os.geteuid() != 0:
        print("error: mounting needs root\nfix: sudo python -m bench.powercut", file=sys.stderr)
        return 1
    found: dict[str, list[Cut]] = {}
    with _disk() as disk:
        for name, plain in (("sparing", False), ("plain git", True)):
            found[name] = [cut_commits(disk, seed, plain) for seed in range(asked.cuts)]
            _tell(name, found[name])
        if asked.whole:
            with tempfile.TemporaryDirectory(prefix="sparing-bench-") as folder:
                whole = _undisturbed(Path(folder))
            found[DEMO] = [cut_demo(disk, seed, whole) for seed in range(asked.whole)]
            _tell(DEMO, found[DEMO])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({k: [c._asdict() for c in v] for k, v in found.items()}, indent=2))
    ours = [cut for name in ("sparing", DEMO) for cut in found.get(name, [])]
    return 0 if all(cut.lost == 0 and cut.sound for cut in ours) else 1


if __name__ == "__main__":
    sys.exit(main())
