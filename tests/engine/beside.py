"""An engine that runs beside what a person types: its agent takes as long as it must."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.engine.played import SCRIPTS, Played, play
from tests.patience import Patience
from tests.terminal import QUICK

PATIENCE_SECONDS = 240.0
SCRIPT = (SCRIPTS / "small_tier_l3.toml").read_text("utf-8")


def slow_play(folder: Path, stage: str = "brainstorm") -> Played:
    """A feature of tier L3; the first turn of this stage never ends, until `quicken`."""
    played = play(folder, str(folder / "script.toml"), "L3")
    line = f'stage = "{stage}"\n'
    slow = SCRIPT.replace(line, f"{line}delay_seconds = 3600\n", 1)
    assert slow != SCRIPT
    (folder / "script.toml").write_text(slow)
    return played


def quicken(played: Played) -> None:
    """The next engine has an agent that answers at once."""
    (played.folder / "script.toml").write_text(SCRIPT)


def until(asked: Callable[[], object], what: str) -> None:
    Patience(PATIENCE_SECONDS).until(asked, what)


@contextmanager
def beside(played: Played, *words: str, **environ: str) -> Generator[Path]:
    """A command in a process of its own, until what is done meanwhile is done; its output."""
    own = {"SPARING_STATE__FOLDER": str(played.folder / "state"), **environ}
    log = played.folder / f"{words[0]}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            (sys.executable, "-m", "sparing", *words), cwd=played.repository,
            env={**os.environ, **QUICK, **own}, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield log
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
