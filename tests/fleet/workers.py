"""A remote, clones of it, and workers in them: real processes on a real server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg

from sparing.desk.gates import answers
from sparing.desk.office import every_row, open_office
from tests.conftest import DATABASE
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import sparing

PATIENCE_SECONDS = 400.0
TWICE = (
    "select dispatch from ledger where outcome = 'known' and failure = ''"
    " group by dispatch, template having count(*) > 1"
)
"""Turns with a reply that were paid for again."""


class Fleet:
    def __init__(self, folder: Path, delay_seconds: float = 0.0) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        text = SCRIPT.replace("[[turn]]\n", f"[[turn]]\ndelay_seconds = {delay_seconds}\n")
        (folder / "script.toml").write_text(text)
        self.origin = folder / "origin.git"
        first = make_repository(folder / "first", {"README.md": "# Sample\n"})
        git(first, "clone", "--quiet", "--bare", ".", str(self.origin))
        self.home = self.clone("home")
        office = open_office(self.home, {"state.database": DATABASE})
        assert office.folder.server is not None
        self.schema = office.folder.server.schema

    def clone(self, name: str) -> Path:
        path = self.folder / name
        git(self.folder / "first", "clone", "--quiet", str(self.origin), str(path))
        trusted = sparing(path, "trust", "--yes", environ=self.environ(name))
        assert trusted.code == 0, trusted.err
        return path

    def environ(self, name: str) -> dict[str, str]:
        return {
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(self.folder / "script.toml"),
            "SPARING_ENGINE__LEASE_SECONDS": "3",
            "SPARING_FLOW__AUTO": "true",
            "SPARING_STATE__FOLDER": str(self.folder / f"state-{name}"),
            "SPARING_STATE__REMOTE": "origin",
        }

    def start(self, *titles: str) -> None:
        """Begun by a person who runs nothing themselves."""
        for title in titles:
            said = sparing(self.home, "start", title, "--flow", "L1", environ=self.environ("home"))
            assert said.code == 0, said.err
        folder = str(self.folder / "state-home")
        office = open_office(self.home, {"state.database": DATABASE, "state.folder": folder})
        for row in every_row(office):
            answers.request_start(office, row, time.time())

    def worker(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        path = self.folder / name
        if not path.exists():
            self.clone(name)
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                (sys.executable, "-m", "sparing", "worker", *options), cwd=path,
                env={**os.environ, **self.environ(name)}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def end(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def lose(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """The machine is gone with all that was on it."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        shutil.rmtree(self.folder / name)
        shutil.rmtree(self.folder / f"state-{name}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(DATABASE, options=f"-c search_path={self.schema}") as connection:
            return connection.execute(cast("LiteralString", sql)).fetchall()

    def until(self, asked: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not asked():
            assert time.monotonic() < end, f"not in time: {what}"
            time.sleep(0.1)

    def claimed(self, process: subprocess.Popen[bytes]) -> int:
        sql = "select count(*) from features join workers on workers.id = executor"
        return int(self.rows(f"{sql} where running = 1 and process = {process.pid}")[0][0])

    def asking(self) -> int:
        """Turns under way."""
        return int(self.rows("select count(*) from ledger where outcome = 'open'")[0][0])

    def completed(self) -> int:
        return int(self.rows("select count(*) from features where status = 'completed'")[0][0])
