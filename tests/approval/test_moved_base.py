"""A base that is brought in marks approvals of sections that name a file which it changed.

Covers: A9, A12
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approval.scene import PLAN, SCRIPT, asked, edited, run, waiting, without_change
from tests.engine.built import Built
from tests.repositories import git, write_files

pytestmark = pytest.mark.long

NAMED = SCRIPT.replace("before anything else", "and README.md before anything else")
MARKED = (
    "changed since it was approved: README.md (base branch)",
    "depends on it: plan.md § Step 1: Count",
    "to redo only that: sparing refine 001",
)


def moved(folder: Path, script: str) -> Built:
    """At the gate of its code, with a base that has changed README.md and is brought in."""
    there = waiting(folder, script, gates="implement")
    write_files(there.repository, {"README.md": "# Another sample\n", "other.txt": "other\n"})
    git(there.repository, "add", "--all")
    git(there.repository, "commit", "--quiet", "-m", "Others work too")
    said = there.sparing("sync", "1")
    assert said.code == 0, said.err
    assert "approved before that: plan.md § Step 1: Count" in " ".join(said.err.split())
    return there


def shown(built: Built) -> str:
    return " ".join(built.sparing("show", "1").out.split())


@pytest.fixture
def there(tmp_path: Path) -> Built:
    return moved(tmp_path, without_change(NAMED, "plan-author"))


def test_the_section_that_names_a_changed_file_is_asked_again_and_no_other(there: Built) -> None:
    """A9, A12: told at the gate with the file and the command; its author gets the base's change,
    and once the stage is passed again nothing is told any more."""
    for line in MARKED:
        assert line in shown(there)
    assert "Step 2" not in shown(there)
    before = asked(there)
    said = there.sparing("refine", "1", "--yes")
    lines = [line.strip() for line in said.err.splitlines()]
    assert lines[:2] == [
        "changed since it was approved: README.md (base branch) (changed)",
        "to be redone: plan.md § Step 1: Count",
    ]
    assert "stays approved: brainstorm, specify, design" in lines
    run(there)
    assert asked(there)[len(before) :] == ["plan-author", "plan-reviewer", "phase-reviewer"]
    prompt = there.sparing("show", "prompt", "plan-author").out
    assert "- README.md (base branch): changed" in prompt
    assert "+# Another sample" in prompt
    assert "- Step 1: Count" in prompt
    assert "changed since it was approved" not in shown(there)
    row = there.sparing("list", "--json").json["features"][0]
    assert (row["stage"], row["position"]) == ("implement", "gate")


@pytest.mark.nightly
def test_it_can_be_approved_as_it_is(there: Built) -> None:
    """A9: a mark tells; it holds nobody up."""
    assert there.sparing("approve", "1").code == 0
    assert run_to_end(there) == "completed"


def run_to_end(built: Built) -> str:
    said = built.sparing("run", "--no-input", SPARING_FLOW__GATES="implement")
    assert said.code == 0, said.err
    return built.now.status.value


@pytest.mark.nightly
def test_a_section_that_you_rewrite_is_yours(there: Built) -> None:
    """A12: your own edit of the marked section counts as your approval of it."""
    edited(
        there, PLAN.replace("before anything else", "and README.md, as it is now, first"), "plan"
    )
    told = shown(there)
    assert "README.md (base branch)" not in told
    assert "changed since it was approved: plan.md § Step 1: Count" in told


@pytest.mark.nightly
def test_a_rerun_from_before_the_sync_takes_the_mark_back(there: Built) -> None:
    """A9: the feature no longer contains that base, so nothing below it changed."""
    assert there.sparing("rerun", "1", "implement", "--yes").code == 0
    assert there.now.feature.base_commit == there.row.feature.base_commit
    assert "README.md (base branch)" not in shown(there)


@pytest.mark.nightly
def test_a_base_that_changes_nothing_named_marks_nothing(tmp_path: Path) -> None:
    """A9: other.txt and README.md are named nowhere here."""
    there = waiting(tmp_path, SCRIPT, gates="implement")
    write_files(there.repository, {"README.md": "# Another sample\n"})
    git(there.repository, "commit", "--quiet", "-am", "Others work too")
    assert "approved before that" not in there.sparing("sync", "1").err
    assert "changed since it was approved" not in shown(there)
