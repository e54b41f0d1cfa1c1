"""Features of the smallest tier for a fleet, and what must be true of them in the end."""

from __future__ import annotations

import time
from pathlib import Path

from sparing.cli.run.run_loop import Mode, run_features
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from tests.fleet.workers import TWICE, Fleet, sample_repository
from tests.repositories import git

FLOW = "L1"
BEGAN = 1_767_225_600.0
APART = (".meta.json", ".review-history.md")
"""When things happened, and that a session could not be resumed: sessions stay on their disk."""
INTERRUPTED = "select count(*) from ledger where outcome <> 'known' or failure <> ''"
BILLED = "select coalesce(sum(nano_usd), 0) from ledger"
BY_DAY = "select coalesce(sum(nano_usd), 0) from totals where scope = 'day'"


def begin(fleet: Fleet, office: Office, count: int) -> None:
    own = {"agent.backend": "scripted", "agent.script": str(fleet.folder / "script.toml")}
    rows = [answers.start(office, f"Feature {n}", FLOW, own, BEGAN) for n in range(count)]
    for row in rows:
        answers.request_start(office, row, time.time())


def faults(fleet: Fleet, count: int, wanted: dict[str, str]) -> list[str]:
    """What is not as it must be."""
    found: list[str] = []
    if (done := fleet.completed()) != count:
        found.append(f"{count - done} features did not end")
    found += [f"{row[0]} was paid twice" for row in fleet.rows(TWICE)]
    if fleet.asking():
        found.append(f"{fleet.asking()} turns are still open in the books")
    if (all_of := fleet.rows(BILLED)) != (by_day := fleet.rows(BY_DAY)):
        found.append(f"the day's total is {by_day}, its turns sum up to {all_of}")
    branches = git(fleet.origin, "for-each-ref", "--format=%(refname)", "refs/heads/feature")
    if len(branches.split()) != count:
        found.append(f"{len(branches.split())} branches at the remote")
    for branch in branches.split():
        steps = [
            line for line in git(fleet.origin, "log", "--format=%b", f"main..{branch}").splitlines()
            if line.startswith("Step-Id")
        ]  # fmt: skip
        if len(steps) != len(set(steps)):
            found.append(f"{branch}: a step has committed twice")
        if files(fleet.origin, branch) != wanted.get(branch):
            found.append(f"{branch}: other files than on SQLite")
    return found


def files(repository: Path, branch: str) -> str:
    listed = git(repository, "ls-tree", "-r", branch).splitlines()
    return "\n".join(line for line in listed if not line.endswith(APART))


def on_sqlite(folder: Path, script: Path, count: int) -> dict[str, str]:
    """The files of each branch when one process does it all on its own disk."""
    checkout = sample_repository(folder / "alone", folder)
    flags = {"state.folder": str(folder / "state-alone"), "state.database": ""}
    office = open_office(checkout, {"engine.poll_seconds": 0.05, **flags})
    own = {"agent.backend": "scripted", "agent.script": str(script)}
    rows = [answers.start(office, f"Feature {n}", FLOW, own, BEGAN) for n in range(count)]
    run_features(office, rows, Mode.YES, quiet=True)
    branches = git(checkout, "for-each-ref", "--format=%(refname)", "refs/heads/feature").split()
    return {branch: files(checkout, branch) for branch in branches}
