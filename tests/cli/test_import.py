"""`sparing import` as a person types it, and each of its hints.

Covers: K6, K1
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.foreign.folders import HERE
from tests.repositories import make_repository
from tests.terminal import Said, sparing

USAGE, DONE, WRONG = 64, 0, 1
BOTH = ("kiro/search", "kiro/photo-upload")


class Typed:
    def __init__(self, folder: Path) -> None:
        self.repository = make_repository(folder / "repository", {"README.md": "# Sample\n"})
        self._environ = {
            "HOME": str(folder / "home"),
            "SPARING_STATE__FOLDER": str(folder / "state"),
            "SPARING_AGENT__BACKEND": "scripted",
        }

    def __call__(self, *words: str) -> Said:
        return sparing(self.repository, *words, environ=self._environ)

    def lay(self, place: str, where: str) -> None:
        shutil.copytree(HERE / place, self.repository / where)


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    return Typed(tmp_path)


def test_nothing_is_found_and_a_folder_is_named(typed: Typed) -> None:
    said = typed("import")
    assert (said.code, said.complaint) == (
        USAGE,
        (
            "error: no specs of another tool were found in specs/, openspec/changes/,"
            " .kiro/specs/ and docs/features/",
            "fix: name their folder: sparing import PATH",
        ),
    )
    typed.lay("spec-kit/021-dark-mode", "elsewhere/dark")
    assert typed("import", "elsewhere/dark").code == DONE


def test_one_folder_is_taken_and_not_twice(typed: Typed) -> None:
    typed.lay("kiro/search", ".kiro/specs/search")
    assert "starts at design" in typed("import").out
    said = typed("import")
    assert (said.code, said.complaint) == (
        WRONG,
        (
            "error: .kiro/specs/search was imported as feature 001",
            "fix: see it: sparing show 001; again: sparing import .kiro/specs/search --again",
        ),
    )
    assert "Search" in typed("show", "001").out
    assert typed("import", ".kiro/specs/search", "--again").code == DONE


def test_of_several_one_is_named(typed: Typed) -> None:
    for place in BOTH:
        typed.lay(place, f".kiro/specs/{place.partition('/')[2]}")
    said = typed("import", "auto")
    assert (said.code, said.complaint) == (
        USAGE,
        (
            "  .kiro/specs/photo-upload  Kiro",
            "  .kiro/specs/search  Kiro",
            "error: 2 folders hold specs, and each becomes its own feature",
            "fix: name it: sparing import .kiro/specs/photo-upload",
        ),
    )
    assert typed("import", ".kiro/specs/photo-upload").code == DONE


def test_a_folder_that_could_be_anybody_s(typed: Typed) -> None:
    typed.lay("iflow/009-stub", "stub")
    said = typed("import", "stub")
    assert said.code == USAGE
    assert said.complaint[-1] == "fix: name the tool: sparing import stub --format kiro"
    assert typed("import", "stub", "--format", "iflow").code == DONE


def test_a_folder_that_is_not_there(typed: Typed) -> None:
    said = typed("import", "nope")
    assert said.complaint == (
        "error: nope is not a folder",
        "fix: see what there is: sparing import auto",
    )


def test_a_dry_run_begins_nothing(typed: Typed) -> None:
    """The same figures as JSON, and no feature afterwards."""
    typed.lay("openspec/split-billing", "openspec/changes/split-billing")
    shown = typed("import", "--dry-run")
    assert "OpenSpec: 6 files, 4 tasks" in shown.out
    assert "nothing was started or written" in shown.out
    found = typed("import", "--dry-run", "--json").json
    assert (found["stage"], found["tasks"], len(found["files"])) == ("implement", 4, 6)
    assert typed("list", "--json").json["features"] == []


def test_the_plan_counts_the_stages_that_are_left(typed: Typed) -> None:
    """K1: documents that exist are not written, and nobody is asked about them."""
    typed.lay("openspec/split-billing", "openspec/changes/split-billing")
    said = typed("import")
    assert "feature: 2 stages from implement on, 2 ask you (imported" in " ".join(
        (said.out + said.err).split()
    )
