"""The command line as a person has it: a process of its own, in a folder."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.patience import outcome_of
from tests.preloaded import preloaded

OWN_PROCESSES = bool(os.environ.get("PYTEST_OWN_PROCESSES"))
"""`make test-nightly` begins each process anew; the others fork one that has loaded everything."""
QUICK = {"SPARING_ENGINE__POLL_SECONDS": "0.05", "SPARING_FLOW__DEFAULT": "feature"}
"""Whole runs are about the whole flow unless they say otherwise."""


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)

    @property
    def complaint(self) -> tuple[str, ...]:
        return tuple(self.err.splitlines())


def sparing(
    where: Path,
    *words: str,
    environ: Mapping[str, str] | None = None,
    limit_seconds: float = 300,
    file_bytes: int | None = None,
) -> Said:
    """Run `sparing` and wait for its end, with these variables added to the environment.

    The limit counts as `Patience` does. With `file_bytes` no file can grow beyond that size, as on
    a disk that is full.
    """

    whole = {**os.environ, **QUICK, **(environ or {})}
    if not OWN_PROCESSES:
        code, out, err = preloaded().run(words, where, whole, limit_seconds, file_bytes)
        return Said(code, _text(out), _text(err))

    def limit() -> None:
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    process = subprocess.Popen(
        (sys.executable, "-m", "sparing", *words),
        cwd=where,
        env=whole,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
    )
    with process:
        out, err = outcome_of(process, limit_seconds)
    return Said(process.returncode, _text(out), _text(err))


def _text(shown: bytes) -> str:
    return shown.decode().replace("\r\n", "\n")
