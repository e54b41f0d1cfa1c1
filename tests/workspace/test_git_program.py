"""Where git is found: looked for once, and again as soon as that may be another answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.process import git_program


def put(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def age(folder: Path, number: int) -> None:
    """Some file systems count in seconds: what happens within one is told apart by hand."""
    os.utime(folder, (number, number))


def test_git_is_found_wherever_path_leads_and_after_it_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H2: neither another PATH nor an installation needs a new process."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    monkeypatch.setenv("PATH", str(one))
    with pytest.raises(RepositoryError, match="git is not installed"):
        git_program()
    program = put(one, "git")
    age(one, 1)
    assert git_program() == (str(program), f"{one}:/usr/local/bin:/usr/bin:/bin")
    put(one, "git-lfs")
    other = put(two, "git")
    age(one, 2)
    monkeypatch.setenv("PATH", f"{two}{os.pathsep}{one}")
    assert git_program() == (str(other), f"{two}:{one}:/usr/local/bin:/usr/bin:/bin")
    other.unlink()
    age(two, 3)
    assert git_program()[0] == str(program)
