"""kill -9 in the life of a sparse worktree: the run continues to the tree of an undisturbed one.

Covers: I1, K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.built import Built, build
from tests.engine.killed import KILLED
from tests.implement.test_monorepo import API, FILES, SCRIPT, SIBLING, SPARSE, TASKS, ran
from tests.upstream.test_sparse_sync import SPARSE as SYNCED
from tests.upstream.test_sparse_sync import on_disk, waiting

pytestmark = pytest.mark.nightly

POINTS = ("open:end", "prepare:end", "call:end", "commit:begin", "commit:end", "check:end")
"""The worktree is made, has its files, an agent wrote in it, its commit is made, it was checked."""


def made(folder: Path) -> Built:
    return build(folder, TASKS, SCRIPT, {**FILES, **SIBLING}, **SPARSE)


def ended(built: Built) -> str:
    said = built.sparing("run", "--yes", SPARING_WORKSPACE__HAND_OVER="merge")
    assert said.code == 0, said.err
    assert dict(ran(built)) == {"implement": "1 green", "finish": "2 green"}
    return built.git("rev-parse", "main^{tree}")


@pytest.mark.nightly
def test_killed_from_the_making_to_the_first_commit(tmp_path: Path) -> None:
    """I1, K2: one kill after the other, and the tree of a run without any."""
    built = made(tmp_path / "killed")
    for point in POINTS:
        said = built.sparing("run", "--no-input", SPARING_ENGINE__CRASH_AT=point)
        assert said.code == KILLED, f"{point}: {said.err}"
    assert ended(built) == ended(made(tmp_path / "whole"))


def test_killed_before_the_first_commit(tmp_path: Path) -> None:
    """I1, K2: with an agent's work in a worktree of a part; the branch keeps the rest."""
    built = made(tmp_path)
    files = set(built.git("ls-tree", "-r", "--name-only", "main").splitlines())
    assert built.sparing("run", SPARING_ENGINE__CRASH_AT="commit:begin").code == KILLED
    assert built.sparing("run", "--no-input").code == 2
    shown = built.git("ls-tree", "-r", "--name-only", built.row.feature.branch)
    assert {*files, f"{API}/made.txt"} <= set(shown.splitlines())


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_killed_in_a_sync(tmp_path: Path, how: str) -> None:
    """I1, K2: others' files are on the branch, and stay out of the folder."""
    there = waiting(tmp_path)
    there.push({"web/w.txt": "other\n", "web/new.txt": "new\n", "api/b.txt": "b\n"})
    words = {**SYNCED, "SPARING_COMMITS__SYNC": how}
    said = there.built.sparing("sync", "1", "--fetch", SPARING_ENGINE__CRASH_AT="sync:end", **words)
    assert said.code == KILLED, said.err
    said = there.built.sparing("run", "--no-input", **words)
    assert said.code == 2, said.err
    assert (there.text("web/w.txt"), there.text("web/new.txt")) == ("other", "new")
    assert on_disk(there) == {"api/Makefile", "api/a.txt", "api/b.txt", "lib/shared.txt"}
    done = there.built.sparing("run", "--yes", SPARING_WORKSPACE__HAND_OVER="merge", **SYNCED)
    assert done.code == 0, done.err
    assert there.built.git("show", "main:web/new.txt") == "new"
