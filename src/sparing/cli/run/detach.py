"""A run in the background: a separate process that outlives the terminal.

It is the same command with no one to ask. Its output goes to a file in the state folder.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import echo, style
from sparing.config.terminal import environment
from sparing.desk.office import Office
from sparing.errors import StateError
from sparing.records.features import FeatureRow
from sparing.runtime.engine_lock import engine_lock

LOG = "run.log"
SOON_SECONDS = 0.05
PATIENCE = 600


def run_detached(
    office: Office, rows: Sequence[FeatureRow], flags: Sequence[str], *, as_json: bool
) -> int:
    """Start it, and return as soon as the other process holds the engine lock, or has ended."""
    with engine_lock(office.folder.engine_lock):
        pass  # somebody else's engine is told of here, not in a log
    log = office.folder.path / LOG
    names = [rows[0].feature.id] if len(rows) == 1 else []
    argv = (sys.executable, "-m", "sparing", "run", *names, "--no-input", *flags)
    with log.open("wb") as out:
        log.chmod(0o600)
        process = subprocess.Popen(
            argv,
            cwd=office.repository.checkout,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    code = _settled(process, office)
    if code not in (None, 0, 2):
        raise _failed(log, code)
    command = f"sparing watch {names[0]}" if names else "sparing watch"
    if as_json:
        print_json(process=process.pid, log=str(log), next_command=command)
    else:
        echo(f"runs in the background as process {process.pid}, log in {log}")
        echo(f"  {style(command, fg='cyan')}")
    return 0


def _settled(process: subprocess.Popen[bytes], office: Office) -> int | None:
    """The exit code if it ended at once; None if it is working."""
    for _ in range(PATIENCE):
        if process.poll() is not None or _holder(office.folder.engine_lock) == process.pid:
            break
        time.sleep(SOON_SECONDS)
    return process.poll()


def _holder(lock: Path) -> int:
    try:
        return int(lock.read_text().partition("\n")[0].strip() or 0)
    except (OSError, ValueError):
        return 0


def _failed(log: Path, code: int | None) -> StateError:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    what = next((one.removeprefix("error: ") for one in lines if one.startswith("error: ")), "")
    repair = next((one.removeprefix("fix: ") for one in lines if one.startswith("fix: ")), "")
    return StateError(
        what or f"the run in the background ended with code {code}", repair or f"see {log}"
    )
