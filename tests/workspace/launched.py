"""Runs a program through the launcher, in one line for a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.sandbox.launcher import wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxPolicy
from tests.repositories import git, make_repository

PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = os.path.realpath(sys.executable)


class Place(NamedTuple):
    root: Path
    main: Path
    worktree: Path
    scratch: Path

    def policy(self, access: SandboxAccess = SandboxAccess.AUTHOR, **more: object) -> SandboxPolicy:
        known: dict[str, object] = {"environment": {"PATH": PATH}, "git_dir": self.main / ".git"}
        return SandboxPolicy(access, self.worktree, **{**known, **more})  # pyright: ignore[reportArgumentType]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def make_place(root: Path) -> Place:
    main = make_repository(root / "main", {"app.py": "APP = 1\n"})
    worktree = root / "worktrees" / "feature"
    git(main, "worktree", "add", "--quiet", "-b", "feature", str(worktree))
    return Place(root, main, worktree, root / "scratch")


def launch(
    place: Place, policy: SandboxPolicy, *argv: str, stdin: str = "", merged: bool = False
) -> Ended:
    wrapped = wrap(policy, argv, place.scratch)
    try:
        done = subprocess.run(
            wrapped.argv,
            cwd=place.worktree,
            env=wrapped.env,
            pass_fds=wrapped.pass_fds,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            text=True,
            start_new_session=True,
            check=False,
            timeout=240,
        )
    finally:
        wrapped.cleanup()
    return Ended(done.returncode, done.stdout, done.stderr or "")


def sh(
    place: Place, policy: SandboxPolicy, script: str, stdin: str = "", merged: bool = False
) -> Ended:
    return launch(place, policy, "sh", "-c", script, stdin=stdin, merged=merged)


def python(place: Place, policy: SandboxPolicy, script: str) -> Ended:
    return launch(place, policy, PYTHON, "-I", "-c", script)
