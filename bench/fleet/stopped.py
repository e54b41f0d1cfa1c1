"""Workers that are stopped at named points, replaced by another, and then woken.

Each holds one feature and is stopped where a write has just been made, or is about to be: at the
crash points of the engine, in the middle of a turn, and in the middle of a push, with git and the
remote's hook. Another worker takes all of it over. Some are woken while it works, others when it
has ended everything. Whoever is woken must end with two lines and have written nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.fleet.features import begin, faults, on_sqlite
from sparing.desk.office import open_office
from tests.conftest import DATABASE
from tests.fleet.workers import Fleet

TURN, PUSH, PUBLISH = "in a turn", "in a push", "in the push of the branch"
POINTS = (
    "open:end", "decide:begin@3", "prepare:end", "call:begin@2", "call:end", "commit:begin",
    "commit:end@2", "handover:begin", "handover:end", "settle:begin", TURN, PUSH, PUBLISH,
)  # fmt: skip
ROUNDS = 3
ASKING = (
    "select process from ledger join features on key = feature join workers on workers.id ="
    " executor where outcome = 'open'"
)
KEPT = ("features", "ledger", "totals", "events", "gates", "findings", "verdicts", "mailbox")
"""Tables that must be the same after somebody was woken."""
HOOK = """#!{python} -I
import os, signal, sys
from pathlib import Path

told, chain, at = sys.stdin.read(), [], os.getpid()
while at > 1:
    chain.append(at)
    wish = Path("{folder}") / f"stop-{{at}}"
    if wish.exists() and wish.read_text() in told:
        wish.rename(wish.with_name(f"stopped-{{at}}")).write_text(" ".join(map(str, chain)))
        for one in reversed(chain):
            os.kill(one, signal.SIGSTOP)
        break
    at = int(Path(f"/proc/{{at}}/stat").read_text().rpartition(")")[2].split()[1])
"""
"""Stops the worker that pushes, its git, and itself: as a machine that is suspended."""
Process = subprocess.Popen[bytes]


class Row(NamedTuple):
    point: str
    early: bool
    faults: list[str]


class Try(NamedTuple):
    """One worker that is stopped, and whether it is woken while its work is done by another."""

    point: str
    early: bool
    process: Process
    name: str


def run_stopped(points: tuple[str, ...] = POINTS, rounds: int = ROUNDS) -> tuple[bool, object]:
    rows: list[Row] = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
            fleet = Stopping(Path(folder), delay_seconds=1.0)
            try:
                rows += run_round(fleet, points, early=bool(number % 2))
            finally:
                fleet.end()
    _tell(rows)
    return not any(row.faults for row in rows), [row._asdict() for row in rows]


class Stopping(Fleet):
    def stopping(self, point: str, number: int, *, early: bool) -> Try:
        name = f"worker-{number}"
        named = point in (TURN, PUSH, PUBLISH)
        self.more = {} if named else {"SPARING_ENGINE__CRASH_AT": f"stop:{point}"}
        process = self.worker(name, "--slots", "1")
        self.more = {}
        if point in (PUSH, PUBLISH):
            words = "refs/heads/" if point == PUBLISH else "refs/sparing/work/"
            (self.folder / f"stop-{process.pid}").write_text(words)
        return Try(point, early, process, name)

    def is_stopped(self, one: Try) -> bool:
        if one.point == TURN and not _stopped(one.process.pid) and self._is_asking(one):
            os.killpg(one.process.pid, signal.SIGSTOP)
        return _stopped(one.process.pid)

    def _is_asking(self, one: Try) -> bool:
        return (one.process.pid,) in self.rows(ASKING)

    def wake(self, one: Try) -> None:
        chain = self.folder / f"stopped-{one.process.pid}"
        os.killpg(one.process.pid, signal.SIGCONT)
        for process in chain.read_text().split() if chain.exists() else ():
            os.kill(int(process), signal.SIGCONT)

    def kept(self) -> dict[str, object]:
        """All that is written by those who run features."""
        return {
            **{name: sorted(map(str, self.rows(f"select * from {name}"))) for name in KEPT},  # noqa: S608
            "refs": subprocess.check_output(("git", "for-each-ref"), cwd=self.origin, text=True),
        }


def run_round(fleet: Stopping, points: tuple[str, ...], *, early: bool) -> list[Row]:
    state = {"state.database": DATABASE, "state.folder": str(fleet.folder / "state-home")}
    hook = fleet.origin / "hooks" / "pre-receive"
    hook.write_text(HOOK.format(python=sys.executable, folder=fleet.folder))
    hook.chmod(0o755)
    tries = [fleet.stopping(point, n, early=early) for n, point in enumerate(points)]
    fleet.until(
        lambda: len(fleet.rows("select 1 from workers")) == len(tries), "workers that are ready"
    )
    begin(fleet, open_office(fleet.home, state), len(points))
    fleet.until(lambda: sum(map(fleet.is_stopped, tries)) == len(tries), "all stopped")
    last = fleet.worker("last", "--slots", "8")
    ended: list[list[str]] = []
    if early:
        _until_taken(fleet, last, tries)
        ended = [_woken(fleet, one) for one in tries]
    fleet.until(lambda: fleet.completed() == len(points), "the end of all features")
    before = fleet.kept()
    if not early:
        ended = [_woken(fleet, one) for one in tries]
    after = fleet.kept()
    wrong = [name for name in before if before[name] != after[name]]
    wanted = on_sqlite(fleet.folder, fleet.folder / "script.toml", len(points))
    found = [*faults(fleet, len(points), wanted), *(f"{name} has changed" for name in wrong)]
    return [Row(one.point, early, [*told, *found]) for one, told in zip(tries, ended, strict=True)]


def _until_taken(fleet: Stopping, last: Process, tries: list[Try]) -> None:
    """Each wakes while others hold its feature."""
    fleet.until(lambda: fleet.held(last), "a claim of the last worker")
    fleet.until(
        lambda: len(fleet.rows("select 1 from workers")) == 1, f"{len(tries)} that are given up"
    )


def _woken(fleet: Stopping, one: Try) -> list[str]:
    fleet.wake(one)
    code, log = one.process.wait(), fleet.log(one.name)
    found = [] if code == 1 else [f"ended with {code}"]
    found += [] if "was silent for too long" in log else ["does not say why it ended"]
    return found + (["printed a traceback"] if "Traceback" in log else [])


def _stopped(process: int) -> bool:
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] == "T"


def _tell(rows: list[Row]) -> None:
    print(f"{'stopped at':28} tries  woken early  faults")
    points = dict.fromkeys(row.point for row in rows)
    for point in points:
        own = [row for row in rows if row.point == point]
        wrong, early = sum(bool(row.faults) for row in own), sum(row.early for row in own)
        print(f"{point:28} {len(own):5}  {early:11}  {wrong:6}")
    told = dict.fromkeys(fault for row in rows for fault in row.faults)
    good = f"{len(rows)} tries at {len(points)} points: no write of a worker that was replaced"
    print("\n".join(told) or good)
