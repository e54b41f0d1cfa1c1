"""Ctrl-C ends a run at once, also in the middle of a long check. Covers: K1, H1."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import UserRepository
from tests.patience import Patience
from tests.terminal import sparing
from tests.typed import Typed

MAKEFILE = "test:\n\tsleep 86400\n"
"""It would not end while any test waits."""


def running(state: Path) -> list[Path]:
    return list(state.rglob("running-*.json"))


def test_a_long_check_ends_with_the_run(user_repository: UserRepository, tmp_path: Path) -> None:
    """K1: nobody waits for the rest of a test suite; K8: and nothing is recorded of it."""
    path = user_repository({"Makefile": MAKEFILE})
    state = tmp_path / "state"
    (tmp_path / "script.toml").write_text('[[turn]]\nrole = "*"\nreply = "Done."\n')
    environ = {
        "SPARING_STATE__FOLDER": str(state),
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
    }
    sparing(path, "start", "Add paging", "--tier", "L1", "--json", environ=environ)
    at = Typed(path, "run", "1", environ=environ)
    at.wait_for("sandbox")
    Patience(240).until(lambda: running(state), "the check runs")
    at.type("\x03")
    assert at.end() == 130
    assert at.screen.endswith("stopped; nothing is lost: sparing run continues from here\n")
    assert running(state) == []
    shown = sparing(path, "show", "1", "checks", environ=environ)
    assert "no check of feature 001 has run" in shown.err


STOPPED = """\
import sys
import click
from sparing.cli.main import app, main
app.add_command(click.Command("stop", callback=lambda: exec("raise KeyboardInterrupt")))
app.get_command = lambda context, name: app.commands[name]
sys.exit(main(["stop"]))
"""


def test_an_interrupted_import_ends_with_the_same_code(tmp_path: Path) -> None:
    """K1: classes are made by `exec`, after which `python -m` would end by the signal."""
    (tmp_path / "stop.py").write_text(STOPPED)
    argv = (sys.executable, "-m", "stop")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert "stopped; nothing is lost" in done.stderr
