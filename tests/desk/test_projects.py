"""Projects as a person sees them: standings, the next feature, what waits for what.

Covers: A4, A8
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparing.cli.main import main
from sparing.desk.features.dependencies import landed_features, sort_ready, unmet
from sparing.desk.features.start_input import StartInput
from sparing.desk.gates import answers
from sparing.desk.office import Office, open_office
from sparing.desk.projects import projects
from sparing.errors import FeatureError
from sparing.feature import Background
from tests.desk.standing import NOW
from tests.repositories import commit_files, git, make_repository

ROADMAP = """# Roadmap: Payments

## Execution Order

1. **007-record-a-payment** — A clerk records one (depends on: none)
2. **008-correct-a-payment** — A clerk corrects one (depends on: 007-record-a-payment)
3. **009-monthly-statement** — A month at a glance (depends on: 007, 008)

## Milestones

### M1: First money
- 007-record-a-payment
"""
PRD = "# PRD\n\n## Goals\n- Payments are right.\n"


def completed(name: str) -> dict[str, str]:
    return {f"docs/features/{name}/.meta.json": json.dumps({"status": "completed"})}


def with_files(folder: Path, files: Mapping[str, str] | None = None) -> Office:
    """In a repository to which the test itself commits, as a person does."""
    return open_office(make_repository(folder / "repository", {"a.txt": "a", **(files or {})}))


def payments(folder: Path) -> Office:
    where = "docs/projects/P003-payments"
    return with_files(folder, {f"{where}/roadmap.md": ROADMAP, f"{where}/prd.md": PRD})


def standings(office: Office) -> list[str]:
    return [one.standing for one in projects.find(office).features]


def test_a_project_of_the_base_branch(tmp_path: Path) -> None:
    """A8: whoever made it."""
    office = payments(tmp_path)
    found = projects.find(office, "p3")
    assert (found.id, found.name, found.goals) == (
        "P003",
        "P003-payments",
        ("Payments are right.",),
    )
    assert [(one.name, one.standing, one.waits_for) for one in found.features] == [
        ("007-record-a-payment", "ready", ()),
        ("008-correct-a-payment", "waiting", ("007-record-a-payment (not begun)",)),
        (
            "009-monthly-statement",
            "waiting",
            ("007-record-a-payment (not begun)", "008-correct-a-payment (not begun)"),
        ),
    ]
    assert [(one.name, one.done) for one in found.milestones] == [("M1: First money", 0)]
    assert projects.as_json(found)["next_command"] == "sparing project next P003"


def test_the_next_feature_has_the_number_and_the_folder_of_the_roadmap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A8, A4: and no other feature gets a number that was promised."""
    office = payments(tmp_path)
    assert answers.start(office, "Something else", "L1", {}, NOW).feature.id == "010"
    row = projects.start_next(office, projects.find(office), "L1", {}, NOW)
    assert (row.feature.name, row.feature.title) == ("007-record-a-payment", "Record a payment")
    assert row.background == Background(description="A clerk records one", project="P003")
    assert standings(office) == ["started, not run yet", "waiting", "waiting"]
    with pytest.raises(FeatureError, match="no feature of P003 can start now") as waits:
        projects.start_next(office, projects.find(office), "L1", {}, NOW)
    assert waits.value.repair == "sparing project show P003"
    monkeypatch.chdir(office.repository.checkout)
    assert main(("project", "show", "P003")) == 0
    assert "started, not run yet" in capsys.readouterr().out
    taken = StartInput(number=7, slug="record-a-payment")
    with pytest.raises(FeatureError, match="there is a feature 007 already") as twice:
        answers.start(office, "Record a payment", "L1", {}, NOW, taken)
    assert twice.value.repair == "sparing list"
    assert main(("list",)) == 0
    assert "007" in capsys.readouterr().out


