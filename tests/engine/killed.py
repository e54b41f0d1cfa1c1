"""Runs of the demo that are killed again and again, for tests of what is left in the end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.repositories import git
from tests.terminal import sparing

KILLED = -9
WHOLE: tuple[str, ...] = ()
TIER = ("--tier", "L3")
KILLS: dict[tuple[str, ...], tuple[str, ...]] = {
    WHOLE: (
        "research:end",
        "call:end@5",
        "settle:end",
        "decide:end@6",
        "tasks:end",
        "prove:end@2",
        "survey:end",
        "learn:end",
        "handover:end",
    ),
    TIER: (
        "open:end",
        "prepare:end",
        "commit:end",
        "judge:end",
        "report:end",
        "check:end",
        "close:end",
    ),
}
"""One run each of the whole demo and of the largest tier, killed at all of these, one after the
other: between them they have every kind of step. What lies between an end and the next begin is
the same moment, so the ends stand for both."""
OFTEN = ("prepare:end", "commit:end", "close:end")
"""Those of the tier's at which `make test` kills it: before a turn is paid, after its commit, and
after the stage's own."""


def undisturbed(folder: Path, *options: str) -> str:
    said = sparing(folder, "demo", "--keep", "whole", "--json", *options)
    assert (said.code, said.json["merged"], said.json["status"]) == (0, True, "completed"), said.err
    assert said.json["flow"] == (options[-1] if options else "feature")
    return git(folder / "whole" / "wordtally", "rev-parse", "main")


def assert_it_can_be_looked_at(repository: Path) -> None:
    """A1, A2: what a kept demo leaves behind."""
    shown = sparing(repository, "show", "1", "--json").json
    spec = [r for r in shown["reviews"] if r["role"] == "spec-reviewer"]
    assert [(r["iteration"], r["passed"]) for r in spec] == [(1, False), (2, True)]
    assert sparing(repository, "show", "1", "spec").out.startswith("# Spec")
    assert sparing(repository, "status").code == 0
    assert "--top" in (repository / "README.md").read_text()
    assert git(repository, "status", "--porcelain") == ""
    tests = subprocess.run(
        (sys.executable, "-m", "unittest"), cwd=repository, capture_output=True, check=False
    )
    assert tests.returncode == 0


def killed_and_continued(folder: Path, points: Sequence[str], *options: str) -> str:
    repository = folder / "killed" / "wordtally"
    where, words = folder, ("demo", "--keep", "killed", *options)
    for point in points:
        said = sparing(where, *words, environ={"SPARING_ENGINE__CRASH_AT": point})
        assert said.code == KILLED, f"{point}: {said.err}"
        where, words = repository, ("run", "--yes")
    again = sparing(repository, "run", "--yes")
    assert again.code == 0, again.err
    return git(repository, "rev-parse", "main")
