"""Draws that have been run, one line each: a bench that was stopped goes on where it was.

What was run with other code or other words is not taken over: a digest of all of them stands in
every line. How results are shown is no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.economy.measure import Job, Result, loaded, plain
from sparing.double.agent_kinds import AgentKind

HERE = Path(__file__).parent
SOURCES = (HERE.parent.parent / "src" / "sparing", HERE)
SUFFIXES = (".py", ".md", ".toml")
SHOWS = frozenset({"__main__.py", "aims.py", "calibration.py", "pages.py", "plots.py"})
SHOWN_ELSEWHERE = frozenset({"results.py", "store.py", "tables.py", "arm_tables.py", "wire.py"})


def made_of() -> str:
    """Of the program and of everything that runs a draw."""
    whole = hashlib.sha256((HERE.parent / "arms.py").read_bytes())
    for folder in SOURCES:
        for path in sorted(folder.rglob("*")):
            shows = folder is HERE and path.name in SHOWS | SHOWN_ELSEWHERE
            if path.suffix in SUFFIXES and not shows:
                whole.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return whole.hexdigest()


class DrawStore:
    def __init__(self, path: Path, code: str) -> None:
        self._path, self._code = path, code

    def read(self) -> dict[Job, Result]:
        """A line that was cut off when the bench was stopped is passed over."""
        return {_job(one): loaded(one["result"]) for one in self._lines()}

    def add(self, job: Job, result: Result) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = {"code": self._code, "levers": job.levers, "result": plain(result)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)

    def _lines(self) -> Iterator[dict[str, Any]]:
        for line in self._path.read_text("utf-8").splitlines() if self._path.exists() else ():
            try:
                found: dict[str, Any] = json.loads(line)
            except ValueError:
                continue
            if found["code"] == self._code:
                yield found


def _job(line: dict[str, Any]) -> Job:
    one = loaded(line["result"])
    return Job(one.flow, AgentKind(one.kind), one.seed, line["levers"])
