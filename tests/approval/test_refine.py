"""A change of the spec is followed to what depends on it, and to nothing else.

Covers: A12
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approval.scene import (
    NEW_REQUIREMENT,
    SCRIPT,
    SPEC,
    WANTED,
    asked,
    document,
    edited,
    run,
    waiting,
    without_change,
)
from tests.engine.built import Built

pytestmark = pytest.mark.long

LATER = [
    *("design-author", "design-reviewer", "phase-reviewer"),
    *("plan-author", "plan-reviewer", "phase-reviewer"),
    *("tasks-author", "task-reviewer", "phase-reviewer"),
    *("implementer 2", "implementation-reviewer", "code-quality-reviewer", "security-reviewer"),
]
"""Everybody who works on what depends on FR-2: not task 1."""
PLAN_LINES = (
    "to be redone: design.md § C2: Sorter",
    "to be redone: plan.md § Step 2: Sort",
    "to be redone: tasks.md § Task 2: Write the sorter",
    "to be redone: the code of task 2",
    "stays approved: brainstorm",
    "tasks that stay done: 1",
)


@pytest.fixture
def there(tmp_path: Path) -> Built:
    return waiting(tmp_path)


def test_only_what_depends_on_it_is_asked_again(there: Built) -> None:
    """A12: the list and its price come first; then the spec's author, its gate with what follows,
    and after the approval the sections that name FR-2, down to the code of task 2."""
    before, old = asked(there), document(there, "design.md")
    planned = there.sparing("refine", "1", WANTED, "--dry-run")
    assert planned.code == 0, planned.err
    lines = [line.strip() for line in planned.err.splitlines()]
    assert lines[0] == "spec-author changes spec.md § Requirements: FR-2"
    assert tuple(lines[1:-1]) == PLAN_LINES
    assert lines[-1].startswith("to come: $")
    assert lines[-1].endswith("(estimated)")
    refused = there.sparing("refine", "1", WANTED)
    assert (refused.code, refused.complaint[-2:]) == (
        2,
        (
            "error: that costs agent turns; a person has to agree",
            f'fix: sparing refine 001 "{WANTED}" --yes',
        ),
    )
    assert there.sparing("refine", "1", WANTED, "--yes").code == 0
    at_gate = run(there)
    assert asked(there)[len(before) :] == ["spec-author", "spec-reviewer", "phase-reviewer"]
    assert "redone if you approve: design.md § C2: Sorter" in at_gate.err
    assert there.sparing("approve", "1").code == 0
    said = run(there)
    assert asked(there)[len(before) + 3 :] == LATER, said.err
    assert NEW_REQUIREMENT in document(there, "spec.md")
    new = document(there, "design.md")
    assert new != old
    assert new.partition("## C2")[0] == old.partition("## C2")[0]
    branch = there.row.feature.branch
    assert (there.git("show", f"{branch}:count.txt"), there.git("show", f"{branch}:sort.txt")) == (
        "counts",
        "by count",
    )
    row = there.sparing("list", "--json").json["features"][0]
    assert (row["stage"], row["position"]) == ("implement", "gate")
    assert "changed since it was approved" not in there.sparing("show", "1").out


def test_authors_get_the_change_and_reviewers_only_what_it_concerns(there: Built) -> None:
    """A12: the delta names the changed section; what stays approved is not sent again."""
    assert there.sparing("refine", "1", WANTED, "--yes").code == 0
    run(there)
    assert there.sparing("approve", "1").code == 0
    run(there)
    author = there.sparing("show", "prompt", "design-author").out
    assert "- spec.md § Requirements: FR-2: changed" in author
    assert f"+- **FR-2**: {NEW_REQUIREMENT}" in author
    assert "- C2: Sorter" in author
    reviewer = there.sparing("show", "prompt", "design-reviewer").out
    assert NEW_REQUIREMENT in reviewer
    assert "by count, with what the counter has found" in reviewer
    assert "Does FR-1 in one pass" not in reviewer
    assert "more in this document: approved before, and not changed since" in reviewer
    code = there.sparing("show", "prompt", "security-reviewer").out
    assert "+by count" in code
    assert "+counts" not in code


def test_an_edit_of_yours_is_followed(there: Built) -> None:
    """A12: what rests on it is said at once and at the gate; without words only that is asked."""
    before = asked(there)
    said = edited(there, SPEC.replace("Words are sorted by name.", NEW_REQUIREMENT))
    told = (
        "changed since it was approved: spec.md § Requirements: FR-2",
        "depends on it: design.md § C2: Sorter",
        "to redo only that: sparing refine 001",
    )
    shown = there.sparing("show", "1").out
    for line in told:
        assert line in said.err
        assert line in shown
    assert "§ C1" not in shown
    facts = there.sparing("refine", "1", "--json", "--yes").json
    assert facts["changed"] == [
        {"document": "spec.md", "name": "Requirements: FR-2", "kind": "changed"}
    ]
    assert [one["stage"] for one in facts["asked_again"]] == [
        *("design", "create-plan", "create-tasks", "implement")
    ]
    assert (facts["stays_done"], facts["asked_again"][-1]["tasks"]) == (["1"], ["2"])
    run(there)
    assert asked(there)[len(before) :] == LATER


def test_what_nothing_depends_on_costs_nothing(there: Built) -> None:
    """A12: a section that nobody names changes no approval, and nothing is written."""
    edited(there, SPEC.replace("Both files are there", "Both files are really there"))
    assert "depends on it" not in there.sparing("show", "1").out
    said = there.sparing("refine", "1", "--yes")
    assert said.code == 0
    assert "nothing depends on it" in said.err
    assert "changed since it was approved: spec.md § Acceptance Criteria (changed)" in said.err
    assert there.sparing("approve", "1").code == 0


def test_an_author_that_changes_nothing_ends_it_there(tmp_path: Path) -> None:
    """A12: what did not change in the end concerns nobody below it; the same gate waits again."""
    there = waiting(tmp_path, without_change(SCRIPT, "design-author"))
    edited(there, SPEC.replace("Words are sorted by name.", NEW_REQUIREMENT))
    before = asked(there)
    assert there.sparing("refine", "1", "--yes").code == 0
    said = run(there)
    assert asked(there)[len(before) :] == ["design-author", "design-reviewer", "phase-reviewer"]
    assert "001 waits: your approval of implement" in said.err
    assert there.git("show", f"{there.row.feature.branch}:sort.txt") == "by name"


def test_approvals_from_before_sections_were_kept(there: Built) -> None:
    """A12, I4: what a stage was passed with is read from the commit at which the next one began."""
    with there.database().write() as tx:
        tx.execute("delete from approvals")
    edited(there, SPEC.replace("Words are sorted by name.", NEW_REQUIREMENT))
    before = asked(there)
    planned = there.sparing("refine", "1", "--yes")
    lines = [line.strip() for line in planned.err.splitlines()]
    assert (tuple(lines[1:5]), lines[6]) == (PLAN_LINES[:4], PLAN_LINES[5])
    run(there)
    assert asked(there)[len(before) :] == LATER


def test_a_document_of_a_later_stage(there: Built) -> None:
    """A12: what comes before it is not looked at, and stays approved."""
    before = asked(there)
    said = there.sparing("refine", "1", "C2 keeps a list", "--document", "design", "--yes")
    assert "stays approved: brainstorm, specify" in said.err
    run(there)
    assert asked(there)[len(before) :] == LATER


def test_refused_in_two_lines(tmp_path: Path) -> None:
    """A12: no such feature or document, not begun, nothing changed, no sections, at work, over."""
    there = waiting(tmp_path)

    def complaint(*words: str) -> tuple[str, ...]:
        said = there.sparing("refine", *words)
        assert said.code != 0
        return said.complaint

    assert complaint("7", "x")[0] == "error: there is no feature '7' here"
    assert complaint("1", "x", "--document", "readme") == (
        "error: there is no document 'readme'",
        "fix: documents: prd, spec, design, plan, tasks",
    )
    assert complaint("1") == (
        "error: nothing changed in the documents of feature 001 since they were approved",
        'fix: sparing refine 001 "say what should be different"',
    )
    assert complaint("1", "\x07")[0].startswith("error: that is not plain text")
    (draft,) = (there.folder / "state").rglob("worktrees/001-*/docs/features/001-*/design.md")
    draft.write_text(f"{(kept := draft.read_text())}\nMine.\n")
    assert complaint("1", "x")[1] == (
        "fix: have them committed: sparing edit 001; then: sparing refine 001"
    )
    draft.write_text(kept)
    with there.database().write() as tx:
        tx.execute("update features set flow = 'L3'")
    assert complaint("1", "x") == (
        "error: feature 001 follows the flow L3, whose stages share one session",
        "fix: run a stage again: sparing rerun 001 STAGE",
    )
    with there.database().write() as tx:
        tx.execute("update features set flow = 'feature'")
    edited(there, "# Spec\n\n" + "Words are counted and sorted, and nothing else is done. " * 4)
    assert complaint("1", "shorter") == (
        "error: spec.md of feature 001 has no sections (`## ` headings)",
        "fix: give it some: sparing edit 001 spec",
    )
    with there.database().write() as tx:
        tx.execute("update features set running = 1")
    assert complaint("1", "x") == (
        "error: feature 001 is running",
        "fix: first: sparing pause 001",
    )
    with there.database().write() as tx:
        tx.execute("update features set running = 0, status = 'completed'")
    assert complaint("1", "x") == (
        "error: feature 001 is completed",
        "fix: sparing show 001",
    )
