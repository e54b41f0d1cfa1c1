"""A person answers on a machine that has not done the work. Covers: A5, I5."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
    assert fleet.rows("select 1 from gates where answer is not null") == []
