"""`sparing import`: where a feature starts, what is kept, and foreign folders that mean harm.

Covers: K6, A1, A3, H1, H4
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName as A
from sparing.desk.gates import answers
from sparing.desk.imports.specs import (
    MOST_FILES,
    SpecImport,
    find_specs,
    plan_import,
    refuse_again,
)
from sparing.desk.office import Office, open_office
from sparing.errors import FeatureError, UsageError
from sparing.flow.state import FlowState
from tests.desk.standing import NOW
from tests.foreign.folders import HERE
from tests.repositories import make_repository

PLACES = {
    "spec-kit": "specs",
    "openspec": "openspec/changes",
    "kiro": ".kiro/specs",
    "iflow": "docs/features",
}
STARTS = {
    "spec-kit/001-rate-limits": "implement",
    "spec-kit/014-export-csv": "implement",
    "spec-kit/021-dark-mode": "create-plan",
    "openspec/add-login-throttle": "implement",
    "openspec/split-billing": "implement",
    "openspec/update-readme-badges": "implement",
    "kiro/photo-upload": "implement",
    "kiro/audit-log": "design",
    "kiro/search": "design",
    "iflow/007-quiet-mode": "implement",
    "iflow/008-colour": "specify",
    "iflow/009-stub": "brainstorm",
}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    repository = make_repository(tmp_path / "repository", {"README.md": "# Sample\n"})
    return open_office(repository, {"state.folder": str(tmp_path / "state")})


def lay(office: Office, place: str) -> Path:
    """The fixture where its tool would have written it."""
    kind, _, name = place.partition("/")
    target = office.repository.checkout / PLACES[kind] / name
    shutil.copytree(HERE / place, target)
    return target


def written(office: Office, found: SpecImport) -> dict[str, str]:
    """What the feature's folder will hold."""
    row = answers.start(office, found.request.title, "feature", {}, NOW, found.request.beginning)
    return {name: office.folder.fetch(digest) for name, digest in row.place["given"]}


@pytest.mark.parametrize("place", STARTS)
def test_a_feature_starts_at_the_first_stage_without_a_fit_document(
    office: Office, place: str
) -> None:
    """K6, A1."""
    found = plan_import(office, lay(office, place))
    row = answers.start(office, found.request.title, "feature", {}, NOW, found.request.beginning)
    state = FlowState.load(row.place["state"])
    assert (state.stage, found.stage) == (STARTS[place], STARTS[place])


def test_what_is_not_taken_as_a_document_is_kept_and_said(office: Office) -> None:
    """K6: tasks without a design wait in the appendix until create-tasks is reached."""
    found = plan_import(office, lay(office, "kiro/audit-log"))
    files = written(office, found)
    assert set(files) == {"spec.md", "appendix.md"}
    assert "Write the line in `audit/log.py`" in files["appendix.md"]
    assert "Ask legal how long" in files["appendix.md"]
    assert found.notes == (
        "tasks.md is kept in appendix.md: it comes after design, which is not done yet",
    )
    assert {one.path: one.where for one in found.uses} == {
        "notes.md": "appendix.md",
        "requirements.md": "spec.md",
        "tasks.md": "appendix.md",
    }


def test_a_stub_is_no_document(office: Office) -> None:
    """A3."""
    found = plan_import(office, lay(office, "iflow/009-stub"))
    assert found.notes == (
        "spec.md is kept in appendix.md: spec.md has 11 characters, fewer than 100",
    )
    assert found.request.beginning.given == ()


def test_all_known_homes_are_searched_and_archives_are_not(office: Office) -> None:
    for place in ("spec-kit/014-export-csv", "openspec/split-billing", "kiro/search"):
        lay(office, place)
    archive = office.repository.checkout / "openspec/changes/archive/2026-01-01-old"
    archive.mkdir(parents=True)
    (archive / "proposal.md").write_text("# Old\n")
    assert [(one.place, one.format.value) for one in find_specs(office)] == [
        ("specs/014-export-csv", "spec-kit"),
        ("openspec/changes/split-billing", "OpenSpec"),
        (".kiro/specs/search", "Kiro"),
    ]


def test_a_folder_is_imported_once(office: Office) -> None:
    folder = lay(office, "kiro/search")
    found = plan_import(office, folder)
    refuse_again(office, ".kiro/specs/search")
    answers.start(office, found.request.title, "feature", {}, NOW, found.request.beginning)
    with pytest.raises(FeatureError) as caught:
        refuse_again(office, ".kiro/specs/search")
    assert caught.value.what == ".kiro/specs/search was imported as feature 001"


def test_a_link_out_of_the_folder_is_not_followed(office: Office, tmp_path: Path) -> None:
    """H4: neither a file nor a folder of the user's is read through it."""
    folder = lay(office, "kiro/search")
    secret = tmp_path / "elsewhere"
    secret.mkdir()
    (secret / "key.md").write_text("# the user's own\n")
    (folder / "a.md").symlink_to(secret / "key.md")
    (folder / "b").symlink_to(secret)
    found = plan_import(office, folder)
    why = {one.path: one.where for one in found.uses if one.where.startswith("left out")}
    link = "left out: a link that leads out of the folder"
    assert why == {"a.md": link, "b": link}
    assert "the user's own" not in "".join(written(office, found).values())


def test_what_is_no_text_is_left_out_with_its_reason(office: Office) -> None:
    folder = lay(office, "kiro/search")
    (folder / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    (folder / "bell.md").write_text("ring \x07\n")
    (folder / "large.md").write_text("x" * 400_001)
    found = plan_import(office, folder)
    assert {one.path: one.where for one in found.uses} == {
        "bell.md": "left out: is not plain text: it has control characters",
        "large.md": "left out: has more than 400 kB",
        "requirements.md": "spec.md",
        "shot.png": "left out: is not UTF-8 text",
    }


def test_a_folder_of_very_many_files_is_cut_and_said(office: Office) -> None:
    folder = lay(office, "kiro/search")
    for number in range(MOST_FILES + 5):
        (folder / f"n{number:03d}.md").write_text(f"note {number}\n")
    found = plan_import(office, folder)
    assert len([one for one in found.uses if "more than 200 files" in one.where]) == 6


@pytest.mark.parametrize(
    ("make", "what"),
    [
        ("nothing", "nothing is not a folder"),
        ("empty", "empty contains no specs of spec-kit, OpenSpec, Kiro or iflow"),
    ],
)
def test_a_folder_that_is_none(office: Office, make: str, what: str) -> None:
    if make == "empty":
        (office.repository.checkout / make).mkdir()
    with pytest.raises(UsageError) as caught:
        plan_import(office, office.repository.checkout / make)
    assert what in caught.value.what.replace(str(office.repository.checkout) + "/", "")


def test_the_imported_folder_stays_as_it_was(office: Office) -> None:
    """H1."""
    folder = lay(office, "spec-kit/001-rate-limits")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    written(office, plan_import(office, folder))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_documents_keep_their_place_in_the_flow(office: Office) -> None:
    found = plan_import(office, lay(office, "openspec/split-billing"))
    names = [name for name, _ in found.request.beginning.given]
    assert names == [A.PRD, A.DESIGN, A.SPEC, A.TASKS]
    assert found.request.beginning.background.source == "openspec/changes/split-billing"
