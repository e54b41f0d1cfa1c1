"""A person answers on a machine that has not done the work. Covers: A5, I4, I5, I6."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.desk.office import every_row, open_office
from sparing.desk.shared_work import require_commits
from tests.conftest import DATABASE
from tests.fleet.workers import Fleet
from tests.repositories import git
from tests.terminal import Said, sparing


class Gated(Fleet):
    """Its workers stop at gates."""

    def environ(self, name: str) -> dict[str, str]:
        return {**super().environ(name), "SPARING_FLOW__AUTO": "false"}

    def say(self, *words: str, **environ: str) -> Said:
        return sparing(self.home, *words, environ={**self.environ("home"), **environ})

    def gate(self) -> None:
        self.until(lambda: self.rows("select 1 from gates where answer is null"), "a gate")


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Gated]:
    made = Gated(tmp_path)
    yield made
    made.end()


def test_gates_are_read_edited_and_passed_where_nothing_was_done(fleet: Gated) -> None:
    """A5, I5: its documents come over the remote, an edit goes back the same way."""
    fleet.start("Make a file")
    fleet.worker("first-worker")
    fleet.gate()
    assert git(fleet.home, "for-each-ref", "refs/heads/feature") == ""
    assert "Write the file" in fleet.say("show", "1", "plan").out
    editor = fleet.folder / "editor"
    editor.write_text("#!/bin/sh\necho 'By another person.' >> \"$1\"\n")
    editor.chmod(0o755)
    edited = fleet.say("edit", "1", "plan", EDITOR=str(editor), VISUAL=str(editor))
    assert edited.code == 0, edited.err
    passed = fleet.say("approve", "1")
    assert passed.code == 0, passed.err
    fleet.until(lambda: fleet.rows("select 1 from gates where stage = 'done'"), "the last gate")
    assert fleet.say("approve", "1").code == 0
    fleet.until(lambda: fleet.completed() == 1, "the end")
    branch = git(fleet.origin, "for-each-ref", "--format=%(refname)", "refs/heads/feature")
    folder = "docs/features/001-make-a-file"
    assert "By another person." in git(fleet.origin, "show", f"{branch}:{folder}/plan.md")
    assert git(fleet.origin, "show", f"{branch}:made.txt") == "made"
    assert "Traceback" not in fleet.log("first-worker")


def test_a_feature_out_of_a_list_is_answered_where_nothing_was_done(fleet: Gated) -> None:
    """I5: as when a cap is raised for all that wait: its commits are fetched first."""
    fleet.start("Make a file")
    fleet.worker("first-worker")
    fleet.gate()
    flags = {
        "state.database": DATABASE,
        "state.folder": str(fleet.folder / "state-home"),
        "state.remote": "origin",
    }
    office = open_office(fleet.home, flags)
    (row,) = every_row(office)
    assert require_commits(office, row) == row.head
    assert git(fleet.home, "cat-file", "-t", row.head) == "commit"


def test_a_remote_that_is_gone_is_said(fleet: Gated) -> None:
    """A3: in two lines, and nothing is answered."""
    fleet.start("Make a file")
    fleet.worker("first-worker")
    fleet.gate()
    fleet.origin.rename(fleet.folder / "elsewhere.git")
    refused = fleet.say("approve", "1")
    assert refused.code == 1
    assert len(refused.complaint) == 2
    assert "origin" in refused.complaint[0]
    assert "then run the same command again" in refused.complaint[1]
    assert fleet.rows("select 1 from gates where answer is not null") == []
    (fleet.folder / "elsewhere.git").rename(fleet.origin)
    assert fleet.say("approve", "1").code == 0


def test_a_session_is_resumed_on_another_machine(fleet: Gated) -> None:
    """I4: the first one is gone with its disk; its session's files are in the database."""
    fleet.start("Make a file")
    first = fleet.worker("first-worker")
    fleet.gate()
    fleet.lose("first-worker", first)
    assert fleet.say("reject", "1", "name the file made.txt").code == 0
    fleet.worker("second-worker")
    fleet.until(lambda: len(fleet.rows("select 1 from gates")) == 2, "the next gate")
    rows = fleet.rows("select way, failure, session from ledger order by rowid")
    assert [row[:2] for row in rows] == [("plain", ""), ("resume", "")]
    assert len({row[2] for row in rows}) == 1


def test_a_quota_is_waited_for_without_a_person(fleet: Gated) -> None:
    """I6: features stop with the time and send nothing more before it; then they continue."""
    script = fleet.folder / "script.toml"
    later = time.time() + 3600
    used_up = f'[[turn]]\nfail = "quota"\ndetail = "used up"\nresets_at = {later}\n'
    working = script.read_text()
    script.write_text(used_up + working)
    fleet.start("Make a file", "Make another")
    first = fleet.worker("first-worker")
    stopped = "select 1 from gates where reason = 'quota: used up'"
    fleet.until(lambda: len(fleet.rows(stopped)) == 2, "two features that wait")
    assert len(fleet.rows("select 1 from ledger")) in (1, 2)
    os.kill(first.pid, signal.SIGTERM)
    assert first.wait(400) == 0, fleet.log("first-worker")
    script.write_text(working)
    assert fleet.say("status").code == 0
    with fleet.connect() as connection:  # an hour later
        now = json.dumps({"resets_at": time.time()})
        connection.execute("update events set data = %s where kind = 'quota'", (now,))
    fleet.worker("second-worker")
    plans = "select 1 from gates where kind = 'gate' and stage = 'plan'"
    fleet.until(lambda: len(fleet.rows(plans)) == 2, "their plans")
    answered = "select distinct answer, answered_by from gates where answer is not null"
    assert fleet.rows(answered) == [("continue", "rule")]
