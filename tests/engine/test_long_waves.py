"""Tasks side by side: the same tree as one after the other, whatever conflicts or dies.

One run, killed while a lane is in its turn and another has committed, and once more right after
the merge. `python -m bench.waves` compares with a run of one task after the other, and its time.
Covers: D1, I1, H1, H3
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.repositories import commit_files, git

TASKS = (
    task("1", "One", "one.txt")
    + task("2", "Two", "two.txt")
    + task("3", "Three", "three.txt", after="1, 2")
    + task("4", "Four", "four.txt", after="1, 2")
)
"""Two waves. The tasks of the second both touch a file that neither of them names."""
EDITS = {
    "1": {"one.txt": "1"},
    "2": {"two.txt": "2"},
    "3": {"three.txt": "3", "shared.txt": "three was here"},
    "4": {"four.txt": "4", "shared.txt": "four was here"},
}
SCRIPT = "".join(turn(one, files, seconds=0.3) for one, files in EDITS.items()) + SATISFIED
AT_A_GATE, KILLED = 2, -9


@pytest.fixture(scope="module")
def waves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        built = build(tmp_path_factory.mktemp("waves"), TASKS, SCRIPT, flow__waves=2)
        for point in ("commit:end", "join:end"):
            said = built.sparing("run", SPARING_ENGINE__CRASH_AT=point)
            assert said.code == KILLED, f"{point}: {said.err}"
        said = built.sparing("run")
        assert said.code == AT_A_GATE, said.err
        yield built


def test_the_tree_is_that_of_one_after_the_other(waves: Built, tmp_path: Path) -> None:
    """D1, I1: what conflicts is done again on what is there; what died went on."""
    git(tmp_path, "clone", "--quiet", str(waves.repository), "serial")
    for files in EDITS.values():
        commit_files(tmp_path / "serial", files, "a task")
    expected = git(tmp_path / "serial", "ls-tree", "-r", "HEAD").splitlines()
    made = waves.git("ls-tree", "-r", waves.row.feature.branch).splitlines()
    assert [line for line in made if "\tdocs/" not in line] == expected
    headings = [line for line in waves.log().splitlines() if line.startswith("## Task")]
    assert headings == [f"## Task {n}" for n in ("1: One", "2: Two", "3: Three", "4: Four")]
    assert "- done: 1, 2, 3, 4; skipped: none; blocked: none" in waves.log()


def test_two_tasks_were_worked_on_at_once(waves: Built) -> None:
    """D1: the second was asked before the first had made anything."""
    kinds = [one.kind for one in waves.told() if one.kind in ("asks", "commit")]
    assert kinds[:3] == ["asks", "asks", "commit"]


def test_a_conflict_is_told_and_nothing_of_it_is_lost(waves: Built) -> None:
    told = [one.text for one in waves.told() if one.kind == "warning"]
    assert any(
        "task 4 runs again, after the others of its wave: it conflicts in shared.txt" in text
        for text in told
    )
    kept = waves.git("for-each-ref", "--format=%(objectname)", "refs/sparing/salvage").splitlines()
    texts = {git(waves.repository, "show", f"{one}:shared.txt", ok=False) for one in kept}
    assert "four was here" in texts


def test_the_lanes_are_gone(waves: Built) -> None:
    """H1: neither a worktree nor a branch of a lane stays behind."""
    assert waves.git("for-each-ref", "refs/heads/sparing") == ""
    assert waves.git("worktree", "list").count("\n") == 1
    assert list((waves.folder / "state").rglob("*+*")) == []
    assert [one.text for one in waves.told() if one.kind == "incident"] == []
