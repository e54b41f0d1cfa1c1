"""What a feature begins with: a document, an issue, others that it waits for.

Covers: A1, A3, A4, A5, H1
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.commits.meta_json import project
from sparing.desk.features.start_input import StartInput
from sparing.desk.features.start_sources import LARGEST, from_file, from_issue
from sparing.desk.gates import answers, ideas
from sparing.desk.office import Office
from sparing.errors import FeatureError, RepositoryError, UsageError
from sparing.feature import Background, FeatureStatus, Priority
from sparing.flow.state import Cause, FlowState, Outcome, OutcomeKind
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.stages.place import Place
from tests.desk.standing import NOW, PASSED, reload, settled
from tests.repositories import git, write_files

PRD = """# PRD: Rate limits

## Problem Statement
One noisy client slows everybody else down, several times a day. — Evidence: the log

## Goals
- Nobody is slowed down by somebody else.
"""
GH = """#!/bin/sh
[ "$3" = 7 ] && printf '%s' '{"title": "Totals differ", "body": "Add two.\\nThey differ.", "url": "https://h/7"}'
[ "$3" = 8 ] && { echo "no issue 8" >&2; exit 1; }
[ "$3" = 9 ] && echo "no json"
exit 0
"""


def stored(office: Office, row: FeatureRow) -> FeatureRow:
    with office.database.read() as connection:
        found = features.get(connection, row.feature.key)
    assert found is not None
    return found


def test_a_prd_that_is_there_stands_for_the_first_stage(office: Office, tmp_path: Path) -> None:
    """A1, A5: the feature begins at specify, under the document's own title."""
    path = tmp_path / "idea.md"
    path.write_text(PRD)
    begins = from_file(office, path, "feature")
    row = answers.start(office, begins.title, "feature", {}, NOW, begins.beginning)
    state = FlowState.load(row.place["state"])
    assert (row.feature.title, state.stage, state.have) == (
        "Rate limits", "specify", frozenset({ArtifactName.PRD}),
    )  # fmt: skip
    [(name, digest)] = Place.load(row.place).given
    assert (name, office.folder.fetch(digest)) == ("prd.md", PRD)
    assert row.background == Background(source="idea.md")
    assert stored(office, row) == row
    tier = from_file(office, path, "L2").beginning
    assert (tier.stage, tier.given[0][0]) == ("plan", ArtifactName.BRAINSTORM)


def test_a_document_of_the_repository_is_named_by_its_place(office: Office) -> None:
    """A5: a path that others can follow, never one of this machine."""
    write_files(office.repository.checkout, {"docs/idea.md": PRD})
    try:
        found = from_file(
            office, office.repository.checkout / "docs" / "idea.md", "feature", "Mine"
        )
    finally:
        (office.repository.checkout / "docs" / "idea.md").unlink()
        (office.repository.checkout / "docs").rmdir()
    assert (found.title, found.beginning.background.source) == ("Mine", "docs/idea.md")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\xff\xfe\x00rubbish", "is not UTF-8 text"),
        (b"a\0b" + PRD.encode(), "control characters"),
        (b"# Short\n", "fewer than 100"),
        (b"words " * 40, "has no sections"),
        (b"x" * (LARGEST + 1), "more than 400 kB"),
    ],
    ids=["empty", "blank", "binary", "zero byte", "stub", "no sections", "huge"],
)
def test_a_file_that_is_no_prd_is_refused(
    office: Office, tmp_path: Path, content: bytes, what: str
) -> None:
    """A3: with the file's name, and before anything is made."""
    path = tmp_path / "idea.md"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=what) as error:
        from_file(office, path, "feature")
    assert "idea.md" in error.value.what
    assert answers.start(office, "x", "L1", {}, NOW).feature.number == 1


