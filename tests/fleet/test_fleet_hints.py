"""A hint repairs where several machines work: a copy, a remote, a disk, workers.

Covers: A3, I4, I5, K1
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DATABASE
from tests.engine.small import SCRIPT
from tests.fleet.test_answers_from_elsewhere import Gated
from tests.repositories import commit_files, git
from tests.terminal import Said, sparing

PLANS = "select 1 from gates where kind = 'gate' and stage = 'plan'"


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Gated]:
    made = Gated(tmp_path)
    yield made
    made.end()


def test_records_are_worked_with_where_they_were_copied_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I4: by the command that each copy names."""
    monkeypatch.delenv("SPARING_STATE__DATABASE", raising=False)
    home = tmp_path / "home"
    home.mkdir()
    git(home, "init", "--quiet", "--initial-branch=main", "--template=")
    commit_files(home, {"README.md": f"# {tmp_path}\n"}, "A sample of its own")
    own = {"SPARING_STATE__FOLDER": str(tmp_path / "state")}

    def typed(*words: str) -> Said:
        said = sparing(home, *words, environ=own)
        assert said.code == 0, said.err
        return said

    def starters() -> list[bool]:
        """On a server people have names."""
        return [bool(one["starter"]) for one in typed("status", "--json").json["features"]]

    typed("start", "Make a file", "--flow", "L1")
    there = typed("database", "copy", "--to", DATABASE)
    assert f"sparing config set state.database {DATABASE}" in there.out
    typed("config", "set", "state.database", DATABASE)
    assert starters() == [True]
    back = sparing(home, "database", "copy", "--from", DATABASE, environ=own)
    assert "sparing config set state.database ''" in back.out, back.err
    typed("config", "set", "state.database", "")
    assert starters() == [False]


def test_what_workers_were_given_is_followed(fleet: Gated) -> None:
    """I5: `run --detach` hands it to them and names the command that shows it."""
    said = sparing(
        fleet.home, "start", "Make a file", "--flow", "L1", environ=fleet.environ("home")
    )
    assert said.code == 0, said.err
    process = fleet.worker("first-worker")
    fleet.until(lambda: fleet.ready({"first": process}), "a worker")
    given = fleet.say("run", "1", "--detach")
    assert given.out == "1 worker has 001 to run\n  sparing watch 001\n"
    fleet.gate()
    log = fleet.folder / "watch.log"
    with log.open("wb") as out:
        fleet.processes.append(
            subprocess.Popen(
                (sys.executable, "-m", "sparing", "watch", "001"), cwd=fleet.home,
                env={**os.environ, **fleet.environ("home")}, stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True,
            )
        )  # fmt: skip
    fleet.until(lambda: "plan waits" in log.read_text(), "what the workers did is shown")
    assert "Write plan.md (001)" in log.read_text()


def test_a_worker_of_another_version(fleet: Gated) -> None:
    """I5: ended and begun again as the note says, there is no note."""
    fleet.start("Make a file")
    old = fleet.worker("first-worker")
    fleet.gate()
    with fleet.connect() as connection:
        connection.execute("update workers set version = '9.9.9'")
    note = fleet.say("status").err
    assert f"kill {old.pid}" in note
    assert "start it again: sparing worker" in note
    os.kill(old.pid, signal.SIGTERM)
    old.wait(120)
    assert "9.9.9" not in fleet.say("status").err
    new = fleet.worker("first-worker")
    fleet.until(lambda: fleet.ready({"new": new}), "it is there again")
    assert "9.9.9" not in fleet.say("status").err


def test_a_worker_without_room(fleet: Gated) -> None:
    """I3: with room the same command begins."""
    fleet.start("Make a file")
    own = fleet.environ("home")
    full = sparing(fleet.home, "worker", "--until-idle", environ=own, file_bytes=600_000)
    assert full.complaint[-1].endswith("make room or mount it writable, then: sparing worker")
    done = sparing(fleet.home, "worker", "--until-idle", environ=own)
    assert done.code == 0, done.err
    assert fleet.rows(PLANS)


def test_a_remote_that_is_not_there(fleet: Gated) -> None:
    """A3: without one, as the message says, it runs."""
    fleet.start("Make a file")
    own = {**fleet.environ("home"), "SPARING_STATE__REMOTE": "nowhere"}
    missing = sparing(fleet.home, "run", "1", "--no-input", environ=own)
    assert "or: sparing config set state.remote ''" in missing.complaint[-1]
    del own["SPARING_STATE__REMOTE"]
    assert sparing(fleet.home, "config", "set", "state.remote", "", environ=own).code == 0
    assert sparing(fleet.home, "run", "1", "--no-input", environ=own).code == 2


def test_a_remote_that_nobody_trusts(fleet: Gated) -> None:
    """A3: it is trusted as the message says; then the worker begins."""
    fleet.start("Make a file")
    clone, own = fleet.folder / "other", fleet.environ("other")
    git(fleet.folder / "first", "clone", "--quiet", str(fleet.origin), str(clone))
    refused = sparing(clone, "worker", "--until-idle", environ=own)
    assert refused.complaint[-1] == "fix: sparing trust"
    assert sparing(clone, "trust", "--yes", environ=own).code == 0
    assert sparing(clone, "worker", "--until-idle", environ=own).code == 0
    assert fleet.rows(PLANS)


def test_the_script_makes_a_plan() -> None:
    """Otherwise the ones above wait for nothing."""
    assert "plan.md" in SCRIPT
