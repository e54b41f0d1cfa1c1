"""A hint repairs where the machine is in the way: a key, a network, a clock, a library, a disk.

Covers: H3, H6, I3, K1, K7
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparing.records.daily_backup import copy_daily
from tests.cli.test_cassette import Recorded
from tests.engine.played import FILES, SCRIPTS, Played, play
from tests.engine.test_hints import repair, state, typed
from tests.repositories import make_repository

pytestmark = pytest.mark.long

SETUP = '[workspace]\nsetup = ["make setup"]\n'


def next_command(played: Played) -> str:
    return str(played.say("show", "1", "--json").json["next_command"])


def resumed(played: Played, **environ: str) -> None:
    """What is named first leads to the gate."""
    assert next_command(played) == "sparing resume 001"
    again = typed(played, next_command(played), **environ)
    assert typed(played, again.out.splitlines()[-1].strip(), **environ).code == 2
    assert state(played) == ("brainstorm", "gate")


def test_a_key_that_is_locked(tmp_path: Path) -> None:
    """H3: whoever gives up signing goes on, with the very two commands of the message."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\necho 'no secret key' >&2\nexit 2\n")
    signer.chmod(0o755)
    (tmp_path / "home").mkdir()
    own = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home" / "config")}
    (tmp_path / "home" / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = a@example.com\n\tsigningkey = K\n"
        f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {signer}\n"
    )
    said = played.say("run", "1", **own)
    assert "then: sparing resume; or: sparing config set commits.sign never" in said.err
    assert typed(played, "sparing config set commits.sign never", **own).code == 0
    resumed(played, **own)


def test_a_set_up_that_needs_a_network(tmp_path: Path) -> None:
    """K1: nobody agreed, then no network, then it is there."""
    there = tmp_path / "network"
    lost = "echo 'Could not resolve host: packages.example'; exit 1"
    rule = f"setup:\n\ttest -e {there} || {{ {lost}; }}\n"
    files = {**FILES, "Makefile": f"{rule}test:\n\ttrue\n", "sparing.toml": SETUP}
    played = play(tmp_path, "small_tier_l3.toml", "L3", files=files)
    said = played.say("doctor")
    agreed = typed(played, "sparing init --yes")
    assert agreed.code == 0, said.out
    said = played.say("run", "1")
    assert "nobody has approved it" not in said.err
    assert "check your network, then: sparing resume" in said.err
    there.touch()
    resumed(played)


def test_a_set_up_that_nobody_approved(tmp_path: Path) -> None:
    """K1: it is not run, which is said once; after `init` it is."""
    files = {**FILES, "Makefile": "setup:\n\ttouch made\ntest:\n\ttrue\n", "sparing.toml": SETUP}
    played = play(tmp_path, "small_tier_l3.toml", "L3", files=files)
    assert "nobody has approved it yet (sparing init)" in played.say("run", "1").err
    asked = typed(played, "sparing init")
    assert typed(played, repair(asked)).code == 0
    script = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(SCRIPTS / "small_tier_l3.toml"),
    }
    assert played.say("start", "Greet again", "--flow", "L3", **script).code == 0
    assert "nobody has approved it" not in played.say("run", "2", **script).err
    (tree,) = (played.folder / "state").glob("*/worktrees/002-greet-again")
    assert (tree / "made").exists()


def test_a_set_up_that_takes_longer_than_it_may(tmp_path: Path) -> None:
    """K1: with twice the time it ends."""
    rule = f"setup:\n\ttest -e {tmp_path}/quick || sleep 3600\n"
    files = {**FILES, "Makefile": f"{rule}test:\n\ttrue\n", "sparing.toml": SETUP}
    played = play(tmp_path, "small_tier_l3.toml", "L3", files=files)
    assert played.say("init", "--yes").code == 0
    assert played.say("config", "set", "workspace.setup_seconds", "2").code == 0
    said = played.say("run", "1")
    more = "sparing config set workspace.setup_seconds 4"
    assert f"it has 2 s; more: {more}; then: sparing resume" in said.err
    assert typed(played, more).code == 0
    assert played.say("config", "get", "workspace.setup_seconds").out.split()[0] == "4"
    (tmp_path / "quick").touch()
    resumed(played)


def test_a_report_without_the_library_that_draws(tmp_path: Path) -> None:
    """E4: the page says which command tells how to add it, and that one does."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1").code == 2
    (tmp_path / "shim").mkdir()
    without = 'import sys\n\nsys.modules["matplotlib"] = None\n'
    (tmp_path / "shim" / "sitecustomize.py").write_text(without)
    own = {
        "PYTHONPATH": str(tmp_path / "shim"),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
    }
    page = tmp_path / "report.html"
    command = (sys.executable, "-m", "sparing", "report", "--html", "--output", str(page))
    done = subprocess.run(
        command, cwd=played.repository, env={**os.environ, **own}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "sparing report --html says how to add it" in page.read_text()
    assert "charts" in done.stdout + done.stderr
    assert "install" in done.stdout + done.stderr


def test_records_that_are_damaged(tmp_path: Path) -> None:
    """I3: the command restores them; what shows where features stand does so again."""
    played = play(tmp_path, "small_tier_l3.toml", "L3")
    assert played.say("run", "1").code == 2
    (database,) = (tmp_path / "state").rglob("sparing.db")
    for old in database.parent.glob("copies/*.db"):
        old.unlink()
    assert copy_daily(database.parent, 0.0)
    for left in database.parent.glob("sparing.db-*"):
        left.unlink()
    database.write_bytes(b"no database at all, whatever its name says" * 200)
    lost = played.say("status")
    assert repair(lost) == "restore the latest daily backup: sparing doctor --restore"
    assert "sparing doctor --restore" in played.say("doctor").out
    restored = typed(played, "sparing doctor --restore")
    assert restored.code == 0, restored.err
    assert "sparing status" in restored.out
    assert "001  Greet people" in typed(played, "sparing status").out
    assert "sparing doctor --restore" not in played.say("doctor").out


def test_a_run_of_somebody_else_that_was_changed(tmp_path: Path) -> None:
    """K7: recorded again as the message says, it can be played and priced; a price that nobody
    knows is set as the message says."""
    recorded = Recorded(make_repository(tmp_path / "mine"), tmp_path)
    recorded.run()
    file = tmp_path / "run.cassette"
    assert recorded.record().code == 0
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    broken = recorded.say("what-if", str(file))
    assert repair(broken) == "sparing record FEATURE FILE makes one"
    file.unlink()
    assert recorded.say("record", "1", str(file)).code == 0
    assert recorded.say("what-if", str(file)).code == 0
    unpriced = recorded.say("what-if", str(file), "--models", "somebodys-model")
    assert "the price of somebodys-model is unknown" in unpriced.err
    command = repair(unpriced).partition("writes): ")[2]
    assert command == 'sparing config set models.prices "somebodys-model 3 15 0.30 3.75 6"'
    price = command.partition('"')[2].rstrip('"')
    assert recorded.say("config", "set", "models.prices", price).code == 0
    assert recorded.say("what-if", str(file), "--models", "somebodys-model").code == 0
