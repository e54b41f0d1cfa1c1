"""What workers get done and what they ask of the server, undisturbed."""

from __future__ import annotations

import os
import resource
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import psycopg

from bench.fleet.features import BILLED, begin
from bench.fleet.plot import plotted
from bench.fleet.statements import by_sender, statements
from scripts.postgres import QUICK, control
from sparing.database import open_database
from sparing.desk.office import open_office
from sparing.money import NANO
from sparing.postgres import Server
from sparing.records.schema import MIGRATIONS
from tests.conftest import DATABASE
from tests.fleet.workers import Fleet

PLOT = Path(__file__).parents[1] / "out" / "fleet-rates.svg"
NUMBERS = (1, 2, 4, 8)
IDLE_SECONDS = 30.0
SETTLE_SECONDS = 25.0
"""The engine's tables are made in this time."""
IDLE_AIM = 30.0
"""Statements a second, at most."""
STATEMENTS_IN_WRITE = 8
"""About as many as a transaction of ours has."""
LOGGED = f"{QUICK} -c log_statement=all"
MOST_TOLD = 40


def run_rates(server: Path, count: int) -> tuple[bool, object]:
    """Half of the machine is the server: past a few workers more of them bring nothing here."""
    print("workers  dispatches/s  ratio  connections  statements/dispatch  processor s  $/feature")
    rows: list[dict[str, float]] = []
    for number in NUMBERS:
        row = _rate(server, number, max(2 * NUMBERS[-1], count // 10))
        rows.append(row)
        ratio = row["rate"] / rows[0]["rate"]
        print(
            f"{number:7}  {row['rate']:12.2f}  {ratio:5.2f}  {row['connections']:11.0f}"
            f"  {row['statements']:19.0f}  {row['processor']:11.2f}  {row['usd']:9.4f}",
            flush=True,
        )
    print(f"measured, $ simulated; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    most, per = run_writes(), rows[0]["writes"]
    print(
        f"one repository: at most {most:.0f} write transactions/s, {per:.0f} a dispatch (measured):"
        f" {most / per:.1f} dispatches/s (estimated)"
    )
    PLOT.parent.mkdir(exist_ok=True)
    PLOT.write_text(plotted(rows))
    print(f"plotted: {PLOT}")
    return True, rows


def _rate(server: Path, number: int, count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        fleet = Fleet(Path(folder))
        state = {"state.database": DATABASE, "state.folder": str(fleet.folder / "state-home")}
        begin(fleet, open_office(fleet.home, state), count)
        for one in range(number):
            fleet.clone(f"worker-{one}")
        control(server, "restart", LOGGED)
        written = int(fleet.rows("select n from changes")[0][0])
        before, began, spent = statements(server), time.monotonic(), _children()
        most = 0
        try:
            processes = [
                fleet.worker(f"worker-{one}", "--slots", "4", "--until-idle")
                for one in range(number)
            ]
            while any(process.poll() is None for process in processes):
                most = max(most, _connections())
                time.sleep(0.5)
            assert fleet.completed() == count
            seconds = time.monotonic() - began
            dispatches = int(fleet.rows("select count(*) from ledger")[0][0])
            writes = int(fleet.rows("select n from changes")[0][0]) - written
            usd = int(fleet.rows(BILLED)[0][0]) / NANO / count
        finally:
            fleet.end()
    sent = statements(server) - before
    _tell_statements(number, sent, dispatches)
    return {
        "workers": number, "features": count, "seconds": seconds, "dispatches": dispatches,
        "rate": dispatches / seconds, "connections": most,
        "statements": sent.total() / dispatches,
        "processor": (_children() - spent) / count, "usd": usd, "writes": writes / dispatches,
        **{name: times / dispatches for name, times in by_sender(sent).items()},
    }  # fmt: skip


def _tell_statements(number: int, sent: Counter[str], dispatches: int) -> None:
    """By text, for one worker."""
    if number > 1:
        return
    parts = sorted(by_sender(sent).items())
    print(
        "a dispatch: " + ", ".join(f"{times / dispatches:.1f} of {name}" for name, times in parts)
    )
    for text, times in sent.most_common(MOST_TOLD):
        print(f"{times / dispatches:8.2f}  {text[:110]}")


def run_idle(server: Path) -> tuple[bool, object]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        fleet = Fleet(Path(folder))
        control(server, "restart", LOGGED)
        process = fleet.worker("worker-1")
        try:
            fleet.until(lambda: fleet.rows("select 1 from workers"), "a worker")
            time.sleep(SETTLE_SECONDS)
            before = statements(server)
            time.sleep(IDLE_SECONDS)
            rate = (statements(server) - before).total() / IDLE_SECONDS
            assert process.poll() is None, fleet.log("worker-1")
        finally:
            fleet.end()
    word = "met" if rate <= IDLE_AIM else "missed"
    print(f"an idle worker sends {rate:.1f} statements/s (measured); aim ≤ {IDLE_AIM:g} ({word})")
    return rate <= IDLE_AIM, rate


def run_writes(seconds: float = 5.0, writers: int = 4) -> float:
    """Transactions a second in one schema, each of which has to be the only one: see `changes`."""
    database = open_database(Path("unused"), MIGRATIONS, None, Server(DATABASE, "sparing_writes"))
    end, done = time.monotonic() + seconds, [0] * writers

    def write(own: int) -> None:
        while time.monotonic() < end:
            with database.write() as tx:
                for _ in range(STATEMENTS_IN_WRITE):
                    tx.execute("select 1 from features where key = ?", ("none",))
            done[own] += 1

    with database.kept():
        threads = [threading.Thread(target=write, args=(own,)) for own in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return sum(done) / seconds


def _connections() -> int:
    with psycopg.connect(DATABASE) as connection:
        asked = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        found = connection.execute(asked).fetchone()
    return int(found[0]) - 1 if found else 0


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
