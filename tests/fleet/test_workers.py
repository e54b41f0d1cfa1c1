"""Several workers on one server: killed, stopped and asked to end. Covers: I4, I5, I6, I8."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.workers import TWICE, Fleet
from tests.repositories import git
from tests.terminal import sparing


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path, delay_seconds=1.0)
    yield made
    made.end()


def assert_all_is_there(fleet: Fleet, count: int) -> None:
    """Finished, each branch at the remote with what was made, nothing paid twice."""
    assert fleet.completed() == count
    assert fleet.rows(TWICE) == []
    branches = git(fleet.origin, "for-each-ref", "--format=%(refname)", "refs/heads/feature")
    assert len(branches.split()) == count
    for branch in branches.split():
        assert git(fleet.origin, "show", f"{branch}:made.txt") == "made"
        subjects = git(fleet.origin, "log", "--format=%s %b", f"main..{branch}").splitlines()
        steps = [line for line in subjects if line.startswith("Step-Id")]
        assert len(steps) == len(set(steps)), "a step has committed twice"


def test_a_worker_that_is_lost_with_its_disk(fleet: Fleet) -> None:
    """I5: in mid-turn, with its clone and its state folder: others go on from the remote."""
    fleet.start("Make a file", "Make another")
    first = fleet.worker("first-worker")
    fleet.until(lambda: fleet.claimed(first), "a claim")
    seen = sparing(fleet.home, "status", environ=fleet.environ("home")).out
    assert "scripted, " in seen
    assert " at work, version" in seen
    fleet.until(lambda: fleet.rows("select 1 from ledger where outcome = 'known'"), "a paid turn")
    fleet.until(fleet.asking, "a turn under way")
    fleet.lose("first-worker", first)
    second = fleet.worker("second-worker", "--until-idle")
    assert second.wait(400) == 0, fleet.log("second-worker")
    assert_all_is_there(fleet, 2)


def test_a_worker_that_is_stopped_and_wakes_up_writes_nothing(fleet: Fleet) -> None:
    """I5: it was silent for longer than its lease: it ends, and says why."""
    fleet.start("Make a file")
    first = fleet.worker("first-worker")
    fleet.until(fleet.asking, "a turn under way")
    os.killpg(first.pid, signal.SIGSTOP)
    second = fleet.worker("second-worker", "--until-idle")
    assert second.wait(400) == 0, fleet.log("second-worker")
    before = fleet.rows("select * from features"), fleet.rows("select * from ledger order by rowid")
    refs = git(fleet.origin, "for-each-ref")
    os.killpg(first.pid, signal.SIGCONT)
    assert first.wait(400) == 1
    assert "was silent for too long" in fleet.log("first-worker")
    assert "nothing is lost; start again: sparing worker" in fleet.log("first-worker")
    assert "Traceback" not in fleet.log("first-worker"), fleet.log("first-worker")
    after = fleet.rows("select * from features"), fleet.rows("select * from ledger order by rowid")
    assert after == before
    assert git(fleet.origin, "for-each-ref") == refs
    assert_all_is_there(fleet, 1)
    again = fleet.worker("first-worker", "--until-idle")
    assert again.wait(400) == 0, fleet.log("first-worker")


def test_a_worker_that_is_asked_to_end_finishes_its_turn(fleet: Fleet) -> None:
    """I8: what is under way comes to its end, nothing new begins, and others go on."""
    fleet.start("Make a file")
    first = fleet.worker("first-worker")
    fleet.until(fleet.asking, "a turn under way")
    first.send_signal(signal.SIGTERM)
    assert first.wait(400) == 0, fleet.log("first-worker")
    assert fleet.asking() == 0
    assert fleet.rows("select * from workers") == []
    assert fleet.completed() == 0
    second = fleet.worker("second-worker", "--until-idle")
    assert second.wait(400) == 0, fleet.log("second-worker")
    assert_all_is_there(fleet, 1)
    assert fleet.rows("select * from ledger where outcome <> 'known'") == []


def test_a_worker_until_idle_does_what_waits_in_the_mailbox(fleet: Fleet) -> None:
    """I4: a start that no engine has seen yet is work; so are gates that pass by themselves."""
    fleet.start("Make a file")
    only = fleet.worker("only-worker", "--until-idle")
    assert only.wait(400) == 0, fleet.log("only-worker")
    assert_all_is_there(fleet, 1)


@pytest.mark.nightly
def test_two_workers_share_ten_features(fleet: Fleet) -> None:
    """I4: each feature has one worker at a time, and both have some."""
    fleet.start(*(f"Make a file {n}" for n in range(10)))
    both = [fleet.worker(name, "--until-idle", "--slots", "2") for name in ("one", "two")]
    assert [one.wait(800) for one in both] == [0, 0]
    assert_all_is_there(fleet, 10)
    assert len(fleet.rows("select distinct disk from features")) == 2
