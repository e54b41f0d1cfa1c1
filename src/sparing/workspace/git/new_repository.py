"""A new repository with one commit: the sample that the demo works on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sparing.workspace.git.objects import NO_COMMIT, make_commit, move_ref, settle_files
from sparing.workspace.git.repository import Repository, find_repository
from sparing.workspace.git.runner import Git

BRANCH = "main"


def create_repository(path: Path, files: Mapping[str, str], subject: str, at: float) -> Repository:
    """Equal arguments give an equal commit id."""
    git_dir = path / ".git"
    git_dir.mkdir(parents=True)
    git = Git(git_dir, path)
    git.run("init", "--quiet", f"--initial-branch={BRANCH}", "--template=")
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git.run("update-index", "--add", "--stdin", stdin="\n".join(sorted(files)).encode())
    commit = make_commit(git, git.text("write-tree"), (), f"{subject}\n", at)
    made = [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    settle_files(path, made)
    move_ref(git, f"refs/heads/{BRANCH}", commit, NO_COMMIT)
    return find_repository(path)
