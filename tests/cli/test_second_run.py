"""A second terminal, and a stand-in for the model: what the first lines say. Covers: K1, I2."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tests.first_hour import SCRIPT, settings
from tests.repositories import make_repository
from tests.terminal import sparing
from tests.typed import Typed


def test_a_second_run_shows_what_the_first_one_waits_for(tmp_path: Path) -> None:
    """K1, I2: nothing moves at a gate, so the watcher would stay empty until somebody answers."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    assert sparing(repository, "run", "1", "--no-input", environ=environ).code == 2
    folder = next(Path.home().glob(".local/state/sparing/*"))
    with (folder / "engine.lock").open("a+") as held:
        held.write(f"{os.getpid()}\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        second = Typed(repository, "run", "1", environ=environ)
        second.wait_for("watching it")
        second.wait_for("plan waits for your approval")
        second.wait_for("sparing approve 001")
        assert "nothing is running here" not in second.screen
    assert second.end() == 0


def test_a_forecast_names_the_stand_in(tmp_path: Path) -> None:
    """K1: `claude-double` is not a scripted agent, and its user has no script."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    words = ("start", "Greet", "--tier", "L1", "--dry-run", "--backend", "claude-double")
    said = sparing(path, *words)
    assert "a stand-in for the model takes far less" in " ".join(said.out.split())