def test_what_is_no_file_of_the_user_s_is_refused(office: Office, tmp_path: Path) -> None:
    """H1: a pipe would hold us up, git's files and ours are no documents."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    secret = office.folder.path / "notes.md"
    secret.write_text(PRD)
    for path, what in (
        (tmp_path / "nowhere.md", "can't be read"),
        (tmp_path, "is not a file"),
        (pipe, "is not a file"),
        (office.repository.git_dir / "config", "not a place for documents"),
        (secret, "not a place for documents"),
    ):
        with pytest.raises(UsageError, match=what):
            from_file(office, path, "feature")
    (tmp_path / "idea.md").write_text(PRD)
    with pytest.raises(UsageError, match="the flow L1 has no stage"):
        from_file(office, tmp_path / "idea.md", "L1")


def test_an_issue_is_the_request(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A1, A5: through the user's own gh; its text goes to whoever works on the first stage."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(RepositoryError, match="gh is not installed"):
        from_issue(office, 7)
    write_files(tmp_path, {"bin/gh": GH})
    (tmp_path / "bin" / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    with pytest.raises(RepositoryError, match="has no remote"):
        from_issue(office, 7)
    git(office.repository.checkout, "remote", "add", "origin", "https://example.com/ada/gate.git")
    try:
        found = from_issue(office, 7)
        for number, what in ((8, "no issue 8"), (9, "an unreadable answer")):
            with pytest.raises(RepositoryError, match=what):
                from_issue(office, number)
    finally:
        git(office.repository.checkout, "remote", "remove", "origin")
    assert found.title == "Totals differ"
    assert found.beginning.background == Background("Add two.\nThey differ.", "https://h/7")


def test_all_of_it_is_written_down_beside_the_documents(office: Office) -> None:
    """A5"""
    background = Background("at length", "idea.md", "P001", ("001-first",), Priority.HIGH)
    row = answers.start(office, "Second", "feature", {}, NOW, StartInput(background))
    meta = project(stored(office, row), Place.load(row.place), "V1: no id came back")
    named = ("description", "brainstorm_source", "project_id", "depends_on_features", "priority")
    assert {name: meta[name] for name in (*named, "r1_deferred_reason", "completed")} == {
        "description": "at length",
        "brainstorm_source": "idea.md",
        "project_id": "P001",
        "depends_on_features": ["001-first"],
        "priority": "high",
        "r1_deferred_reason": "V1: no id came back",
        "completed": None,
    }
    plain = answers.start(office, "Third", "feature", {}, NOW)
    over = {"finish": (NOW, NOW + 60, 0, False, ())}
    meta = project(plain, Place.load({**plain.place, "marks": over}))
    assert (meta["status"], meta["completed"]) == ("completed", "2026-01-01T00:01:00+00:00")
    assert (meta["description"], meta["brainstorm_source"], meta["project_id"]) == (
        "Third", None, None,
    )  # fmt: skip


def at_brainstorm_gate(office: Office, flow: str = "feature") -> FeatureRow:
    row = answers.start(office, "An idea", flow, {}, NOW)
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW + 1)
    return settled(office, row, (PASSED,))


@pytest.mark.parametrize(("flow", "file"), [("feature", "prd.md"), ("L2", "brainstorm.md")])
def test_an_idea_may_end_as_the_document_it_is(office: Office, flow: str, file: str) -> None:
    """A1: promoted or stopped; the document stays on its branch and is named."""
    row = at_brainstorm_gate(office, flow)
    stopped = ideas.stop(office, row, "terminal", NOW + 20)
    assert stopped.command == (f"git show feature/001-an-idea:docs/features/001-an-idea/{file}")
    after = reload(office, row)
    assert (after.status, FlowState.load(after.place["state"]).reason) == (
        FeatureStatus.ABANDONED, "kept as a document",
    )  # fmt: skip
    with pytest.raises(FeatureError, match="is abandoned"):
        ideas.stop(office, after, "terminal", NOW + 21)


def test_only_an_idea_can_be_stopped(office: Office) -> None:
    """A1"""
    row = at_brainstorm_gate(office, "L1")
    with pytest.raises(FeatureError, match="only a brainstorm"):
        ideas.stop(office, row, "terminal", NOW + 20)
    begun = answers.start(office, "Not begun", "feature", {}, NOW)
    with pytest.raises(FeatureError, match="has not begun"):
        ideas.stop(office, begun, "terminal", NOW + 20)


def test_an_idea_that_asks_something_can_be_neither_approved_nor_stopped(office: Office) -> None:
    """A1, K1: its screen names neither word, and `stop` says what it waits for."""
    row = answers.start(office, "An idea", "feature", {}, NOW)
    with office.database.write() as tx:
        features.set_running(tx, row.feature.key, (0, 0), NOW + 1)
    stop = Outcome(OutcomeKind.FAILED, reason="it asks: Which port?", cause=Cause.QUESTIONS)
    row = settled(office, row, (stop,))
    assert not [one for one in ideas.gate_notes(office, row, "brainstorm") if "stop" in one]
    with pytest.raises(FeatureError, match="is not finished") as refused:
        ideas.stop(office, row, "terminal", NOW + 20)
    assert refused.value.repair.endswith("sparing show 001")


def test_the_gate_of_an_idea_says_both_words(office: Office) -> None:
    """A1: promote or stop, and how many claims rest on nothing."""
    row = replace(
        at_brainstorm_gate(office), head=git(office.repository.checkout, "rev-parse", "HEAD")
    )
    [note] = ideas.gate_notes(office, row, "brainstorm")
    assert note.startswith("approve to build it; to end it here and keep ")
    assert note.endswith(": sparing stop 001")
    assert ideas.gate_notes(office, row, "design") == ()
    claims = PRD.replace(" — Evidence: the log", "")
    assert ideas.claim_words(claims)[0].startswith("1 claim has no evidence or assumption mark")
    assert ideas.claim_words(PRD) == ()
