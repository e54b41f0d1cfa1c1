"""`make mutants`: faults drawn with a fixed seed, each against the tests that call its function.

Which test calls which function is measured once and kept. Every outcome is written down as it is
known, so a run that was stopped goes on; `--survivors` tries again what was not seen. Faults that
change nothing a caller could notice are listed in `equivalent.txt`, each with its reason.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bench.mutants.calls import VARIABLE
from bench.mutants.sites import Mutant, mutants_of
from bench.mutants.trial import Outcome, attempt, load_libraries, make_copy, run_tests
from tests.agents.backends import WITH_CLIENTS

ROOT = Path(__file__).parents[2]
OUT = ROOT / "bench" / "out" / "mutants"
COPIES = Path(tempfile.gettempdir(), "sparing-mutants")
"""Outside of the repository, where nobody takes them for a part of it."""
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
ROOMS = ("flow", "stages", "review", "economy", "dispatch", "payment", "workspace")
TESTED = (
    *ROOMS, "briefing", "caching", "context", "desk", "implement", "knowledge", "records", "roles",
    "runtime", "provision", "agents", "approval", "tasks", "upstream", "test_nouns.py",
    "test_turns.py",
)  # fmt: skip
SEED = 21
SOUND = "tests/flow/test_advance.py"
"""Must pass before anything is changed."""
WHOLE_RUNS = ("test_panel_run.py", "test_no_verdict.py", "test_asking_authors.py", "test_gates.py")
"""In processes of their own, so nobody sees what they call: tried last, where they are about it."""
EVERY = ""
"""The name under which all tests stand."""
MOST_SHARE = 0.03
"""Of the time that all tests take: so much may be spent on one fault."""
MOST_TESTS = 400
FILES_AT_ONCE = 24
LEAST_KILLED = 0.90
MOST_EQUIVALENT = 0.05


class Test(NamedTuple):
    id: str
    seconds: float


def main() -> None:
    options = _options()
    OUT.mkdir(parents=True, exist_ok=True)
    drawn = draw(options.count)
    if options.list:
        print("\n".join(f"{n:4} line {one.line}: {one.id}" for n, one in enumerate(drawn)))
        return
    limit_seconds = 60 * options.minutes
    called = _called_by(options.jobs, again=options.measure, limit_seconds=limit_seconds)
    known = _known()
    again = {one.id for one in drawn if one.id in known and not known[one.id].killed}
    wanted = [
        one for one in drawn if one.id not in known or (options.survivors and one.id in again)
    ]
    _try_all(wanted, called, options.jobs, limit_seconds)
    known = _known()
    sys.exit(report(drawn, known))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--survivors", action="store_true", help="try those again")
    parser.add_argument(
        "--measure", action="store_true", help="measure again which test calls what"
    )
    parser.add_argument("--minutes", type=float, default=0, help="stop then; it goes on next time")
    parser.add_argument("--list", action="store_true", help="name the faults and try none")
    return parser.parse_args()


def draw(count: int) -> list[Mutant]:
    """The first of them are always the same, however many are asked for."""
    every = [
        one
        for room in ROOMS
        for file in sorted((ROOT / "src" / "sparing" / room).rglob("*.py"))
        for one in mutants_of(ROOT, file)
    ]
    unique = list({one.id: one for one in every}.values())
    # By a number of its own each: a line added elsewhere does not draw others.
    unique.sort(key=lambda one: random.Random(f"{SEED} {one.id}").random())
    return unique[:count]


def _called_by(jobs: int, *, again: bool, limit_seconds: float) -> dict[str, list[Test]]:
    """Tests by function, measured in a copy."""
    folder = OUT / "calls"
    if again:
        shutil.rmtree(folder, ignore_errors=True)
    _measure(folder, jobs, limit_seconds)
    found: dict[str, list[Test]] = {}
    for file in folder.glob("*.jsonl"):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            for function in (EVERY, *row["functions"]):
                found.setdefault(function, []).append(Test(row["test"], row["seconds"]))
    return found


def _measure(folder: Path, jobs: int, limit_seconds: float) -> None:
    """A few files at a time; what was measured is kept, so that it goes on where it was stopped."""
    folder.mkdir(exist_ok=True)
    done = folder / "measured.txt"
    done.touch()
    known = set(done.read_text().split())
    wanted = [one for one in _test_files() if one not in known]
    if not wanted:
        return
    print(f"measuring which test calls which function: {len(wanted)} files …", flush=True)
    copy = COPIES / "measured"
    make_copy(ROOT, copy)
    python = str(ROOT / ".venv" / "bin" / "python")
    environ = {**os.environ, "PYTHONPATH": str(copy / "src"), VARIABLE: str(folder)}
    until = time.monotonic() + (limit_seconds or math.inf)
    for n in range(0, len(wanted), FILES_AT_ONCE):
        if time.monotonic() > until:
            sys.exit(f"stopped after {n} of them; the same command goes on")
        files = wanted[n : n + FILES_AT_ONCE]
        argv = (python, "-m", "pytest", "-q", "-n", str(jobs), "-p", "bench.mutants.calls", *files)
        subprocess.run(argv, cwd=copy, env=environ, check=False)
        with done.open("a") as file:
            file.write("\n".join(files) + "\n")


def _test_files() -> list[str]:
    """In the order of the rooms; those that are named alone are files."""
    tests = ROOT / "tests"
    found = [
        file
        for name in TESTED
        for file in (sorted((tests / name).rglob("test_*.py")) or [tests / name])
    ]
    left_out = ("test_long_*.py", *WITH_CLIENTS)
    return [str(one.relative_to(ROOT)) for one in found if not any(map(one.match, left_out))]


def tests_for(mutant: Mutant, called: Mapping[str, Sequence[Test]], budget: float) -> list[Test]:
    """Those that call its function, for so many seconds: first files that import its module, then
    those of its own room, and the quickest of them first.

    What runs in a child is called by no test: files that name the module are tried as well. Where
    nobody calls it, and where it is the module that is changed, those that call the file, or
    another one of its folder, have the word.
    """
    module = mutant.file.removeprefix("src/").removesuffix(".py").replace("/", ".")
    found: Sequence[Test] = called.get(f"{mutant.file}:{mutant.function}", [])
    for beginning in (f"{mutant.file}:", f"{mutant.file.rpartition('/')[0]}/"):
        if not found:
            names = [name for name in called if name.startswith(beginning)]
            found = list({test.id: test for name in names for test in called[name]}.values())
    own = f"tests/{mutant.room}/"
    naming = [test for test in called[EVERY] if module in _source(test.id)]
    order = sorted(
        {*found, *naming},
        key=lambda test: (
            module not in _source(test.id), not test.id.startswith(own), test.seconds
        ),
    )  # fmt: skip
    chosen: list[Test] = []
    for test in order[:MOST_TESTS]:
        if chosen and sum(one.seconds for one in chosen) + test.seconds > budget:
            break
        chosen.append(test)
    whole = WHOLE_RUNS if mutant.room in ("dispatch", "payment", "stages") else ()
    return [*chosen, *(Test(f"tests/engine/{name}", 0.0) for name in whole)]


@cache
def _text(file: str) -> str:
    path = ROOT / file
    return path.read_text("utf-8") if path.exists() else ""


def _source(test: str) -> str:
    return _text(test.partition("::")[0])


def _try_all(
    wanted: Sequence[Mutant], called: Mapping[str, Sequence[Test]], jobs: int, limit_seconds: float
) -> None:
    """Without a limit, all of them."""
    began = time.monotonic()
    load_libraries()
    groups = [wanted[n::jobs] for n in range(jobs)]
    until = began + limit_seconds if limit_seconds else math.inf
    workers = [
        multiprocessing.get_context("fork").Process(target=_work, args=(n, group, called, until))
        for n, group in enumerate(groups)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if wanted:
        print(f"{len(wanted)} wanted, in {(time.monotonic() - began) / 60:.1f} min")


def _work(
    number: int, group: Sequence[Mutant], called: Mapping[str, Sequence[Test]], until: float
) -> None:
    copy = COPIES / f"copy-{number}"
    make_copy(ROOT, copy)
    if run_tests([SOUND], copy, 60) != "survived":
        sys.exit(f"the tests of the copy fail without any fault: {SOUND}")
    budget = MOST_SHARE * sum(test.seconds for test in called[EVERY])
    for mutant in group:
        if time.monotonic() > until:
            print("stopped; the same command goes on")
            return
        tests = tests_for(mutant, called, budget)
        expected = sum(test.seconds for test in tests)
        outcome = (
            attempt(mutant, [test.id for test in tests], copy, 60 + 10 * expected)
            if tests
            else Outcome(False, "no test calls it", 0.0)
        )
        row = {"id": mutant.id, "line": mutant.line, **outcome._asdict(), "tests": len(tests)}
        with (OUT / f"outcomes-{number}.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{outcome.how:16} {outcome.seconds:5.1f} s {mutant.line:4} {mutant.id}", flush=True)


def _known() -> dict[str, Outcome]:
    """The latest outcome of each."""
    found: dict[str, Outcome] = {}
    for file in sorted(OUT.glob("outcomes-*.jsonl"), key=lambda one: one.stat().st_mtime):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            before = found.get(row["id"])
            if before is None or not before.killed:
                found[row["id"]] = Outcome(row["killed"], row["how"], row["seconds"])
    return found


def equivalents() -> dict[str, str]:
    """Reasons by id: two lines each."""
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and line[0] != "#"]
    return {name: why.strip() for name, why in zip(lines[::2], lines[1::2], strict=True)}


def report(drawn: Iterable[Mutant], known: Mapping[str, Outcome]) -> int:
    """Print the table; 1 if too few were seen or too many are declared equivalent."""
    excused = equivalents()
    tried = [one for one in drawn if one.id in known]
    print(
        f"\n{'room':10} {'tried':>6} {'killed':>7} {'equivalent':>11} {'survived':>9} {'rate':>6}"
    )
    sums: Counter[str] = Counter()
    for room in (*ROOMS, "all"):
        of_room = [one for one in tried if room in (one.room, "all")]
        killed = [one for one in of_room if known[one.id].killed]
        same = [one for one in of_room if one not in killed and one.id in excused]
        left = len(of_room) - len(killed) - len(same)
        sums = Counter(tried=len(of_room), killed=len(killed), same=len(same))
        rate = len(killed) / max(1, len(of_room) - len(same))
        print(f"{room:10} {len(of_room):6} {len(killed):7} {len(same):11} {left:9} {rate:6.1%}")
    print("\nsurvived:")
    for one in tried:
        if not known[one.id].killed and one.id not in excused:
            print(f"  {one.file}:{one.line} {one.function}: {one.before} -> {one.after}")
    enough = sums["killed"] >= LEAST_KILLED * (sums["tried"] - sums["same"])
    few = sums["same"] <= MOST_EQUIVALENT * max(1, sums["tried"])
    return int(not (enough and few))


if __name__ == "__main__":
    main()