def test_a_feature_that_waits_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A8, K1: in no colour of its own, which once was none that the screen knew."""
    office = payments(tmp_path)
    monkeypatch.chdir(office.repository.checkout)
    assert main(("project", "show")) == 0
    assert "(waiting" in capsys.readouterr().out


def test_what_is_done_in_the_base_branch_lets_others_begin(tmp_path: Path) -> None:
    """A8"""
    office = payments(tmp_path)
    commit_files(office.repository.checkout, completed("007-record-a-payment"), "done")
    assert standings(office) == ["done", "ready", "waiting"]
    row = projects.start_next(office, projects.find(office), "L1", {}, NOW)
    assert row.background.depends_on == ("007-record-a-payment",)
    assert unmet(row, landed_features(office)) == ()


def test_a_feature_waits_and_then_starts_from_where_the_base_is(
    tmp_path: Path,
) -> None:
    """A8"""
    office = with_files(tmp_path)
    first = answers.start(office, "First", "L1", {}, NOW)
    waits = StartInput(Background(depends_on=(first.feature.name,)))
    second = answers.start(office, "Second", "L1", {}, NOW, waits)
    found = sort_ready(office, [first, second])
    assert found.ready == [first]
    assert found.waiting == [(second, ("001-first (planned)",))]
    commit_files(office.repository.checkout, completed("001-first"), "done")
    [ready] = sort_ready(office, [second]).ready
    assert ready.feature.base_commit == git(office.repository.checkout, "rev-parse", "HEAD")
    assert (ready.head, ready.place["head"]) == (ready.feature.base_commit,) * 2
    assert ready.feature.base_commit != second.feature.base_commit


def test_a_circle_on_the_roadmap_is_shown_and_nothing_begins(
    tmp_path: Path,
) -> None:
    """A8"""
    circular = ROADMAP.replace("(depends on: none)", "(depends on: 009)")
    files = {"docs/projects/P001-x/roadmap.md": circular}
    office = with_files(tmp_path, files)
    found = projects.find(office)
    assert found.circle == (
        "007-record-a-payment", "009-monthly-statement", "007-record-a-payment",
    )  # fmt: skip
    with pytest.raises(
        FeatureError, match="these features wait for each other: 007-record-a-payment → 009"
    ):
        projects.start_next(office, found, "L1", {}, NOW)


def test_a_new_project_has_a_row_of_numbers_of_its_own(tmp_path: Path) -> None:
    """A8, A4: features are counted as if it were not there."""
    office = payments(tmp_path)
    row = projects.new(office, projects.from_words("Reports for all"), {}, NOW)
    assert (row.feature.id, row.feature.branch) == ("P004", "project/P004-reports-for-all")
    assert row.feature.flow == "project"
    assert answers.find(office, "P004") == answers.find(office, "p4") == row
    assert answers.find(office, "reports-for-all") == row
    assert answers.start(office, "A feature", "L1", {}, NOW).feature.id == "010"
    assert projects.new(office, projects.from_words("More"), {}, NOW).feature.id == "P005"
    outside = projects.find(office, "P004")
    assert (outside.in_base, outside.next_command) == (False, "sparing run P004")
    with pytest.raises(FeatureError, match="is not in main yet"):
        projects.start_next(office, outside, "L1", {}, NOW)


def test_projects_that_are_not_there(tmp_path: Path) -> None:
    """A8: broken ones are shown as far as they can be read."""
    office = with_files(tmp_path)
    for name in ("", "P001", "nothing"):
        with pytest.raises(FeatureError, match="there is no project"):
            projects.find(office, name)
    files = {
        "docs/projects/P001-bare/notes.txt": "x",
        "docs/projects/P002-odd/roadmap.md": "\0\n1. nothing\n",
        "docs/projects/no-project/roadmap.md": ROADMAP,
    }
    commit_files(office.repository.checkout, files, "odd ones")
    assert [(one.id, one.features) for one in projects.views(office)] == [
        ("P001", ()),
        ("P002", ()),
    ]
    with pytest.raises(FeatureError, match="there are projects P001, P002"):
        projects.find(office)
