"""A remote, clones of it, and workers in them: real processes on a real server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg

from sparing.desk.gates import answers
from sparing.desk.office import every_row, open_office
from tests.conftest import DATABASE
from tests.engine.small import SCRIPT
from tests.patience import Patience
from tests.repositories import commit_files, git
from tests.terminal import sparing

PATIENCE_SECONDS = 400.0
TWICE = (
    "select dispatch from ledger where outcome = 'known' and failure = ''"
    " group by dispatch, template having count(*) > 1"
)
"""Turns with a reply that were paid for again."""


def sample_repository(path: Path, of: Path) -> Path:
    """Its commits are like no other fleet's: on a server that they share, equal commits would be
    one repository with two addresses, which workers refuse."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--initial-branch=main", "--template=")
    subject = f"a sample for {of.name} in {of.parent.name}"
    return commit_files(path, {"README.md": "# Sample\n"}, subject)


class Fleet:
    def __init__(
        self, folder: Path, delay_seconds: float = 0.0, more: Mapping[str, str] | None = None
    ) -> None:
        """`more`: variables that all its commands are given."""
        self.folder, self.more = folder, dict(more or {})
        self.processes: list[subprocess.Popen[bytes]] = []
        text = SCRIPT.replace("[[turn]]\n", f"[[turn]]\ndelay_seconds = {delay_seconds}\n")
        (folder / "script.toml").write_text(text)
        self.origin = folder / "origin.git"
        first = sample_repository(folder / "first", folder)
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
            **self.more,
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
        self.processes.clear()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def lose(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """The machine is gone with all that was on it."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        shutil.rmtree(self.folder / name)
        shutil.rmtree(self.folder / f"state-{name}")

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(DATABASE, options=f"-c search_path={self.schema}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return connection.execute(cast("LiteralString", sql)).fetchall()

    def until(self, asked: Callable[[], object], what: str) -> None:
        Patience(PATIENCE_SECONDS).until(asked, what, pause_seconds=0.1)

    def claimed(self, process: subprocess.Popen[bytes]) -> int:
        sql = "select count(*) from features join workers on workers.id = executor"
        return int(self.rows(f"{sql} where running = 1 and process = {process.pid}")[0][0])

    def ready(self, workers: Mapping[str, subprocess.Popen[bytes]]) -> list[str]:
        """Those of them that have announced themselves."""
        found = {int(row[0]) for row in self.rows("select process from workers")}
        return sorted(name for name, process in workers.items() if process.pid in found)

    def held(self, process: subprocess.Popen[bytes]) -> str:
        """The name under which it runs features; empty if it runs none."""
        sql = "select executor from features join workers on workers.id = executor"
        found = self.rows(f"{sql} where running = 1 and process = {process.pid}")
        return str(found[0][0]) if found else ""

    def is_known(self, worker: str) -> bool:
        return bool(self.rows(f"select 1 from workers where id = '{worker}'"))

    def asking(self) -> int:
        """Turns under way."""
        return int(self.rows("select count(*) from ledger where outcome = 'open'")[0][0])

    def completed(self) -> int:
        return int(self.rows("select count(*) from features where status = 'completed'")[0][0])
