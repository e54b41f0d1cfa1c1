"""A base branch that moves while a feature is under way is brought in, and nothing else moves.

Covers: A9
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, task, turn
from tests.repositories import git
from tests.upstream.scene import Scene, scene

pytestmark = pytest.mark.long

TASKS = task("1", "Change the shared file", "shared.txt")
OURS = "one\ntwo of ours\nthree\n"
THEIRS = "one\ntwo of theirs\nthree\n"
BOTH = "one\ntwo of both\nthree\n"
RESOLVES = f"""
[[turn]]
role = "implementer"
prompt = "# This turn: the base branch was merged"
reply = "Both are kept."
[[turn.edit]]
path = "shared.txt"
text = '''{BOTH}'''
"""


def waiting(folder: Path, script: str = RESOLVES) -> Scene:
    """At the gate of its implement stage."""
    found = scene(folder, TASKS, script + turn("1", {"shared.txt": OURS}) + SATISFIED)
    said = found.built.sparing("run", "--no-input")
    assert said.code == 2, said.err
    return found


@pytest.fixture
def there(tmp_path: Path) -> Scene:
    return waiting(tmp_path)


def test_it_is_told_with_what_it_touches(there: Scene) -> None:
    """A9: at the gate, of the remote's branch as far as git knows it, with the command."""
    there.push({"shared.txt": THEIRS})
    assert "moved on" not in there.built.sparing("show", "1").out
    there.fetch()
    said = " ".join(there.built.sparing("show", "1").out.split())
    assert (
        "origin/main has moved on: 1 commit since this feature began; both changed shared.txt"
    ) in said
    assert "tasks 1 name files that changed there" in said
    assert "to bring it in: sparing sync 001" in said


def test_a_clean_merge(there: Scene) -> None:
    """A9: fetched, merged in the worktree, the checks run; the same gate waits again."""
    base = there.push({"other.txt": "another\n", "new.txt": "new\n"})
    before, old = there.checkout(), there.tip
    said = there.built.sparing("sync", "1", "--fetch")
    assert said.code == 0, said.err
    assert "merged with main" in said.err
    assert there.parents() == [old, base]
    assert (there.text("new.txt"), there.text("shared.txt")) == ("new", OURS.strip())
    assert there.checkout() == before
    row = there.built.sparing("list", "--json").json["features"][0]
    assert (row["stage"], row["position"]) == ("implement", "gate")
    # Measured by the new base: what the base brought is not the feature's.
    shown = there.built.sparing("show", "1").out
    assert "moved on" not in shown
    changed = git(there.repository, "diff", "--name-only", there.built.now.feature.base_commit, old)
    assert "shared.txt" in changed
    assert there.built.sparing("sync", "1").out == "feature 001 already has everything in main\n"


def test_conflicts_go_to_the_implementer_with_both_sides(there: Scene) -> None:
    """A9: nobody pays without being asked; one merge commit comes of it, without markers."""
    base = there.push({"shared.txt": THEIRS})
    old = there.tip
    asked = there.built.sparing("sync", "1", "--fetch")
    assert asked.code == 2
    assert asked.complaint[-2:] == (
        "error: an agent has to resolve conflicts in shared.txt; a person has to agree",
        "fix: sparing sync 001 --yes",
    )
    assert there.tip == old
    said = there.built.sparing("sync", "1", "--yes")
    assert said.code == 0, said.err
    assert there.text("shared.txt") == BOTH.strip()
    assert there.parents() == [old, base]
    assert "settled in 1 turn of an agent: 1 check green" in said.err
    prompt = there.built.sparing("show", "prompt", "implementer").out
    assert 'name="conflict shared.txt">\nshared.txt:\n' in prompt
    assert "two of ours" in prompt
    assert "two of theirs" in prompt
    assert git(there.repository, "for-each-ref", "refs/heads/sparing/") == ""


def test_what_the_agent_does_not_settle_changes_nothing(tmp_path: Path) -> None:
    """A9: after three tries the gate says why; the branch stands where it stood."""
    idle = RESOLVES.replace(BOTH, "<<<<<<< ours\nstill\n>>>>>>> theirs\n")
    there = waiting(tmp_path, idle)
    there.push({"shared.txt": THEIRS})
    old = there.tip
    said = there.built.sparing("sync", "1", "--fetch", "--yes")
    assert said.code == 2, said.err
    told = "the base branch was not brought in: conflicts in shared.txt after 3 tries"
    assert told in said.err
    assert there.tip == old
    assert there.built.now.feature.base_commit == there.built.row.feature.base_commit
    # The same gate still takes its answers.
    assert there.built.sparing("approve", "1").code == 0


def test_a_merge_that_turns_the_checks_red_is_settled_too(tmp_path: Path) -> None:
    """A9: nothing conflicts and still it does not fit: the checks' words go to the implementer."""
    fixes = RESOLVES.replace('path = "shared.txt"', 'path = "wanted.txt"')
    there = waiting(tmp_path, fixes)
    base = there.push({"Makefile": "test:\n\t! grep -q ours shared.txt || test -e wanted.txt\n"})
    old = there.tip
    said = there.built.sparing("sync", "1", "--fetch", "--yes")
    assert (said.code, "settled in 1 turn of an agent" in said.err) == (0, True), said.err
    assert (there.parents(), there.text("wanted.txt")) == ([old, base], BOTH.strip())


def test_a_rebase(there: Scene) -> None:
    """A9: the feature's own commits on top, the old ones under a ref; what is red in the base too
    is not the feature's, and no ref of the user's moved."""
    tracked = git(there.repository, "rev-parse", "origin/main")
    base, old = there.push({"broken": "yes\n"}), there.tip
    said = there.built.sparing("sync", "1", "--fetch", "--rebase")
    assert (said.code, "1 red as in main" in said.err) == (0, True), said.err
    assert git(there.repository, "merge-base", there.tip, base) == base
    assert git(there.repository, "rev-list", "--merges", f"{base}..{there.tip}") == ""
    kept = git(there.repository, "for-each-ref", "--format=%(objectname)", "refs/sparing/salvage/")
    assert old in kept.split()
    assert git(there.repository, "rev-parse", "origin/main") == tracked
    # It can go back behind that, and is measured by its old base then.
    assert there.built.sparing("rerun", "1", "--yes").code == 0
    assert there.built.now.feature.base_commit == there.built.row.feature.base_commit


def test_refused_while_it_runs_and_with_changes_of_yours(there: Scene) -> None:
    """A9: two lines each, and nothing is lost."""
    there.push({"other.txt": "another\n"})
    there.fetch()
    (tree,) = (there.built.folder / "state").rglob("worktrees/001-write-files")
    (tree / "mine.txt").write_text("mine\n")
    said = there.built.sparing("sync", "1")
    assert said.complaint == (
        "error: the worktree of feature 001 has uncommitted changes: mine.txt",
        "fix: have them committed: sparing edit 001; then: sparing sync 001",
    )
    (tree / "mine.txt").unlink()
    assert there.built.sparing("sync", "1", "--later").code == 0
    again = there.built.sparing("sync", "1")
    assert "this gate is already answered (sync by terminal at" in again.err
    with there.built.database().write() as tx:
        tx.execute("update features set running = 1")
    said = there.built.sparing("sync", "1")
    assert said.complaint == ("error: feature 001 is running", "fix: first: sparing pause 001")
