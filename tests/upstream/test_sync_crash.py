"""A sync that is killed in its midst comes to the same branch as one that is not.

Covers: A9, I1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.killed import KILLED
from tests.repositories import git
from tests.upstream.scene import Scene
from tests.upstream.test_sync import BOTH, OURS, THEIRS, waiting

pytestmark = pytest.mark.long

POINTS = ("sync:end", "call:end", "commit:end", "sync:end")
"""The look that finds the conflict, the agent's turn, its commit, and the one that moves the
branch: each is repeated after it has had its effect."""


def killed_at(there: Scene, *points: str, **environ: str) -> None:
    words = ("sync", "1", "--fetch", "--yes")
    for point in points:
        said = there.built.sparing(*words, SPARING_ENGINE__CRASH_AT=point, **environ)
        assert said.code == KILLED, f"{point}: {said.err}"
        words = ("run", "--no-input")
    said = there.built.sparing("run", "--no-input")
    assert said.code == 2, said.err


@pytest.mark.long
def test_killed_at_every_step_of_a_conflict(tmp_path: Path) -> None:
    """A9, I1: one merge with both parents, the agent asked once, and no worktree left over."""
    there = waiting(tmp_path)
    base, old, before = there.push({"shared.txt": THEIRS}), there.tip, there.checkout()
    killed_at(there, *POINTS)
    assert (there.parents(), there.text("shared.txt")) == ([old, base], BOTH.strip())
    assert there.checkout() == before
    assert git(there.repository, "for-each-ref", "refs/heads/sparing/") == ""
    assert len(git(there.repository, "worktree", "list").splitlines()) == 2
    asked = [one for one in there.built.told() if "resolve" in one.key and one.kind == "turn"]
    assert len(asked) <= 1


@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_killed_when_the_branch_has_moved(tmp_path: Path, how: str) -> None:
    """A9, I1: it has moved once, and the feature waits at its gate, measured by the new base."""
    there = waiting(tmp_path)
    base, old = there.push({"other.txt": "another\n"}), there.tip
    killed_at(there, "sync:end", SPARING_COMMITS__SYNC=how)
    if how == "merge":
        assert there.parents() == [old, base]
    assert there.built.now.feature.base_commit == base
    assert there.built.now.head == there.tip
    assert (there.text("other.txt"), there.text("shared.txt")) == ("another", OURS.strip())
