"""Workers of another version are replaced one after the other while features run and wait.

The features are begun by the old version, some of them stop at gates. Then a worker of this
version joins, the old one is asked to end, and this version answers the gates.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psycopg

from tests.conftest import DATABASE
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository

RUNNING, WAITING = 4, 4
PATIENCE_SECONDS = 900.0
WAITS = "select number from features join gates on feature = key where answer is null"
STATES = "select status, count(*) from features group by status"
BEGIN = """
import time
from pathlib import Path
from sparing.desk.gates import answers
from sparing.desk.office import every_row, open_office

office = open_office(Path.cwd(), {})
for row in every_row(office):
    answers.request_start(office, row, time.time())
"""
"""What the page does when somebody presses Start: no command leaves the running to others."""
Process = subprocess.Popen[bytes]


class Site(NamedTuple):
    """A remote, its clones, and the source of the version that works in them."""

    folder: Path
    old: Path

    def environ(self, name: str) -> dict[str, str]:
        source = self.old if name.startswith("old") else Path(__file__).parents[2]
        return {
            **os.environ,
            "PYTHONPATH": str(source / "src"),
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(self.folder / "script.toml"),
            "SPARING_ENGINE__LEASE_SECONDS": "3",
            "SPARING_STATE__DATABASE": DATABASE,
            "SPARING_STATE__FOLDER": str(self.folder / f"state-{name}"),
            "SPARING_STATE__REMOTE": "origin",
        }

    def say(self, name: str, *words: str, **more: str) -> str:
        done = subprocess.run(
            (sys.executable, "-m", "sparing", *words), cwd=self.folder / name, check=False,
            env={**self.environ(name), **more}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode in (0, 2), f"{' '.join(words)}: {done.stderr[-800:]}"
        return done.stdout

    def clone(self, name: str) -> None:
        git(self.folder, "clone", "--quiet", "origin.git", name)
        self.say(name, "trust", "--yes")

    def worker(self, name: str) -> Process:
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                (sys.executable, "-m", "sparing", "worker"), cwd=self.folder / name,
                env=self.environ(name), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip


def run_upgrade(old: Path) -> tuple[bool, object]:
    with tempfile.TemporaryDirectory(prefix="sparing-fleet-") as folder:
        site = Site(Path(folder), old)
        text = SCRIPT.replace("[[turn]]\n", "[[turn]]\ndelay_seconds = 1.0\n")
        (site.folder / "script.toml").write_text(text)
        first = make_repository(site.folder / "first", {"README.md": "# Sample\n"})
        git(first, "clone", "--quiet", "--bare", ".", str(site.folder / "origin.git"))
        for name in ("old-home", "old-worker"):
            site.clone(name)
        processes = [site.worker("old-worker")]
        try:
            found = _upgrade(site, processes)
        finally:
            for process in processes:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    print("\n".join(found) or "all ended; the old version's worker with 0")
    return not found, found


def _upgrade(site: Site, processes: list[Process]) -> list[str]:
    for number in range(RUNNING + WAITING):
        auto = str(number < RUNNING).lower()
        words = ("start", f"Feature {number}", "--flow", "L1")
        site.say("old-home", *words, SPARING_FLOW__AUTO=auto)
    subprocess.run(
        (sys.executable, "-c", BEGIN), cwd=site.folder / "old-home", check=True,
        env=site.environ("old-home"),
    )  # fmt: skip
    _until(lambda: _count("gates", "answer is null") >= WAITING // 2, "gates of the old version")
    for name in ("new-home", "new-worker"):
        site.clone(name)
    processes.append(site.worker("new-worker"))
    _until(lambda: _count("workers", "true") >= 2, "a worker of this version")
    print(f"both versions at work: {_states()}", flush=True)
    processes[0].send_signal(signal.SIGTERM)
    code = processes[0].wait()
    print(f"the old worker has left with {code}: {_states()}", flush=True)
    while _states().get("completed", 0) < RUNNING + WAITING:
        for (number,) in _rows(WAITS):
            site.say("new-home", "approve", str(number))
        time.sleep(2.0)
    logs = {
        name: (site.folder / f"{name}.log").read_text() for name in ("old-worker", "new-worker")
    }
    found = [f"{name} printed a traceback" for name, log in logs.items() if "Traceback" in log]
    return found if code == 0 else [*found, f"the old worker ended with {code}"]


def _until(asked: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not asked():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.3)


def _schema(connection: psycopg.Connection[tuple[str, ...]]) -> str:
    asked = "select schema_name from information_schema.schemata where schema_name ~ '^sparing_'"
    names = [row[0] for row in connection.execute(asked).fetchall()]
    return next(name for name in names if not name.endswith(("_engine", "_all")))


def _rows(sql: str) -> list[tuple[str, ...]]:
    with psycopg.connect(DATABASE) as connection:
        connection.execute("select set_config('search_path', %s, false)", (_schema(connection),))
        return connection.execute(sql.encode()).fetchall()


def _count(table: str, where: str) -> int:
    return int(_rows(f"select count(*) from {table} where {where}")[0][0])  # noqa: S608


def _states() -> dict[str, int]:
    return {row[0]: int(row[1]) for row in _rows(STATES)}
