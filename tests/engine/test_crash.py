"""kill -9 at a crash point, then go on: the same commits as if nothing had happened.

Covers: I1, H3
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import git
from tests.terminal import sparing

KILLED = -9
POINTS = ("decide:end@12", "call:end@5", "commit:end@2", "settle:end@2", "handover:end")
"""Of the whole demo: before and after an agent, a commit, a gate and the merge."""
SMALL = (
    "open:begin", "open:end", "prepare:begin@2", "prepare:end", "call:begin", "call:end",
    "judge:begin", "judge:end", "remember:begin", "remember:end@2", "report:begin", "report:end",
    "guard:begin", "guard:end", "commit:begin", "commit:end", "check:begin", "check:end",
    "close:begin@2", "close:end", "settle:begin", "settle:end", "handover:begin", "decide:begin@3",
)  # fmt: skip
"""Points that the smallest tiers pass too."""


def undisturbed(tmp_path: Path, *options: str) -> str:
    said = sparing(tmp_path, "demo", "--keep", "undisturbed", "--json", *options)
    assert said.code == 0, said.err
    return git(tmp_path / "undisturbed" / "wordtally", "rev-parse", "main")


def killed_and_continued(tmp_path: Path, point: str, *options: str) -> str:
    said = sparing(tmp_path, "demo", "--keep", "killed", *options, SPARING_ENGINE__CRASH_AT=point)
    assert said.code == KILLED, said.err
    repository = tmp_path / "killed" / "wordtally"
    again = sparing(repository, "run", "--yes")
    assert again.code == 0, again.err
    return git(repository, "rev-parse", "main")


@pytest.mark.parametrize("point", POINTS)
def test_the_demo_ends_with_the_same_commits(tmp_path: Path, point: str) -> None:
    """I1: whatever the moment, same tree and commit ids."""
    assert killed_and_continued(tmp_path, point) == undisturbed(tmp_path)


@pytest.mark.parametrize("part", range(2))
def test_a_tier_survives_every_point_it_passes(tmp_path: Path, part: int) -> None:
    """I1: L3 has every kind of step but the tasks."""
    expected = undisturbed(tmp_path, "--tier", "L3")
    for point in SMALL[part::2]:
        folder = tmp_path / point.replace(":", "-")
        folder.mkdir()
        assert killed_and_continued(folder, point, "--tier", "L3") == expected, point
