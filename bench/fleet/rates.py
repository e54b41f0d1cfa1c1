"""What workers get done and what they ask of the server, undisturbed."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

import psycopg

from bench.fleet.features import begin
from scripts.postgres import QUICK, control
from sparing.desk.office import open_office
from tests.conftest import DATABASE
from tests.fleet.workers import Fleet

NUMBERS = (1, 2, 4, 8)
IDLE_SECONDS = 30.0
SETTLE_SECONDS = 25.0
"""The engine's tables are made in this time."""
IDLE_AIM = 30.0
"""Statements a second, at most."""
LOGGED = f"{QUICK} -c log_statement=all"
MARKS = ("LOG:  statement:", "LOG:  execute ")


def run_rates(server: Path, count: int) -> tuple[bool, object]:
    """Half of the machine is the server: past a few workers more of them bring nothing here."""
    print("workers  dispatches/s  ratio  connections  statements/dispatch  processor s/feature")
    rows: list[dict[str, float]] = []
    for number in NUMBERS:
        row = _rate(server, number, max(number, count // 10))
        rows.append(row)
        ratio = row["rate"] / rows[0]["rate"]
        print(
            f"{number:7}  {row['rate']:12.2f}  {ratio:5.2f}  {row['connections']:11.0f}"
            f"  {row['statements']:19.0f}  {row['processor']:19.2f}",
            flush=True,
        )
    print(f"measured; {os.cpu_count()} processors, {os.getloadavg()[0]:.1f} wanted at the end")
    return True, rows


def _rate(server: Path, number: int, count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        fleet = Fleet(Path(folder))
        state = {"state.database": DATABASE, "state.folder": str(fleet.folder / "state-home")}
        begin(fleet, open_office(fleet.home, state), count)
        for one in range(number):
            fleet.clone(f"worker-{one}")
        control(server, "restart", LOGGED)
        before, began, spent = _statements(server), time.monotonic(), _children()
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
        finally:
            fleet.end()
    return {
        "workers": number, "features": count, "seconds": seconds, "dispatches": dispatches,
        "rate": dispatches / seconds, "connections": most,
        "statements": (_statements(server) - before) / dispatches,
        "processor": (_children() - spent) / count,
    }  # fmt: skip


def run_idle(server: Path) -> tuple[bool, object]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        fleet = Fleet(Path(folder))
        control(server, "restart", LOGGED)
        process = fleet.worker("worker-1")
        try:
            fleet.until(lambda: fleet.rows("select 1 from workers"), "a worker")
            time.sleep(SETTLE_SECONDS)
            before = _statements(server)
            time.sleep(IDLE_SECONDS)
            rate = (_statements(server) - before) / IDLE_SECONDS
            assert process.poll() is None, fleet.log("worker-1")
        finally:
            fleet.end()
    word = "met" if rate <= IDLE_AIM else "missed"
    print(f"an idle worker sends {rate:.1f} statements/s (measured); aim ≤ {IDLE_AIM:g} ({word})")
    return rate <= IDLE_AIM, rate


def _statements(server: Path) -> int:
    text = (server / "log").read_text(errors="replace")
    return sum(text.count(mark) for mark in MARKS)


def _connections() -> int:
    with psycopg.connect(DATABASE) as connection:
        asked = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        found = connection.execute(asked).fetchone()
    return int(found[0]) - 1 if found else 0


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
