"""A feature in one clone of a bare remote, and somebody who pushes to its base from another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.engine.built import Built, build
from tests.repositories import git, write_files

CHECKS = "test:\n\t! grep -rlE '^(<<<<<<<|>>>>>>>) ' --include=*.txt .\n\ttest ! -e broken\n"
FILES = {"Makefile": CHECKS, "shared.txt": "one\ntwo\nthree\n", "other.txt": "other\n"}


class Scene(NamedTuple):
    built: Built
    remote: Path
    colleague: Path

    @property
    def repository(self) -> Path:
        return self.built.repository

    def push(self, files: Mapping[str, str], subject: str = "Others work too") -> str:
        """What somebody else puts on the base branch, at the remote."""
        write_files(self.colleague, files)
        git(self.colleague, "add", "--all")
        git(self.colleague, "commit", "--quiet", "-m", subject)
        git(self.colleague, "push", "--quiet", "origin", "main")
        return git(self.colleague, "rev-parse", "HEAD")

    def fetch(self) -> None:
        git(self.repository, "fetch", "--quiet", "origin")

    @property
    def tip(self) -> str:
        return git(self.repository, "rev-parse", self.built.row.feature.branch)

    def parents(self) -> list[str]:
        return git(self.repository, "rev-list", "--parents", "-1", self.tip).split()[1:]

    def text(self, path: str) -> str:
        return git(self.repository, "show", f"{self.tip}:{path}")

    def checkout(self) -> tuple[str, ...]:
        """What must not change, whatever is done for a feature."""
        asked = (("status", "--porcelain"), ("rev-parse", "HEAD", "main"), ("stash", "list"))
        return tuple(git(self.repository, *words) for words in asked)


def scene(folder: Path, tasks: str, script: str, files: Mapping[str, str] | None = None) -> Scene:
    built = build(folder, tasks, script, {**FILES, **(files or {})})
    remote, colleague = folder / "remote.git", folder / "colleague"
    git(folder, "clone", "--quiet", "--bare", str(built.repository), str(remote))
    git(folder, "clone", "--quiet", str(remote), str(colleague))
    git(built.repository, "remote", "add", "origin", str(remote))
    git(built.repository, "fetch", "--quiet", "origin")
    trusted = built.sparing("trust", "--yes")  # a remote that is a folder
    assert trusted.code == 0, trusted.err
    return Scene(built, remote, colleague)
