"""Checks start the programs behind pyenv's shims, as the shims would.

Covers: H7, K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.checks.run import Check, CheckSandbox, run_check
from sparing.workspace.sandbox.toolchains import past_shims

REST = "/usr/local/bin:/usr/bin:/bin"


def pyenv(root: Path, version: str, *installed: str) -> Path:
    (root / "shims").mkdir(parents=True)
    (root / "versions").mkdir()
    for name in installed:
        (root / "versions" / name / "bin").mkdir(parents=True)
    (root / "version").write_text(version)
    return root


@pytest.mark.parametrize(
    ("version", "first"),
    [
        ("3.12.1\n", ("3.12.1",)),
        ("3.12.1\n3.11.7\n", ("3.12.1", "3.11.7")),
        ("3.9.9\n", ()),
        ("system\n", ()),
        ("", ()),
    ],
)
def test_versions_go_before_the_shims(tmp_path: Path, version: str, first: tuple[str, ...]) -> None:
    root = pyenv(tmp_path / ".pyenv", version, "3.12.1", "3.11.7")
    found = past_shims(f"{root}/shims:{REST}", tmp_path / "worktree")
    versions = [f"{root}/versions/{name}/bin" for name in first]
    assert found == ":".join([*versions, f"{root}/shims", REST])


def test_a_version_of_the_worktree_is_left_to_the_shim(tmp_path: Path) -> None:
    root = pyenv(tmp_path / ".pyenv", "3.12.1", "3.12.1")
    (tmp_path / ".python-version").write_text("3.11.7\n")
    path = f"{root}/shims:{REST}"
    assert past_shims(path, tmp_path / "packages" / "one") == path


def test_folders_called_shims_and_others_stay_as_they_are(tmp_path: Path) -> None:
    path = f"{tmp_path}/shims:{REST}"
    assert past_shims(path, tmp_path) == path


def test_a_check_runs_the_program_itself(tmp_path: Path) -> None:
    root = pyenv(tmp_path / ".pyenv", "1.0", "1.0")
    for folder, word in (("shims", "shim"), ("versions/1.0/bin", "program")):
        program = root / folder / "tool"
        program.write_text(f"#!/bin/sh\necho {word}\n")
        program.chmod(0o755)
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    sandbox = CheckSandbox(tmp_path / "scratch", None, (root,))
    check = Check("test", ("tool",), "tests/")
    result = run_check(check, worktree, 600, {"PATH": f"{root}/shims:{REST}"}, sandbox)
    assert result.output.strip() == "program"
