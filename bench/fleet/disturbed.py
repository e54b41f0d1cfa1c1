"""Workers that are killed, lost, stopped and woken while they work; the server restarts twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.fleet.day_cap import DayCap, as_variables, cap_settings
from bench.fleet.features import INTERRUPTED, begin, faults, on_sqlite
from scripts.postgres import control
from sparing.config.settings import EngineSettings
from sparing.desk.office import open_office
from tests.conftest import DATABASE
from tests.fleet.workers import Fleet

LEASE_SECONDS = EngineSettings().lease_seconds
SLOTS = "4"
TURNS_BETWEEN = (5, 25)
"""How many turns are ended between two disturbances; at random, whatever the machine's speed."""
PAUSE_SECONDS = 60.0
"""The longest time between two."""
TURNS = "select count(*) from ledger where outcome <> 'open'"
PATIENCE_SECONDS = 7200.0
Process = subprocess.Popen[bytes]


class Disturber:
    """Keeps so many workers at work, and does something to one of them time and again."""

    def __init__(self, fleet: Fleet, count: int, seed: int) -> None:
        self.fleet = fleet
        self.draw = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.noticed: list[float] = []
        self.woken: list[tuple[str, Process]] = []
        self.zombies: list[str] = []
        self._started = 0
        self.workers = dict(self._start() for _ in range(count))

    def _start(self, name: str = "") -> tuple[str, Process]:
        self._started += 1
        name = name or f"worker-{self._started}"
        return name, self.fleet.worker(name, "--slots", SLOTS)

    def disturb(self) -> None:
        ready = self.fleet.ready(self.workers)
        if not ready:
            return
        name = self.draw.choice(ready)
        process, held = self.workers[name], self.fleet.held(self.workers[name])
        kind = self.draw.choice(("kill", "lose", "stop", "drain"))
        self.done[kind] += 1
        if kind == "stop":
            self._stop(name, process)
        elif kind == "lose":
            del self.workers[name]
            self.fleet.lose(name, process)
            self.workers.update((self._start(),))
        else:
            if kind == "kill":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.terminate()
            process.wait()
            self.workers.update((self._start(name),))
        if held and kind in ("kill", "lose"):
            self._see_release(held)

    def _stop(self, name: str, process: Process) -> None:
        """For half to three times its lease: if others have its work by then, it must end."""
        os.killpg(process.pid, signal.SIGSTOP)
        del self.workers[name]
        self.workers.update((self._start(),))
        time.sleep(LEASE_SECONDS * self.draw.uniform(0.5, 3.0))
        os.killpg(process.pid, signal.SIGCONT)
        self.woken.append((name, process))

    def _see_release(self, held: str) -> None:
        """Until the dead worker's name is gone: from then on any worker with room may claim."""
        began = time.monotonic()
        self.fleet.until(lambda: not self.fleet.is_known(held), "features of a dead worker")
        self.noticed.append(time.monotonic() - began)

    def reap(self) -> None:
        """Those that ended by themselves have others in their place."""
        for name, process in list(self.workers.items()):
            if process.poll() is not None:
                self.done["ended by themselves"] += 1
                self.workers.update((self._start(name),))
        for name, process in list(self.woken):
            if process.poll() is None and not self.fleet.claimed(process):
                continue
            if process.poll() not in (None, 1):
                self.zombies.append(f"{name} ended with {process.poll()}")
            if process.poll() is None:
                # It was back before anybody had noticed: it is one of the workers again.
                self.done["back in time"] += 1
                process.send_signal(signal.SIGTERM)
                process.wait()
            self.woken.remove((name, process))


def run_disturbed(server: Path, count: int, workers: int, seed: int) -> tuple[bool, object]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        caps = cap_settings(count)
        lease = {"engine.lease_seconds": LEASE_SECONDS}
        fleet = Fleet(Path(folder), 0.5, as_variables({**caps, **lease}))
        state = {
            "state.database": DATABASE,
            "state.folder": str(fleet.folder / "state-home"),
            "state.remote": "origin",
        }
        office = open_office(fleet.home, state)
        begin(fleet, office, count)
        cap = DayCap(fleet, office, caps["caps.day_usd"])
        began = time.monotonic()
        try:
            disturber = _disturbed(fleet, Disturber(fleet, workers, seed), cap, server, count)
            seconds = time.monotonic() - began
            fleet.end()
            wanted = on_sqlite(fleet.folder, fleet.folder / "script.toml", count)
            found = [*faults(fleet, count, wanted), *disturber.zombies, *cap.faults]
            interrupted = int(fleet.rows(INTERRUPTED)[0][0])
            dispatches = int(fleet.rows("select count(*) from ledger")[0][0])
        finally:
            fleet.end()
    _tell(disturber, count, dispatches, interrupted, seconds)
    print(
        f"{cap.waited} features waited for the cap of the day; of {cap.looks} looks at what was "
        f"charged the highest was {100 * cap.highest:.1f} % of the cap"
    )
    print("\n".join(found) or "documents and code as on SQLite; nothing committed or paid twice")
    return not found, {
        "features": count, "seconds": seconds, "dispatches": dispatches,
        "interrupted": interrupted, "done": disturber.done, "noticed": disturber.noticed,
        "waited_for_cap": cap.waited, "highest_share_of_cap": cap.highest, "faults": found,
    }  # fmt: skip


def _disturbed(
    fleet: Fleet, disturber: Disturber, cap: DayCap, server: Path, count: int
) -> Disturber:
    end = time.monotonic() + PATIENCE_SECONDS
    restarts = [count // 3, 2 * count // 3]
    while (done := fleet.completed()) < count:
        assert time.monotonic() < end, f"{done} of {count} after {PATIENCE_SECONDS:.0f} s"
        if restarts and done >= restarts[0]:
            control(server, "restart")
            disturber.done["restart of the server"] += 1
            del restarts[0]
        cap.look()
        disturber.reap()
        disturber.disturb()
        print(f"{done:4} of {count}  {dict(disturber.done)}", flush=True)
        _pause(fleet, disturber, count)
    return disturber


def _pause(fleet: Fleet, disturber: Disturber, count: int) -> None:
    wanted = int(fleet.rows(TURNS)[0][0]) + disturber.draw.randint(*TURNS_BETWEEN)
    end = time.monotonic() + PAUSE_SECONDS
    while time.monotonic() < end and fleet.completed() < count:
        if int(fleet.rows(TURNS)[0][0]) >= wanted:
            return
        time.sleep(0.5)


def _tell(
    disturber: Disturber, count: int, dispatches: int, interrupted: int, seconds: float
) -> None:
    print(f"{count} features, {dispatches} dispatches in {seconds:.0f} s (measured)")
    print(", ".join(f"{number} x {what}" for what, number in sorted(disturber.done.items())))
    if disturber.noticed:
        times = sorted(disturber.noticed)
        middle, last = times[len(times) // 2], times[-1]
        print(f"noticed: median {middle:.1f} s, longest {last:.1f} s; lease {LEASE_SECONDS:g} s")
    print(f"{interrupted} turns were under way when their worker ended, and are marked so")
