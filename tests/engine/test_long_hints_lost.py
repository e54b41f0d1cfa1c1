"""A hint repairs what is lost under a run: room on a disk, a folder, a worktree, a repository.

Covers: A3, I3, K1
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.beside import until
from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.terminal import QUICK

pytestmark = pytest.mark.long

ONE = task("1", "Make one", "one.txt")
SCRIPT = turn("1", {"one.txt": "1\n"}) + SATISFIED
NAME = "001-write-files"
FULL_GIT = """#!/bin/sh
case " $* " in *" update-ref "*)
  if test -e {flag}; then echo 'error: refs: No space left on device' >&2; exit 128; fi;;
esac
exec {git} "$@"
"""


def continued(built: Built, **environ: str) -> None:
    """What is named first, and then what that names: the gate behind the task."""
    shown = built.sparing("show", "1", "--json").json
    assert shown["next_command"] == "sparing resume 001", shown
    again = built.sparing("resume", "001", **environ)
    assert again.out.splitlines()[-1].strip() == "sparing run 001", again
    assert built.sparing("run", "001", "--no-input", **environ).code == 2
    shown = built.sparing("show", "1", "--json").json
    assert (shown["stage"], shown["position"]) == ("implement", "gate")
    assert built.git("show", f"{built.row.feature.branch}:one.txt") == "1"


def git_that(folder: Path, program: str) -> dict[str, str]:
    """A git that behaves so while there is a file `flag`."""
    path = folder / "bin" / "git"
    path.parent.mkdir()
    (folder / "flag").touch()
    path.write_text(program.format(flag=folder / "flag", git=shutil.which("git")))
    path.chmod(0o755)
    return {"PATH": f"{path.parent}:{os.environ['PATH']}"}


def test_a_disk_that_git_finds_full(tmp_path: Path) -> None:
    """I3, A3: with room again it continues; nothing else is named than what continues it."""
    built, own = build(tmp_path, ONE, SCRIPT), git_that(tmp_path, FULL_GIT)
    said = built.sparing("run", "1", "--no-input", **own)
    assert "the disk is full: error: refs: No space left on device" in said.err
    assert "free some space, then run the same command again" in said.err
    assert "sparing resume" not in said.err
    (tmp_path / "flag").unlink()
    assert built.sparing("run", "001", "--no-input", **own).code == 2
    shown = built.sparing("show", "1", "--json").json
    assert (shown["stage"], shown["position"]) == ("implement", "gate")


@contextmanager
def at_work(built: Built) -> Generator[Path]:
    """While its agent works; then the run ends by itself. The file has what it said."""
    log = built.folder / "run.log"
    own = {"SPARING_STATE__FOLDER": str(built.folder / "state"), "SPARING_FLOW__ASSISTANTS": ""}
    with log.open("wb") as out:
        process = subprocess.Popen(
            (sys.executable, "-m", "sparing", "run", "1", "--no-input"), cwd=built.repository,
            env={**os.environ, **QUICK, **own, "SPARING_FLOW__GATES": "implement"},
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: "implementer" in log.read_text(), "the agent works")
        yield log
        process.wait(240)
    finally:
        process.kill()


@pytest.fixture
def slow(tmp_path: Path) -> Built:
    """Its implementer takes as long as it takes to lose something."""
    return build(tmp_path, ONE, turn("1", {"one.txt": "1\n"}, seconds=8) + SATISFIED)


def test_a_worktree_that_is_gone_under_its_agent(slow: Built) -> None:
    """A3, I1: it is made again and the turn repeated; nobody has to type anything."""
    with at_work(slow) as log:
        (tree,) = (slow.folder / "state").rglob(f"worktrees/{NAME}")
        shutil.rmtree(tree)
    assert "the last commit is put back" in log.read_text()
    assert "implement waits for your approval" in log.read_text()
    assert slow.git("show", f"{slow.row.feature.branch}:one.txt") == "1"


def test_a_worktree_that_git_no_longer_knows(slow: Built) -> None:
    """A3: it is registered again."""
    with at_work(slow) as log:
        shutil.rmtree(slow.repository / ".git" / "worktrees" / NAME)
    assert "is no longer registered: sparing resume recreates it" in log.read_text()
    continued(slow)


def test_a_repository_that_was_moved(slow: Built) -> None:
    """A3: back in its place it is resumed."""
    away = slow.folder / "away"
    with at_work(slow) as log:
        slow.repository.rename(away)
    away.rename(slow.repository)
    assert "put it back, then: sparing resume" in log.read_text()
    continued(slow)
