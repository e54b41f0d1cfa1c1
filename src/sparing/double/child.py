"""The double as a child process that lives as long as this program.

It stops when its standard input ends, so that not even a killed program leaves one behind.
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

from sparing.double.agent.play import DrawnAgent
from sparing.errors import StateError

PATIENCE_SECONDS = 10


class Child:
    def __init__(
        self,
        playbook: Path | None = None,
        log: Path | None = None,
        *,
        seed: int | None = None,
        agent: DrawnAgent | None = None,
    ) -> None:
        argv = (sys.executable, "-I", "-m", "sparing.double", "--with-parent")
        self._process = subprocess.Popen(
            (*argv, *_options(playbook=playbook, log=log, seed=seed), *_drawn(agent)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", env={"LANG": "C.UTF-8"}, start_new_session=True,
        )  # fmt: skip
        self.end = weakref.finalize(self, _end, self._process)
        """Also happens automatically when this program ends."""
        self.url = self._told()

    def _told(self) -> str:
        assert self._process.stdout is not None
        first = self._process.stdout.readline()
        if not first:
            _, complaint = self._process.communicate()
            why = complaint.strip().partition("\n")[0].removeprefix("error: ")
            raise StateError(
                f"the model double does not start: {why}", "try it: python -m sparing.double"
            )
        return json.loads(first)["url"]


def _options(**given: object) -> Iterator[str]:
    for name, value in given.items():
        if value is not None:
            yield f"--{name}={value}"


def _drawn(agent: DrawnAgent | None) -> Iterator[str]:
    if agent is not None:
        yield from _options(
            agent=agent.kind.value, seed=agent.seed, trust=agent.trust, files=agent.files
        )


def _end(process: subprocess.Popen[str]) -> None:
    with process:  # closes its standard input, which ends it
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
