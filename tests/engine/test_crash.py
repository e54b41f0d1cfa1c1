"""kill -9 at a crash point, then go on: the same commits as if nothing had happened.

Covers: I1, H3
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.repositories import git
from tests.terminal import sparing

KILLED = -9
POINTS = ("decide:end@12", "call:end@5", "tasks:end", "settle:end@2", "handover:end")
"""Of the whole demo: before and after an agent, the tasks, a gate and the merge."""
TIER = {
    "L1": ("open:end", "prepare:end", "commit:end", "check:end", "close:end"),
    "L3": ("judge:end", "report:end"),
}
"""Of the tiers, which have every other kind of step. What lies between an end and the next begin
is the same moment, so the ends stand for both."""


@cache
def undisturbed(*options: str) -> str:
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "demo"
        said = sparing(Path(folder), "demo", "--keep", str(kept), "--json", *options)
        assert said.code == 0, said.err
        return git(kept / "wordtally", "rev-parse", "main")


def killed_and_continued(folder: Path, point: str, *options: str) -> str:
    said = sparing(
        folder, "demo", "--keep", "killed", *options, environ={"SPARING_ENGINE__CRASH_AT": point}
    )
    assert said.code == KILLED, said.err
    repository = folder / "killed" / "wordtally"
    again = sparing(repository, "run", "--yes")
    assert again.code == 0, again.err
    return git(repository, "rev-parse", "main")


@pytest.mark.parametrize("point", POINTS)
def test_the_demo_ends_with_the_same_commits(tmp_path: Path, point: str) -> None:
    """I1: whatever the moment, same tree and commit ids."""
    assert killed_and_continued(tmp_path, point) == undisturbed()


@pytest.mark.parametrize("tier", TIER)
def test_a_tier_survives_every_step_it_has(tmp_path: Path, tier: str) -> None:
    """I1"""
    for point in TIER[tier]:
        folder = tmp_path / point.replace(":", "-")
        folder.mkdir()
        found = killed_and_continued(folder, point, "--tier", tier)
        assert found == undisturbed("--tier", tier), point
